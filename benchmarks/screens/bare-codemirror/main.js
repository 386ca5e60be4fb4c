import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

// A minimal Python editor: no server, no other people, no file list.

const view = new EditorView({
  doc: await (await fetch("code.py")).text(),
  parent: document.body,
  extensions: [
    lineNumbers(),
    history(),
    python(),
    syntaxHighlighting(defaultHighlightStyle),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ],
});
view.focus();
