import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight, GitCommitHorizontal, RotateCcw } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { CommitSummary } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { usernameColour } from "../../format/username-colour.ts";

import { commitsQuery } from "../../api/code.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { CommitView } from "./commit-view.tsx";
import { type HistoryEntry, historyEntries, writersOf } from "./history-entries.ts";
import { useIde } from "../../panels/code/ide-context.tsx";

interface HistoryViewProps {
  node: Node;
  commitId: string | undefined;
}

/** The commits of a node, newest first, and what the selected one changed. */
export function HistoryView({ node, commitId }: HistoryViewProps) {
  const { base } = useIde();
  const query = useInfiniteQuery(commitsQuery(node.metadata_id));
  const commits = useMemo(() => query.data?.pages.flatMap((page) => page.commits) ?? [], [query.data]);
  const path = `${base}/${node.metadata_id}/history`;

  if (query.isPending) return <LoadingArea label="Loading the history" />;
  if (query.isError)
    return (
      <div className="p-4">
        <LoadFailure
          title="The history could not be loaded."
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  if (commits.length === 0)
    return (
      <div className="grid flex-1 place-items-center p-8 text-center" data-testid="no-commits">
        <div>
          <GitCommitHorizontal className="mx-auto size-6 text-ink-faint" aria-hidden="true" />
          <p className="mt-3 font-semibold">No commits yet</p>
          <p className="mt-1 text-ink-muted">Every commit of {node.name} will be listed here.</p>
        </div>
      </div>
    );
  return (
    <div className="flex min-h-0 flex-1 bg-surface" data-testid="history">
      <section
        aria-label={`History of ${node.name}`}
        className={classes(
          "flex min-h-0 w-80 shrink-0 flex-col overflow-y-auto border-r border-line max-md:w-full max-md:border-r-0",
          commitId !== undefined && "max-md:hidden",
        )}
      >
        <ol className="p-1.5">
          {historyEntries(commits).map((entry) => (
            <li key={entry.at(-1)?.id}>
              {entry.length > 1 ? <RunsRow runs={entry} commitId={commitId} path={path} /> : null}
              {entry.length === 1 ? (
                <CommitRow commit={entry[0]} to={`${path}/${entry[0].id}`} isActive={entry[0].id === commitId} />
              ) : null}
            </li>
          ))}
        </ol>
        {query.hasNextPage ? (
          <Button
            variant="ghost"
            className="mx-3 mb-4"
            busy={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Older commits
          </Button>
        ) : null}
      </section>
      <div className={classes("flex min-w-0 flex-1 flex-col", commitId === undefined && "max-md:hidden")}>
        {commitId === undefined ? (
          <p className="m-auto p-8 text-ink-muted">Choose a commit to see what it changed.</p>
        ) : (
          <CommitView key={commitId} node={node} commitId={commitId} isLatest={commits[0]?.id === commitId} />
        )}
      </div>
    </div>
  );
}

/** Several consecutive commits of runs, in one line. */
function RunsRow({ runs, commitId, path }: { runs: HistoryEntry; commitId: string | undefined; path: string }) {
  const isChosen = runs.some(({ id }) => id === commitId);
  const [isUnfolded, setUnfolded] = useState(isChosen);
  const isOpen = isUnfolded || isChosen;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setUnfolded(!isOpen)}
        disabled={isChosen}
        data-testid="runs"
        className="flex w-full items-center gap-3 rounded-md px-2.5 py-2 text-left text-ink-muted transition-colors hover:bg-hover disabled:pointer-events-none"
      >
        <span className="grid size-6 shrink-0 place-items-center">
          <ChevronRight
            className={classes("size-4 transition-transform", isOpen ? "rotate-90" : null)}
            aria-hidden="true"
          />
        </span>
        <span className="min-w-0 flex-1">{runs.length} runs</span>
        <span className="shrink-0 text-xs">
          <RelativeTime time={runs[0].time_created} />
        </span>
      </button>
      {isOpen ? (
        <ol className="ml-5 border-l border-line pl-1">
          {runs.map((commit) => (
            <li key={commit.id}>
              <CommitRow commit={commit} to={`${path}/${commit.id}`} isActive={commit.id === commitId} />
            </li>
          ))}
        </ol>
      ) : null}
    </>
  );
}

function CommitRow({ commit, to, isActive }: { commit: CommitSummary; to: string; isActive: boolean }) {
  const { author } = commit;
  return (
    <Link
      to={to}
      data-testid="commit"
      aria-current={isActive ? "true" : undefined}
      className={classes(
        "flex gap-3 rounded-md px-2.5 py-2 transition-colors",
        isActive ? "bg-accent-soft" : "hover:bg-hover",
      )}
    >
      <Avatar
        size="sm"
        name={author ? `${author.first_name} ${author.last_name}` : "?"}
        src={author?.avatar}
        {...(author && { borderColour: usernameColour(author.username) })}
      />
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 font-medium" dir="auto">
          {commit.message || "No message"}
        </span>
        <span className="mt-0.5 flex items-center gap-1.5 text-xs text-ink-muted">
          {commit.restored === null ? null : <RotateCcw className="size-3" aria-label="Restored" />}
          <span className="tabular-nums">#{commit.number}</span>
          <span className="truncate">{writersOf(commit, "Deleted account")}</span>
          <span className="ml-auto shrink-0">
            <RelativeTime time={commit.time_created} />
          </span>
        </span>
      </span>
    </Link>
  );
}
