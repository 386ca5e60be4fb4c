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

/** What every view of code has, whether it can be changed or not. */
export const viewing: Extension = [
  // Shared text knows one line end; a carriage return is a character like others and must not split lines here.
  EditorState.lineSeparator.of("\n"),
  lineNumbers(),
  highlightSpecialChars(),
  EditorState.allowMultipleSelections.of(true),
  drawSelection(),
  python(),
  editorTheme,
  EditorView.contentAttributes.of({ "aria-label": "Code", spellcheck: "false", autocorrect: "off" }),
];

/** An editor for one file. What the file shares with others, such as undo, comes with it. */
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
    // As in VS Code: a click with Alt adds a cursor, a drag with Shift and Alt selects a column.
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

/** Refuses a change that would make the text longer than this, and says so. */
export function lengthLimit(most: number, onRefused: () => void): Extension {
  return EditorState.changeFilter.of((transaction) => {
    if (!transaction.docChanged || !transaction.isUserEvent("input")) return true;
    const isTooLong = transaction.newDoc.length > most && transaction.newDoc.length > transaction.startState.doc.length;
    if (isTooLong) onRefused();
    return !isTooLong;
  });
}
