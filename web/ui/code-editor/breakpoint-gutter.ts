import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, gutter, GutterMarker, keymap } from "@codemirror/view";

export interface GutterBreakpoint {
  line: number;
  isHit: boolean;
}

/** What the person has set, from outside. */
export const setBreakpoints = StateEffect.define<readonly GutterBreakpoint[]>();

class Mark extends GutterMarker {
  override readonly elementClass: string;
  readonly isHit: boolean;
  constructor(isHit: boolean) {
    super();
    this.isHit = isHit;
    this.elementClass = isHit ? "cm-breakpoint cm-breakpoint-hit" : "cm-breakpoint";
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Mark && other.isHit === this.isHit;
  }
}

const plain = new Mark(false);
const hit = new Mark(true);

const marks = StateField.define<RangeSet<Mark>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setBreakpoints)) continue;
      const { doc } = transaction.state;
      const ranges = effect.value
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map(({ line, isHit }) => (isHit ? hit : plain).range(doc.line(line).from));
      next = RangeSet.of(ranges, true);
    }
    return next;
  },
});

function linesOf(view: EditorView): number[] {
  const lines = new Set<number>();
  const { doc } = view.state;
  for (const cursor = view.state.field(marks).iter(); cursor.value; cursor.next())
    lines.add(doc.lineAt(cursor.from).number);
  return [...lines];
}

interface Breakpoints {
  onToggle: (line: number) => void;
  /** Lines were put in or taken out above them. */
  onMoved: (lines: readonly number[]) => void;
}

/** Breakpoints beside the line numbers: a click or F9 sets and takes away, and they stay at their code while it is edited. */
export function breakpointGutter({ onToggle, onMoved }: Breakpoints): Extension {
  return [
    marks,
    gutter({
      class: "cm-breakpoints",
      markers: (view) => view.state.field(marks),
      renderEmptyElements: true,
      domEventHandlers: {
        mousedown(view, block) {
          onToggle(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
    keymap.of([
      {
        key: "F9",
        run(view) {
          onToggle(view.state.doc.lineAt(view.state.selection.main.head).number);
          return true;
        },
      },
    ]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.state.doc.lines === update.startState.doc.lines) return;
      if (update.state.field(marks).size > 0) onMoved(linesOf(update.view));
    }),
  ];
}
