import { CircleAlert, CloudOff, CloudUpload, Eye } from "lucide-react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { useConnected } from "../../providers/realtime-provider.tsx";
import { useIde, useIdeView, useSharedCode } from "./ide-context.tsx";
import type { SharedCode } from "./shared-code.ts";

/** Where the cursor is, and whether what is typed has arrived. */
export function StatusBar({ node }: { node: Node }) {
  const { documents } = useIde();
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
        <span className="tabular-nums" data-testid="cursor-place">
          {cursor.cursors > 1 ? `${cursor.cursors} cursors` : `Line ${cursor.line}, column ${cursor.column}`}
          {cursor.selected > 0 ? ` (${cursor.selected} selected)` : ""}
        </span>
      )}
      <span className="max-sm:hidden">Python</span>
    </footer>
  );
}

function Sending({ code }: { code: SharedCode }) {
  const { isSent, live } = useSharedCode(code);
  const isUnsaved = useIdeView((view) => view.unsaved.get(code.metadataId) === true);
  const connected = useConnected();
  if (!connected)
    return (
      <output className="flex items-center gap-1.5 text-warning-text" data-testid="sending" data-state="offline">
        <CloudOff className="size-3.5" aria-hidden="true" />
        Reconnecting. What you type is kept.
      </output>
    );
  if (!live) return null;
  return (
    <output className="flex items-center gap-1.5" data-testid="sending" data-state={isSent ? "sent" : "sending"}>
      {isSent ? null : <CloudUpload className="size-3.5" aria-hidden="true" />}
      {isSent ? (isUnsaved ? "Kept, not committed" : "Committed") : "Sending…"}
    </output>
  );
}
