import { useEffect } from "react";

import { errors } from "@miranda/contract/errors.ts";

import { rememberLog } from "../../panels/logs/log-on-run.ts";
import { toast } from "../../ui/overlay/toast.ts";
import type { IdeContextValue } from "../../panels/code/ide-context.tsx";
import { format } from "../../panels/code/format.ts";

/** Keys that work wherever the focus is. The editor handles the keys of the text itself. */
export function useIdeKeys(
  { ide, open, closeTab }: IdeContextValue,
  active: number | undefined,
  mayWrite: boolean,
  isHistory: boolean,
): void {
  useEffect(() => {
    function commit(): void {
      if (active === undefined || isHistory || ide.get().dialog !== null) return;
      if (!mayWrite) toast.message(errors.graph_read_only);
      else if (ide.get().unsaved.get(active) === true) ide.set({ dialog: "commit" });
      else toast.message(errors.nothing_to_commit);
    }

    function step(by: number): void {
      const { tabs } = ide.get();
      const next = tabs[(tabs.indexOf(active ?? -1) + by + tabs.length) % tabs.length];
      if (next !== undefined) open(next);
    }

    function actionFor(event: KeyboardEvent): (() => void) | undefined {
      const { code, altKey, shiftKey } = event;
      const mod = event.ctrlKey || event.metaKey;
      const view = active === undefined ? undefined : ide.views.get(active);
      if (mod && !altKey && !shiftKey && code === "KeyS") return commit;
      if (mod && !altKey && !shiftKey && code === "KeyJ") return () => rememberLog(ide.toggleLogs());
      if (mod && !altKey && !shiftKey && code === "KeyP") return () => ide.set({ dialog: "open" });
      if (mod && !altKey && shiftKey && code === "KeyO") return () => ide.set({ dialog: "symbols" });
      if (mod && !altKey && shiftKey && code === "KeyF") return () => ide.set({ dialog: "search" });
      if (mod && !altKey && shiftKey && code === "Slash") return () => ide.set({ dialog: "shortcuts" });
      if (mod || !altKey) return undefined;
      if (shiftKey)
        return code === "KeyF" && view && active !== undefined ? () => void format(view, active) : undefined;
      if (code === "KeyZ") return () => ide.setWrap(!ide.get().wrap);
      if (code === "PageDown") return () => step(1);
      if (code === "PageUp") return () => step(-1);
      if (code === "KeyW" && active !== undefined) return () => closeTab(active);
      return undefined;
    }

    function press(event: KeyboardEvent): void {
      const action = actionFor(event);
      if (!action) return;
      // Override the browser's shortcuts for saving and printing the page and for downloads.
      event.preventDefault();
      action();
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [ide, open, closeTab, active, mayWrite, isHistory]);
}
