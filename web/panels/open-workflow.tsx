import { SearchX, Unplug } from "lucide-react";
import { type ReactNode, useCallback, useEffect } from "react";
import { Link, useParams } from "react-router";

import { graphAddress, useNamedWorkflow } from "../api/graphs.ts";
import { HttpError } from "../api/http.ts";
import { useProject } from "../api/projects.ts";
import { useFollow, useFollowing } from "../providers/follow/follow-provider.tsx";
import { useGraph, useOpenGraph } from "../providers/object-provider.tsx";
import { useTopBar } from "../shell/top-bar-context.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/layout/empty-state.tsx";
import { LoadFailure } from "../ui/layout/load-failure.tsx";
import { Page } from "../ui/layout/page.tsx";

interface OpenWorkflowProps {
  /** The title of this screen. */
  title: string;
  /** The address of the back link. */
  back: string;
  children: (loaded: boolean) => ReactNode;
}

const toProjects = (
  <Link to="/designer/" className={buttonClasses()}>
    Go to your projects
  </Link>
);

function isNotFound(error: Error | null): boolean {
  return error instanceof HttpError && error.status === 404;
}

/** A screen of an open workflow: names in the top bar, and an error when the workflow cannot be opened or is gone. */
export function OpenWorkflow({ title, back, children }: OpenWorkflowProps) {
  const { projectId = "", graphId = "" } = useParams();
  const { members, error, retry, evicted } = useOpenGraph();
  const { data: details, error: projectError, refetch: loadProject } = useProject(projectId);
  const loaded = useGraph((view) => view.loaded);
  const { name, elsewhere } = useNamedWorkflow(projectId, graphId);
  const follow = useFollow();
  const following = useFollowing();
  const onFollow = useCallback(
    (username: string) => (follow?.get().following === username ? follow.stop() : follow?.start(username)),
    [follow],
  );
  useTopBar({ back, project: details?.project.name, graph: name, members, following, onFollow });

  // The workflow may be gone together with its project.
  useEffect(() => {
    if (evicted !== null) void loadProject();
  }, [evicted, loadProject]);

  if (evicted !== null)
    return (
      <Page title={title}>
        <EmptyState
          icon={Unplug}
          title="This workflow no longer exists"
          action={
            isNotFound(projectError) ? (
              toProjects
            ) : (
              <Link to={`/designer/projects/${projectId}`} className={buttonClasses()}>
                Back to the project
              </Link>
            )
          }
        >
          {evicted}
        </EmptyState>
      </Page>
    );
  if (isNotFound(error) && !loaded)
    return (
      <Page title={title}>
        <EmptyState icon={SearchX} title="Workflow not found" action={toProjects}>
          It was deleted, or its project is private and you are not one of its members.
        </EmptyState>
      </Page>
    );
  if (error && !loaded)
    return (
      <Page title={title}>
        <LoadFailure title="This workflow could not be opened." message={error.message} onRetry={retry} />
      </Page>
    );
  if (elsewhere !== undefined)
    return (
      <Page title={title}>
        <EmptyState
          icon={SearchX}
          title="This project has no such workflow"
          action={
            <Link to={graphAddress(elsewhere, graphId)} className={buttonClasses()}>
              Open it in its project
            </Link>
          }
        >
          The workflow is in another project, or it was moved there.
        </EmptyState>
      </Page>
    );
  return children(loaded);
}
