import { nextDiagnostic } from "@codemirror/lint";
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleX, CloudOff, CloudUpload, Eye, TriangleAlert } from "lucide-react";

import type { LanguageState } from "@miranda/contract/schemas/code/language.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { codeLinesQuery } from "../../api/comments/comments.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { useConnected, useConnectionRefusal } from "../../providers/realtime-provider.tsx";
import { copyLink } from "../../ui/copy-link.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { commitWords, lineCommit, writersOf } from "../comments/line-writer.ts";
import { useIde, useIdeView, useSharedCode } from "./ide-context.tsx";
import type { SharedCode } from "./shared-code.ts";

/** Where the cursor is, and whether the typed text has been saved. */
export function StatusBar({ node }: { node: Node }) {
  const { documents, base } = useIde();
  const cursor = useIdeView((view) => view.cursor);
  const check = useIdeView((view) => view.checks.get(node.metadata_id));
  const viewOnly = useGraph((view) => view.viewOnly);
  const error = check ? check.error : node.api.error;
  return (
    <footer
      data-testid="status-bar"
      className="flex h-7 shrink-0 items-center gap-4 overflow-hidden border-t border-line bg-sunken px-3 text-xs whitespace-nowrap text-ink-muted"
    >
      {error === null ? null : (
        <span className="flex min-w-0 items-center gap-1.5 text-danger-text">
          <CircleAlert className="size-3.5 shrink-0" aria-hidden="true" />
          <span className="truncate">{error}</span>
        </span>
      )}
      <Problems id={node.metadata_id} />
      {cursor === null ? null : <LineWriter node={node} line={cursor.line} />}
      <span className="flex-1" />
      {viewOnly ? (
        <span className="flex items-center gap-1.5">
          <Eye className="size-3.5" aria-hidden="true" />
          View only
        </span>
      ) : (
        <Sending code={documents.get(node.metadata_id)} />
      )}
      {cursor === null ? null : (
        <button
          type="button"
          className="rounded-sm px-1 tabular-nums hover:bg-hover hover:text-ink"
          data-testid="cursor-place"
          title="Copy a link to this line"
          onClick={() => void copyLink(`${base}/${node.metadata_id}?line=${cursor.line}`)}
        >
          {cursor.cursors > 1 ? `${cursor.cursors} cursors` : `Line ${cursor.line}, column ${cursor.column}`}
          {cursor.selected > 0 ? ` (${cursor.selected} selected)` : ""}
        </button>
      )}
      <LanguageWord />
    </footer>
  );
}

/** Who edited the line of the cursor last, by its commit. */
function LineWriter({ node, line }: { node: Node; line: number }) {
  const { documents } = useIde();
  const { metadata_id, source_code } = node;
  const { data } = useQuery(codeLinesQuery(metadata_id, source_code));
  const text = documents.get(metadata_id).text();
  const commit = data && text !== undefined ? lineCommit(data, source_code, text, line) : undefined;
  if (commit === undefined) return null;
  if (commit === null) return <span className="max-sm:hidden">Line not committed yet</span>;
  return (
    <span className="truncate max-sm:hidden" title={commitWords(commit)} data-testid="line-writer">
      Last edited by {writersOf(commit)}, <RelativeTime time={commit.time} />
    </span>
  );
}

/** The number of problems; a click goes to the next one. */
function Problems({ id }: { id: number }) {
  const { ide } = useIde();
  const { errors, warnings } = useIdeView((view) => view.problems.get(id)) ?? { errors: 0, warnings: 0 };
  if (errors + warnings === 0) return null;
  return (
    <button
      type="button"
      data-testid="problems"
      title="Go to the next (F8)"
      aria-label={`${errors} errors, ${warnings} warnings. Go to the next.`}
      className="flex items-center gap-2.5 rounded-sm px-1 tabular-nums hover:bg-hover hover:text-ink"
      onClick={() => {
        const view = ide.views.get(id);
        if (view) nextDiagnostic(view);
        view?.focus();
      }}
    >
      <span className="flex items-center gap-1">
        <CircleX className="size-3.5" aria-hidden="true" />
        {errors}
      </span>
      <span className="flex items-center gap-1">
        <TriangleAlert className="size-3.5" aria-hidden="true" />
        {warnings}
      </span>
    </button>
  );
}

const languageTexts: Partial<Record<LanguageState, [string, string]>> = {
  starting: ["Python…", "Completion and checks are starting."],
  busy: [
    "Python, help is busy",
    "Too many workflows use completion and checks right now. They start as soon as there is capacity.",
  ],
  failed: ["Python, no help", "Completion and checks stopped several times. They restart in a few minutes."],
};

function LanguageWord() {
  const state = useIdeView((view) => view.language);
  const [text, why] = (state && languageTexts[state]) ?? ["Python", undefined];
  return (
    <span className="max-sm:hidden" title={why} data-testid="language" data-state={state ?? undefined}>
      {text}
    </span>
  );
}

function Sending({ code }: { code: SharedCode }) {
  const { isSent, live } = useSharedCode(code);
  const isUnsaved = useIdeView((view) => view.unsaved.get(code.metadataId) === true);
  const connected = useConnected();
  const refusal = useConnectionRefusal();
  if (!connected)
    return (
      <output className="flex items-center gap-1.5 text-warning-text" data-testid="sending" data-state="offline">
        <CloudOff className="size-3.5" aria-hidden="true" />
        {refusal ?? "Reconnecting."} What you type is kept.
      </output>
    );
  if (!live) return null;
  return (
    <output className="flex items-center gap-1.5" data-testid="sending" data-state={isSent ? "sent" : "sending"}>
      {isSent ? null : <CloudUpload className="size-3.5" aria-hidden="true" />}
      {isSent ? (isUnsaved ? "Draft saved" : "Committed") : "Sending…"}
    </output>
  );
}
