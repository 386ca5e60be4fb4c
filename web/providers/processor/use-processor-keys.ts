import { useEffect } from "react";

import { useGraph } from "../object-provider.tsx";
import { actionOfKey, isInDialog } from "./processor-keys.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import type { DebugMode } from "./debug-mode.ts";
import type { ProcessorActions } from "./processor-session.ts";
import type { ProcessorStore } from "./processor-store.ts";

interface Keyed {
  store: ProcessorStore;
  actions: ProcessorActions;
  debugMode: DebugMode;
}

/** F5, F6, F10 and F11 as in VS Code, wherever the processor can be seen. Those who may only read keep the browser's own. */
export function useProcessorKeys({ store, actions, debugMode }: Keyed): void {
  const mayRun = useGraph((view) => view.loaded && !view.viewOnly);
  useEffect(() => {
    if (!mayRun) return;
    function press(event: KeyboardEvent): void {
      if (event.defaultPrevented || isInDialog()) return;
      const { shown, waitingOnTag } = store.get();
      const action = actionOfKey(event, waitingOnTag === null ? shown : "STARTING", actions, debugMode.isOn());
      if (!action) return;
      event.preventDefault();
      if (event.repeat) return;
      const done = action();
      if (done) toastFailure(done);
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [mayRun, store, actions, debugMode]);
}
