import { SearchX, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { Link, Outlet, useParams } from "react-router";

import { useProject } from "../../../api/projects.ts";
import { runsAddress } from "../../../api/runs/runs.ts";
import { BudgetBanner } from "../../../panels/processor/limits/budget-banner.tsx";
import { CommentsDock } from "../../../panels/comments/comments-dock.tsx";
import { type OpenRun, OpenRunProvider } from "../../../panels/runs/open-run.tsx";
import { CommentsProvider } from "../../../providers/comments/comments-provider.tsx";
import { RealtimeProvider } from "../../../providers/realtime-provider.tsx";
import { useTopBar } from "../../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { RunHeader } from "./run-header.tsx";
import { useRun } from "./use-run.ts";

/** One run: what ran when, what it showed, what it cost, and why it ended. Its parts are addresses of their own. */
export function RunScreen() {
  const { runId = "" } = useParams();
  return (
    <RealtimeProvider>
      <OneRun key={runId} runId={runId} />
    </RealtimeProvider>
  );
}

function OneRun({ runId }: { runId: string }) {
  const { data: run, error, isFetching, refetch, isMissing, isGone } = useRun(runId);
  const { data: project } = useProject(run?.graph.project_id ?? "");
  const graph = run?.graph;
  useTopBar({
    back: graph ? runsAddress({ graph: graph.id }) : runsAddress(),
    project: graph?.project_name,
    graph: graph?.name,
  });
  const access = project?.project.access;
  const mayWrite = access === "owner" || access === "editor";
  const open = useMemo((): OpenRun | undefined => run && { run, mayWrite, isGone }, [run, mayWrite, isGone]);

  if (!open && isMissing) return <Missing />;
  if (!open && error)
    return (
      <div className="mx-auto w-full max-w-xl px-4 py-16">
        <LoadFailure
          title="The run could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!open) return <LoadingArea label="Loading the run" />;
  return (
    <OpenRunProvider open={open}>
      <CommentsProvider graphId={open.run.graph.id} run={open.run.id}>
        <div className="flex h-(--below-bar) flex-col">
          {isGone ? (
            <p
              role="alert"
              data-testid="run-gone"
              className="flex shrink-0 items-center gap-2 border-b border-line bg-warning-soft px-4 py-2 text-sm text-warning-text"
            >
              <Trash2 className="size-4 shrink-0" aria-hidden="true" />
              This run was deleted. You can read what is on this page until you leave it.
            </p>
          ) : null}
          <BudgetBanner run={open.run} mayAnswer={mayWrite} />
          <RunHeader />
          <div className="flex min-h-0 flex-1">
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              <Outlet />
            </div>
            <CommentsDock here={{ kind: "run", run_id: open.run.id, number: open.run.number }} hint="" />
          </div>
        </div>
      </CommentsProvider>
    </OpenRunProvider>
  );
}

function Missing() {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <EmptyState
        icon={SearchX}
        title="Run not found"
        action={
          <Link to={runsAddress()} className={buttonClasses()}>
            All runs
          </Link>
        }
      >
        It was deleted, or you may not read its workflow.
      </EmptyState>
    </div>
  );
}
