import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Columns2, RotateCcw, Rows2 } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { Commit } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { codeKeys, commitQuery, restoreCommit } from "../../api/code.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { DiffView } from "../../ui/code-editor/diff-view.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { useMedia } from "../../ui/layout/use-media.ts";
import { oneLineEnd } from "../../panels/code/code-text.ts";
import { useIde, useIdeView, useMayWrite } from "../../panels/code/ide-context.tsx";
import { writersOf } from "./history-entries.ts";

const sides = [
  { value: "previous", label: "Against previous" },
  { value: "now", label: "Against current" },
] as const;

interface CommitViewProps {
  node: Node;
  commitId: string;
  isLatest: boolean;
}

/** One commit: what it changed, or how it differs from the current code. */
export function CommitView({ node, commitId, isLatest }: CommitViewProps) {
  const { base } = useIde();
  const query = useQuery(commitQuery(node.metadata_id, commitId));
  const [params, setParams] = useSearchParams();
  const against = params.get("against") === "now" ? "now" : "previous";
  const isNarrow = useMedia("(max-width: 1023px)");
  const [chosen, setChosen] = useState<"split" | "unified">();
  const mode = chosen ?? (isNarrow ? "unified" : "split");
  const [isRestoring, setRestoring] = useState(false);
  const mayWrite = useMayWrite(node.metadata_id);
  const now = oneLineEnd(node.source_code);

  if (query.isPending) return <LoadingArea label="Loading the commit" />;
  if (query.isError)
    return (
      <div className="p-4">
        <LoadFailure
          title="This commit could not be loaded."
          message={query.error.message}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  const commit = query.data;
  const code = oneLineEnd(commit.source_code);
  const [before, after] = against === "now" ? [code, now] : [oneLineEnd(commit.previous_code ?? ""), code];
  return (
    <article className="flex min-h-0 flex-1 flex-col" data-testid="commit-view">
      <header className="flex shrink-0 flex-wrap items-start gap-x-3 gap-y-2 border-b border-line px-4 py-3 max-sm:px-3">
        <Link
          to={`${base}/${node.metadata_id}/history`}
          aria-label="All commits"
          className={buttonClasses({ variant: "ghost", size: "icon" }, "md:hidden")}
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Link>
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold whitespace-pre-wrap" dir="auto">
            {commit.message || "No message"}
          </h2>
          <Byline commit={commit} isLatest={isLatest} />
        </div>
        {mayWrite && code !== now ? (
          <Button size="sm" onClick={() => setRestoring(true)}>
            <RotateCcw className="size-4" aria-hidden="true" />
            Restore
          </Button>
        ) : null}
      </header>
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line px-3">
        <fieldset aria-label="Compare" className="flex rounded-md bg-sunken p-0.5">
          {sides.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              aria-pressed={against === value}
              onClick={() => setParams(value === "now" ? { against: "now" } : {}, { replace: true })}
              className={classes(
                "h-6 rounded-sm px-2 text-xs font-medium",
                against === value ? "bg-raised text-ink shadow-low" : "text-ink-muted hover:text-ink",
              )}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <span className="flex-1" />
        <IconButton
          icon={Columns2}
          label="Side by side"
          aria-pressed={mode === "split"}
          className={classes("size-7", mode === "split" && "bg-accent-soft text-accent-text")}
          onClick={() => setChosen("split")}
        />
        <IconButton
          icon={Rows2}
          label="In one column"
          aria-pressed={mode === "unified"}
          className={classes("size-7", mode === "unified" && "bg-accent-soft text-accent-text")}
          onClick={() => setChosen("unified")}
        />
      </div>
      {before === after ? (
        <p className="m-auto p-8 text-ink-muted" data-testid="no-difference">
          {against === "now" ? "The node has exactly this code." : "This commit changed no code."}
        </p>
      ) : (
        <div className="min-h-0 flex-1 overflow-hidden">
          <DiffView before={before} after={after} mode={mode} label="What changed" />
        </div>
      )}
      {isRestoring ? <RestoreDialog node={node} commit={commit} onClose={() => setRestoring(false)} /> : null}
    </article>
  );
}

function Byline({ commit, isLatest }: { commit: Commit; isLatest: boolean }) {
  return (
    <p className="mt-0.5 text-sm text-ink-muted">
      #{commit.number} by {writersOf(commit, "a deleted account")}, <RelativeTime time={commit.time_created} />
      {isLatest ? ". Latest commit." : ""}
      {commit.api.error === null ? null : (
        <span className="block text-danger-text">Committed with an error: {commit.api.error}</span>
      )}
    </p>
  );
}

function RestoreDialog({ node, commit, onClose }: { node: Node; commit: Commit; onClose: () => void }) {
  const client = useQueryClient();
  const { open } = useIde();
  const isUnsaved = useIdeView((view) => view.unsaved.get(node.metadata_id) === true);
  const rest = isUnsaved ? " Code that is not committed yet is committed first, so that nothing is lost." : "";
  return (
    <ConfirmDialog
      title={`Restore #${commit.number}`}
      text={`The code of this commit becomes the code of ${node.name}, as a new commit.${rest}`}
      action="Restore"
      onConfirm={async () => {
        const { number } = await restoreCommit(node.metadata_id, commit.id);
        await client.invalidateQueries({ queryKey: codeKeys.commits(node.metadata_id), exact: true });
        onClose();
        toast.success(`Restored as #${number}`);
        open(node.metadata_id);
      }}
      onClose={onClose}
    />
  );
}
