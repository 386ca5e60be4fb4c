import { messages } from "@miranda/contract/words/messages.ts";

import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";

/** Errors that nothing caught, with their stacks. */
export function UncaughtDialog({ stacks, onClose }: { stacks: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      open={stacks.length > 0}
      onOpenChange={onClose}
      title={messages.uncaughtTitle}
      description={messages.uncaughtText}
      wide
      footer={
        <>
          <Button onClick={() => location.reload()}>Reload page</Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <pre
        data-testid="global-error-stack"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap text-ink-muted"
      >
        {stacks.join("\n\n")}
      </pre>
    </Dialog>
  );
}
