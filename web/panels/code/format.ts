import { indentUnit } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";

import { formatCode } from "../../api/code.ts";
import { messageOf } from "../../message-of.ts";
import { toast } from "../../ui/overlay/toast.ts";

/** Formats the code in many small changes, so that cursors and breakpoints stay in place. */
export async function format(view: EditorView, metadataId: number): Promise<void> {
  if (view.state.readOnly) return;
  const { doc } = view.state;
  const before = doc.toString();
  const unit = view.state.facet(indentUnit);
  try {
    const [{ diff }, { source_code }] = await Promise.all([
      import("@codemirror/merge"),
      formatCode(metadataId, before, unit === "\t" ? 0 : unit.length),
    ]);
    if (!doc.eq(view.state.doc)) return toast.message("The code changed meanwhile. Try again.");
    const changes = diff(before, source_code, { scanLimit: 2_000, timeout: 1_000 }).map(
      ({ fromA, toA, fromB, toB }) => ({
        from: fromA,
        to: toA,
        insert: source_code.slice(fromB, toB),
      }),
    );
    if (changes.length > 0) view.dispatch({ changes, userEvent: "input.format", scrollIntoView: true });
  } catch (cause) {
    toast.error(messageOf(cause));
  }
}
