import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, lineNumbers, showTooltip, type Tooltip } from "@codemirror/view";

/** What is said about a line. */
export interface LineNote {
  title: string;
  detail?: string | undefined;
}

/** As long as other tooltips wait: a mouse on its way elsewhere asks for nothing. */
const hoverAfter = 300;

const setNote = StateEffect.define<{ line: number; note: LineNote } | null>();

const shownNote = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, { effects, docChanged, state }) {
    for (const effect of effects)
      if (effect.is(setNote)) return effect.value && tooltipOf(state, effect.value.line, effect.value.note);
    return docChanged ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows a note while the mouse is on the number of a line. */
export function lineHover(noteOf: (line: number) => Promise<LineNote | undefined>): Extension {
  let hovered: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function leave(view: EditorView): void {
    clearTimeout(timer);
    hovered = undefined;
    if (view.state.field(shownNote)) view.dispatch({ effects: setNote.of(null) });
  }

  async function show(view: EditorView, line: number): Promise<void> {
    const note = await noteOf(line);
    const isHere = hovered === line && view.dom.isConnected && line <= view.state.doc.lines;
    if (note && isHere) view.dispatch({ effects: setNote.of({ line, note }) });
  }

  return [
    shownNote,
    lineNumbers({
      domEventHandlers: {
        mousemove(view, { from }) {
          const line = view.state.doc.lineAt(from).number;
          if (line === hovered) return false;
          leave(view);
          hovered = line;
          timer = setTimeout(() => void show(view, line), hoverAfter);
          return false;
        },
        mouseleave(view) {
          leave(view);
          return false;
        },
      },
    }),
  ];
}

function tooltipOf(state: EditorState, line: number, { title, detail }: LineNote): Tooltip {
  return {
    pos: state.doc.line(line).from,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-line-note";
      dom.dataset["testid"] = "line-note";
      dom.role = "tooltip";
      dom.append(textOf("div", title));
      if (detail !== undefined) dom.append(textOf("small", detail));
      return { dom };
    },
  };
}

function textOf(tag: "div" | "small", text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
