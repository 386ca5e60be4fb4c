import { useEffect } from "react";

import { isInDialog } from "../../../providers/processor/processor-keys.ts";
import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import type { Editor } from "../editor-context.tsx";
import { firstRunLine } from "../cards/first-line.ts";

/** F9 on a selected node sets or removes a breakpoint at the start of its run method. */
export function useCanvasBreakpoints({ ui, actions }: Pick<Editor, "ui" | "actions">): void {
  const { toggleBreakpoint } = useProcessor();
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key !== "F9" || ctrlKey || metaKey || altKey || shiftKey || event.repeat) return;
      if (event.defaultPrevented || isInDialog() || !actions.mayWrite()) return;
      const { selected } = ui.get();
      const [only] = selected;
      const node = selected.size === 1 ? actions.nodes()[only ?? -1] : undefined;
      const line = node && firstRunLine(node.source_code);
      if (!node || line === undefined) return;
      event.preventDefault();
      toggleBreakpoint(node.metadata_id, line);
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [ui, actions, toggleBreakpoint]);
}
