import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, gutter, GutterMarker, keymap, lineNumbers } from "@codemirror/view";

export interface GutterBreakpoint {
  line: number;
  isHit: boolean;
  condition?: string | undefined;
  log?: string | undefined;
}

/** Replaces all breakpoints, from outside the editor. */
export const setBreakpoints = StateEffect.define<readonly GutterBreakpoint[]>();

type Extras = Pick<GutterBreakpoint, "condition" | "log">;

class Mark extends GutterMarker {
  override readonly elementClass: string;
  readonly isHit: boolean;
  readonly extras: Extras;
  constructor({ isHit, condition, log }: Omit<GutterBreakpoint, "line">) {
    super();
    this.isHit = isHit;
    this.extras = { condition, log };
    const kind = log ? "cm-breakpoint-log" : condition ? "cm-breakpoint-condition" : "";
    this.elementClass = `cm-breakpoint ${kind} ${isHit ? "cm-breakpoint-hit" : ""}`.trim();
  }
  override eq(other: GutterMarker): boolean {
    return (
      other instanceof Mark &&
      other.isHit === this.isHit &&
      other.extras.condition === this.extras.condition &&
      other.extras.log === this.extras.log
    );
  }
}

const marks = StateField.define<RangeSet<Mark>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setBreakpoints)) continue;
      const { doc } = transaction.state;
      const ranges = effect.value
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map((point) => new Mark(point).range(doc.line(point.line).from));
      next = RangeSet.of(ranges, true);
    }
    return next;
  },
});

function pointsOf(view: EditorView): ({ line: number } & Extras)[] {
  const points = new Map<number, Extras>();
  const { doc } = view.state;
  for (const cursor = view.state.field(marks).iter(); cursor.value; cursor.next())
    points.set(doc.lineAt(cursor.from).number, cursor.value.extras);
  return [...points].map(([line, extras]) => ({ line, ...extras }));
}

interface Breakpoints {
  onToggle: (line: number) => void;
  /** Called by a right click, Shift+click or Shift+F9, to edit the condition. */
  onEdit: (line: number) => void;
  /** Called when edits have moved breakpoints to other lines. */
  onMoved: (points: readonly ({ line: number } & Extras)[]) => void;
}

/**
 * Breakpoints beside the line numbers. A click on either, or F9, sets and removes them, and they move with their code.
 */
export function breakpointGutter({ onToggle, onEdit, onMoved }: Breakpoints): Extension {
  const lineOf = (view: EditorView, at: number) => view.state.doc.lineAt(at).number;
  const clicks = {
    mousedown(view: EditorView, block: { from: number }, event: Event) {
      // A right click, or Ctrl+click on a Mac, has its own event.
      if (!(event instanceof MouseEvent) || event.button !== 0 || event.ctrlKey) return false;
      event.preventDefault();
      (event.shiftKey ? onEdit : onToggle)(lineOf(view, block.from));
      return true;
    },
    contextmenu(view: EditorView, block: { from: number }, event: Event) {
      event.preventDefault();
      onEdit(lineOf(view, block.from));
      return true;
    },
  };
  const run = (act: (line: number) => void) => (view: EditorView) => {
    act(lineOf(view, view.state.selection.main.head));
    return true;
  };
  return [
    marks,
    gutter({
      class: "cm-breakpoints",
      markers: (view) => view.state.field(marks),
      renderEmptyElements: true,
      domEventHandlers: clicks,
    }),
    lineNumbers({ domEventHandlers: clicks }),
    keymap.of([
      { key: "Shift-F9", run: run(onEdit) },
      { key: "F9", run: run(onToggle) },
    ]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.state.doc.lines === update.startState.doc.lines) return;
      if (update.state.field(marks).size > 0) onMoved(pointsOf(update.view));
    }),
  ];
}
