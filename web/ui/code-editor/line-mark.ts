import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

export interface LineMark {
  line: number;
  kind: "running" | "error";
}

/** Marks the line where a program is paused or has failed, or none. */
export const setLineMark = StateEffect.define<LineMark | null>();

export const lineMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, transaction) {
    let next = marked.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLineMark)) continue;
      const { doc } = transaction.state;
      const { value } = effect;
      const isInText = value && value.line >= 1 && value.line <= doc.lines;
      next = isInText
        ? Decoration.set(Decoration.line({ class: `cm-${value.kind}-line` }).range(doc.line(value.line).from))
        : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Scrolls to a line, and puts the cursor there when asked. */
export function showLine(view: EditorView, line: number, withCursor = false): void {
  const { doc } = view.state;
  const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  view.dispatch({
    ...(withCursor && { selection: { anchor: from } }),
    effects: EditorView.scrollIntoView(from, { y: "center" }),
  });
}
