import { useSession as useAccountSession } from "../api/account/session.ts";
import { useGraph } from "../providers/object-provider.tsx";
import { authorNames } from "../providers/unsaved/unsaved-code.ts";
import { useUnsavedCode } from "../providers/unsaved/use-unsaved-code.ts";

/** Names the nodes whose typed code is in no version until somebody commits it. */
export function UnsavedNotice() {
  const drafts = useUnsavedCode();
  const nodes = useGraph((view) => view.resolved.nodes);
  const { account } = useAccountSession();
  const listed = drafts.filter(({ metadata_id }) => nodes[metadata_id]);
  if (listed.length === 0) return null;
  const names = listed.map(({ metadata_id, authors }) => {
    const name = nodes[metadata_id]?.name ?? "";
    return `${name} (${authorNames(authors, account?.username)})`;
  });
  return (
    <p
      role="note"
      data-testid="unsaved-notice"
      className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-text"
    >
      Unsaved code is left out: {names.join(", ")}. Commit it first to include it.
    </p>
  );
}
