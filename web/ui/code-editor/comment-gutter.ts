import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, gutter, GutterMarker } from "@codemirror/view";

interface LineComments {
  line: number;
  /** How many threads there are. */
  count: number;
}

/** Replaces all marks, from outside the editor. */
export const setLineComments = StateEffect.define<readonly LineComments[]>();

class Mark extends GutterMarker {
  readonly count: number;
  constructor(count: number) {
    super();
    this.count = count;
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Mark && other.count === this.count;
  }
  override toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = "cm-comment-mark";
    mark.dataset["testid"] = "line-comments";
    mark.textContent = String(this.count);
    mark.title = this.count === 1 ? "1 comment thread" : `${this.count} comment threads`;
    return mark;
  }
}

const marks = StateField.define<RangeSet<Mark>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLineComments)) continue;
      const { doc } = transaction.state;
      const ranges = effect.value
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map(({ line, count }) => new Mark(count).range(doc.line(line).from));
      next = RangeSet.of(ranges, true);
    }
    return next;
  },
});

/** Comments beside the lines. A click opens those of the line, or begins a new one. */
export function commentGutter(onLine: (line: number) => void): Extension {
  return [
    marks,
    gutter({
      class: "cm-comments",
      markers: (view) => view.state.field(marks),
      renderEmptyElements: true,
      domEventHandlers: {
        mousedown(view: EditorView, block: { from: number }, event: Event) {
          if (!(event instanceof MouseEvent) || event.button !== 0) return false;
          event.preventDefault();
          onLine(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
  ];
}
