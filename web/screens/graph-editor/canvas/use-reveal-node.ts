import { useEffect } from "react";

import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import type { Editor } from "../editor-context.tsx";

/** A line of the log leads to its node here, while the canvas is open. */
export function useRevealing({ ui, actions }: Pick<Editor, "ui" | "actions">): void {
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
