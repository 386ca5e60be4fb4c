import { SearchX } from "lucide-react";
import { Link, useParams } from "react-router";

import { HttpError } from "../../api/http.ts";
import { useProject } from "../../api/projects.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { preloadMarkdown } from "../../ui/markdown/markdown.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ProjectPage } from "./project-page.tsx";

preloadMarkdown();

export function ProjectScreen() {
  const { projectId } = useParams();
  if (!projectId) return <p className="m-auto p-8 text-ink-muted">No project ID provided.</p>;
  return <LoadedProject key={projectId} id={projectId} />;
}

function LoadedProject({ id }: { id: string }) {
  const { data, error, isFetching, refetch } = useProject(id);
  useTopBar({ back: "/designer/", project: data?.project.name });
  if (isGone(error)) return <Gone />;
  if (data) return <ProjectPage project={data.project} />;
  if (!error) return <LoadingArea label="Loading" />;
  return (
    <div className="mx-auto w-full max-w-xl px-4 py-16">
      <LoadFailure
        title="The project could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    </div>
  );
}

/** Whether the project does not exist or this account may not read it. */
function isGone(error: Error | null): boolean {
  return error instanceof HttpError && (error.status === 404 || error.status === 400);
}

function Gone() {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <EmptyState
        icon={SearchX}
        title="Project not found"
        action={
          <Link to="/designer/" className={buttonClasses()}>
            Go to your projects
          </Link>
        }
      >
        It was deleted, or it is private and you are not one of its members.
      </EmptyState>
    </div>
  );
}
