import { useParams } from "react-router";

import { OpenWorkflow } from "../../panels/open-workflow.tsx";
import { ProcessorFrame } from "../../panels/processor-frame.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { Editor } from "./editor.tsx";

export function GraphEditorScreen() {
  const { projectId = "", graphId = "" } = useParams();
  return (
    <OpenWorkflow title="Workflow" back={`/designer/projects/${projectId}`}>
      {(loaded) => (
        <div className="flex h-(--below-bar) flex-col">
          {/* Mounted while the graph still loads: large graphs appear sooner when only the canvas is missing. */}
          <ProcessorFrame>
            {loaded ? <Editor key={graphId} /> : <LoadingArea label="Loading the workflow" />}
          </ProcessorFrame>
        </div>
      )}
    </OpenWorkflow>
  );
}
