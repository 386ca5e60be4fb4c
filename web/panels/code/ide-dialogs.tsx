import { errors } from "@miranda/contract/errors.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { oneLineEnd } from "./code-text.ts";
import { CommitDialog } from "./commit-dialog.tsx";
import { useIde, useIdeView } from "./ide-context.tsx";
import { PeekDialog } from "./peek-dialog.tsx";
import { shortcutGroups } from "./shortcuts.ts";

export function IdeDialogs({ node }: { node: Node | undefined }) {
  const { ide, documents } = useIde();
  const dialog = useIdeView((view) => view.dialog);
  const peek = useIdeView((view) => view.peek);
  const close = () => ide.set({ dialog: null });
  if (peek) return <PeekDialog peek={peek} onClose={() => ide.set({ peek: null })} />;
  if (dialog === "shortcuts") return <ShortcutsDialog onClose={close} />;
  if (!node) return null;
  if (dialog === "commit") return <CommitDialog node={node} onClose={close} />;
  if (dialog === "discard")
    return (
      <ConfirmDialog
        title="Discard changes"
        text={`The code of ${node.name} is reset to the last commit, for everybody who has it open. You can undo this here.`}
        action="Discard"
        onConfirm={async () => {
          if (ide.get().unsaved.get(node.metadata_id) !== true) throw new Error(errors.nothing_to_commit);
          documents.get(node.metadata_id).setText(oneLineEnd(node.source_code));
          close();
        }}
        onClose={close}
      />
    );
  return null;
}

function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" wide reading>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {shortcutGroups.map(({ title, keys }) => (
          <section key={title}>
            <h3 className="pb-1 text-xs font-semibold text-ink-faint">{title}</h3>
            <dl>
              {keys.map(([action, key]) => (
                <div key={action} className="flex items-baseline justify-between gap-4 border-b border-line py-1.5">
                  <dt className="text-sm">{action}</dt>
                  <dd className="shrink-0 font-mono text-xs text-ink-muted">{key}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
