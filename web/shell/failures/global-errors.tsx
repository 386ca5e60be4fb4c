import { createElement, useSyncExternalStore } from "react";

import { messages } from "@miranda/contract/words/messages.ts";

import { createStore } from "../../store.ts";
import { usePart } from "../../use-part.ts";

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

const loadDialog = () => import("./uncaught-dialog.tsx").then((module) => module.UncaughtDialog);

export function GlobalErrorModal() {
  const shown = useSyncExternalStore(stacks.watch, stacks.get);
  const dialog = usePart(loadDialog, shown.length > 0);
  if (!dialog) return null;
  return dialog === "failed" ? <PlainErrors /> : createElement(dialog, { stacks: shown, onClose: close });
}

function PlainErrors() {
  const shown = useSyncExternalStore(stacks.watch, stacks.get);
  if (shown.length === 0) return null;
  return (
    <div role="alert" className="fixed inset-x-4 bottom-4 z-50 rounded-lg bg-danger-soft p-4 text-sm text-danger-text">
      {messages.uncaughtTitle} {messages.uncaughtText}{" "}
      <button type="button" className="underline" onClick={close}>
        Close
      </button>
    </div>
  );
}

function close(): void {
  stacks.set([]);
}
