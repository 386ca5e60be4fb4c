import { Unplug } from "lucide-react";
import { Link, useLocation, useParams } from "react-router";

import { graphAddress } from "../../api/graphs.ts";
import { useProject } from "../../api/projects.ts";
import { useGraph, useOpenGraph } from "../../providers/object-provider.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingArea } from "../../ui/spinner.tsx";
import { Ide } from "./ide.tsx";

export function CodeIdeScreen() {
  const { projectId = "", graphId = "", wobId } = useParams();
  const { pathname } = useLocation();
  const { session, members, error, retry, evicted } = useOpenGraph();
  const { data: details } = useProject(projectId);
  const loaded = useGraph((view) => view.loaded);
  const graph = details?.knowledge_objects.find(({ id }) => id === graphId);
  const back = graphAddress(projectId, graphId);
  useTopBar({ back, project: details?.project.name, graph: graph?.name, members });

  if (evicted !== null)
    return (
      <Page title="Code">
        <EmptyState
          icon={Unplug}
          title="This workflow is no longer here"
          action={
            <Link to={`/designer/projects/${projectId}`} className={buttonClasses()}>
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
      <Page title="Code">
        <LoadFailure title="This workflow could not be opened." message={error.message} onRetry={retry} />
      </Page>
    );
  if (!loaded) return <LoadingArea label="Loading the workflow" />;
  return (
    <div className="relative flex h-[calc(100dvh-3rem)] flex-col">
      <Ide
        key={session.graphId}
        base={`${back}/code`}
        isHistory={pathname.startsWith(`${back}/code/${wobId}/history`)}
      />
    </div>
  );
}
