import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { copyLineDown, copyLineUp, defaultKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { gotoLine, highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";

import { editorTheme } from "./theme.ts";
import { indentOf } from "./indentation.ts";

/** For every view of code, editable or not. */
export const viewing: Extension = [
  // Shared text has one line ending; a carriage return is an ordinary character and must not split lines here.
  EditorState.lineSeparator.of("\n"),
  lineNumbers(),
  highlightSpecialChars(),
  EditorState.allowMultipleSelections.of(true),
  drawSelection(),
  python(),
  editorTheme,
  EditorView.contentAttributes.of({ "aria-label": "Code", spellcheck: "false", autocorrect: "off" }),
];

/** An editor for one file. Extensions that depend on the shared document, such as undo, are added to it. */
export function editing(text: string): Extension {
  return [
    viewing,
    highlightActiveLineGutter(),
    highlightActiveLine(),
    foldGutter({ openText: "⌄", closedText: "›" }),
    EditorView.contentAttributes.of({ tabindex: "0" }),
    dropCursor(),
    indentOnInput(),
    indentUnit.of(indentOf(text)),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    // As in VS Code: Alt+click adds a cursor, Shift+Alt+drag selects a column.
    EditorView.clickAddsSelectionRange.of((event) => event.altKey && !event.shiftKey),
    rectangularSelection({ eventFilter: (event) => event.altKey && event.shiftKey && event.button === 0 }),
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter({ markerFilter: (found) => found.filter(({ severity }) => severity !== "hint") }),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll(/\r\n?/g, "\n")),
    keymap.of([
      { key: "Mod-h", run: openSearchPanel },
      { key: "Ctrl-g", run: gotoLine },
      { key: "Shift-Alt-ArrowDown", run: copyLineDown },
      { key: "Shift-Alt-ArrowUp", run: copyLineUp },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ];
}

/** Refuses a change that would make the text longer than this, and reports it. */
export function lengthLimit(maxLength: number, onRefused: () => void): Extension {
  return EditorState.changeFilter.of((transaction) => {
    if (!transaction.docChanged || !transaction.isUserEvent("input")) return true;
    const isTooLong =
      transaction.newDoc.length > maxLength && transaction.newDoc.length > transaction.startState.doc.length;
    if (isTooLong) onRefused();
    return !isTooLong;
  });
}
