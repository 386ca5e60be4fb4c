import { Unplug } from "lucide-react";
import { useMemo } from "react";
import { Link, useParams } from "react-router";

import { useProject } from "../../api/projects.ts";
import { ProcessorFrame } from "../../panels/processor-frame.tsx";
import { useGraph, useOpenGraph } from "../../providers/object-provider.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingArea } from "../../ui/spinner.tsx";
import { Editor } from "./editor.tsx";

export function GraphEditorScreen() {
  const { projectId = "", graphId = "" } = useParams();
  const { session, members, error, retry, evicted } = useOpenGraph();
  const { data: details } = useProject(projectId);
  const loaded = useGraph((view) => view.loaded);
  const back = `/designer/projects/${projectId}`;
  const workflow = useMemo(() => details?.knowledge_objects.find(({ id }) => id === graphId), [details, graphId]);
  useTopBar({ back, project: details?.project.name, graph: workflow?.name, members });

  if (evicted !== null)
    return (
      <Page title="Workflow">
        <EmptyState
          icon={Unplug}
          title="This workflow is no longer here"
          action={
            <Link to={back} className={buttonClasses()}>
              Back to the project
            </Link>
          }
        >
          {evicted}
        </EmptyState>
      </Page>
    );
  if (error && !loaded)
    return (
      <Page title="Workflow">
        <LoadFailure title="This workflow could not be opened." message={error.message} onRetry={retry} />
      </Page>
    );
  return (
    <div className="flex h-[calc(100dvh-3rem)] flex-col">
      {/* There while the graph is still on its way: large graphs are drawn sooner when only the canvas is missing. */}
      <ProcessorFrame>
        {loaded ? <Editor key={session.graphId} /> : <LoadingArea label="Loading the workflow" />}
      </ProcessorFrame>
    </div>
  );
}
