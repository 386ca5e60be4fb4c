import { useSyncExternalStore } from "react";

import { messages } from "@miranda/contract/words/messages.ts";

import { createStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";

const stacks = createStore<readonly string[]>([]);

function add(reason: unknown): void {
  stacks.set([...stacks.get(), describe(reason)]);
}

function describe(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  // Some browsers leave the message out of the stack.
  if (reason.stack?.includes(reason.message)) return reason.stack;
  return `${reason.name}: ${reason.message}\n${reason.stack ?? ""}`;
}

/** Starts before React does, so that a failure to render is shown too. */
export function watchUncaughtErrors(): void {
  addEventListener("error", (event) => {
    // The browser's note that a size observer will be called again in the next frame; nothing failed.
    if (event.message.startsWith("ResizeObserver loop")) return;
    add(event.error ?? event.message);
  });
  addEventListener("unhandledrejection", (event) => add(event.reason));
}

export function GlobalErrorModal() {
  const shown = useSyncExternalStore(stacks.watch, stacks.get);
  const close = () => stacks.set([]);
  return (
    <Dialog
      open={shown.length > 0}
      onOpenChange={close}
      title={messages.uncaughtTitle}
      description={messages.uncaughtText}
      wide
      footer={
        <>
          <Button onClick={() => location.reload()}>Reload page</Button>
          <Button variant="primary" onClick={close}>
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
        {shown.join("\n\n")}
      </pre>
    </Dialog>
  );
}
