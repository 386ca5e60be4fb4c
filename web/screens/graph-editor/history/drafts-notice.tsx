import { useSession as useAccountSession } from "../../../api/account/session.ts";
import { useGraph } from "../../../providers/object-provider.tsx";
import { authorNames } from "../../../providers/unsaved/unsaved-code.ts";
import { useUnsavedCode } from "../../../providers/unsaved/use-unsaved-code.ts";

interface DraftsNoticeProps {
  /** What would change the code: "This merge" or "Restoring this". */
  what: string;
  /** Whether it would change or remove the code of a node. */
  changes: (node: number) => boolean;
}

/** Names the nodes whose code would change below somebody's unsaved code, and whose it is. */
export function DraftsNotice({ what, changes }: DraftsNoticeProps) {
  const drafts = useUnsavedCode();
  const nodes = useGraph((view) => view.resolved.nodes);
  const { account } = useAccountSession();
  const names = drafts.flatMap(({ metadata_id, authors }) => {
    const name = nodes[metadata_id]?.name;
    return name !== undefined && changes(metadata_id) ? [`${name} (${authorNames(authors, account?.username)})`] : [];
  });
  if (names.length === 0) return null;
  return (
    <p
      role="note"
      data-testid="drafts-notice"
      dir="auto"
      className="shrink-0 border-b border-line bg-warning-soft px-4 py-2 text-sm wrap-anywhere text-warning-text"
    >
      {what} changes the code below unsaved code: {names.join(", ")}. The unsaved code stays until its author decides.
    </p>
  );
}
