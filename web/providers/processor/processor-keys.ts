import { canCreate, type WorkflowState } from "@miranda/contract/processor.ts";

import type { ProcessorActions } from "./processor-session.ts";

type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

const nothing = () => undefined;

/**
 * What VS Code's key would do here. Nothing at all for a key that is not one of them; for one that is, but has nothing to
 * do now, something that does nothing: full screen between two steps would be a surprise.
 */
export function actionOfKey(
  { key, shiftKey, ctrlKey, metaKey, altKey }: Pressed,
  state: WorkflowState | undefined,
  actions: ProcessorActions,
  isDebugging: boolean,
): (() => Promise<void> | undefined) | undefined {
  const mod = ctrlKey || metaKey;
  if (altKey) return undefined;
  const isPaused = state === "RESUMEREADY";
  const isBusy = isPaused || state === "RUNNING";
  if (key === "F5") {
    if (mod && shiftKey) return state === undefined ? nothing : actions.restart;
    if (shiftKey) return isBusy ? actions.interrupt : nothing;
    if (isPaused) return actions.resume;
    const mayRun = state === "READY" || canCreate(state);
    return mayRun ? () => actions.run({ mode: "changed" }, isDebugging && !mod) : nothing;
  }
  if (mod || !isBusy) return undefined;
  if (key === "F6") return isPaused ? nothing : actions.pause;
  if (key === "F10") return isPaused ? () => actions.step("step-over") : nothing;
  if (key === "F11") return isPaused ? () => actions.step(shiftKey ? "step-out" : "step-in") : nothing;
  return undefined;
}

/** Whether keys belong to an open dialog. In a text field they are ours: nobody types F5, and the page would reload. */
export function isInDialog(): boolean {
  return document.querySelector("[role=dialog][data-state=open]") !== null;
}
