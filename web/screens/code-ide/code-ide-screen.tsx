import { useLocation, useParams } from "react-router";

import { graphAddress } from "../../api/graphs.ts";
import { OpenWorkflow } from "../../panels/open-workflow.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { Ide } from "./ide.tsx";

export function CodeIdeScreen() {
  const { projectId = "", graphId = "", wobId } = useParams();
  const { pathname } = useLocation();
  const back = graphAddress(projectId, graphId);
  const isHistory = pathname.startsWith(`${back}/code/${wobId}/history`);
  return (
    <OpenWorkflow title="Code" back={back}>
      {(loaded) =>
        loaded ? (
          <div className="relative flex h-(--below-bar) flex-col">
            <Ide key={graphId} base={`${back}/code`} isHistory={isHistory} />
          </div>
        ) : (
          <LoadingArea label="Loading the workflow" />
        )
      }
    </OpenWorkflow>
  );
}
