import { useEffect } from "react";

import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import type { Editor } from "../editor-context.tsx";

/** Lets log lines bring their node into view while the canvas is open. */
export function useRevealNode({ ui, actions }: Pick<Editor, "ui" | "actions">): void {
  const { reveal } = useProcessor();
  useEffect(
    () =>
      reveal.offer((id) => {
        if (!actions.nodes()[id]) return;
        ui.select([id]);
        actions.fitSelection();
      }),
    [reveal, ui, actions],
  );
}
