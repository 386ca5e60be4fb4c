import type { Extension } from "@codemirror/state";
import { EditorView, keymap, showDialog } from "@codemirror/view";

import type { LanguageHelp } from "./help.ts";

const identifier = /^[^\d\W]\w*$/u;

/** F12 or Ctrl+click goes to the definition, F2 renames. */
export function navigation(help: LanguageHelp): Extension {
  async function goTo(view: EditorView, at: number): Promise<void> {
    const place = await help.definition(at);
    if (!place) return help.notify("No definition was found.");
    if (place.kind === "file") return help.show(place);
    const end = view.state.doc.length;
    const from = Math.min(place.from, end);
    const head = Math.min(place.to, end);
    view.dispatch({ selection: { anchor: from, head }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
  }

  async function rename(view: EditorView): Promise<void> {
    const at = view.state.selection.main.head;
    const word = view.state.wordAt(at);
    if (!word || view.state.readOnly) return;
    const was = view.state.sliceDoc(word.from, word.to);
    const dialog = showDialog(view, {
      label: `Rename ${was} to`,
      input: { name: "name", value: was, "aria-label": "New name" },
      submitLabel: "Rename",
      focus: true,
      top: true,
    });
    const form = await dialog.result;
    const entered = form ? new FormData(form).get("name") : was;
    const name = typeof entered === "string" ? entered.trim() : "";
    view.focus();
    if (name === was) return;
    if (!identifier.test(name)) return help.notify(`${name || "Nothing"} is not a name in Python.`);
    const { doc } = view.state;
    const edits = await help.rename(at, name);
    if (!edits) return help.notify(`${was} cannot be renamed here.`);
    // The text changed meanwhile, so the positions are no longer valid.
    if (!doc.eq(view.state.doc)) return help.notify("The code changed meanwhile. Try again.");
    view.dispatch({ changes: edits, userEvent: "input.rename" });
  }

  return [
    keymap.of([
      { key: "F12", run: (view) => (void goTo(view, view.state.selection.main.head), true) },
      { key: "F2", run: (view) => (void rename(view), true) },
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        if (event.button !== 0 || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return false;
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null || !view.state.wordAt(at)) return false;
        event.preventDefault();
        void goTo(view, at);
        return true;
      },
      keydown: (event, view) => markLinks(view, event.key === "Control" || event.key === "Meta"),
      keyup: (_event, view) => markLinks(view, false),
      blur: (_event, view) => markLinks(view, false),
    }),
  ];
}

function markLinks(view: EditorView, isOn: boolean): void {
  view.contentDOM.classList.toggle("cm-links", isOn);
}
