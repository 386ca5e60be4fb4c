import "./code-editor.css";

import { history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "react";

import { editing, viewing } from "./extensions.ts";

interface CodeFieldProps {
  value: string;
  label: string;
  /** Without it the code can only be read. */
  onChange?: ((value: string) => void) | undefined;
  /** Some lines out of a file. They are not numbered, because the numbers would be wrong. */
  isPart?: boolean;
}

const withoutNumbers = EditorView.theme({
  ".cm-gutters": { display: "none" },
  ".cm-content": { padding: "4px 0" },
  ".cm-line": { padding: "0 16px" },
});

/** Code that belongs to this page alone: to read, or to edit. */
export function CodeField({ value, label, onChange, isPart = false }: CodeFieldProps) {
  const host = useRef<HTMLElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, onChange });
  const isEditable = onChange !== undefined;
  useLayoutEffect(() => {
    latest.current = { value, onChange };
  });
  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const named = EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" });
    const fixed = [viewing, EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.lineWrapping];
    const own = [
      history(),
      keymap.of(historyKeymap),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
      }),
    ];
    const made = new EditorView({
      parent,
      doc: latest.current.value,
      extensions: [named, isPart ? withoutNumbers : [], isEditable ? [editing(latest.current.value), own] : fixed],
    });
    view.current = made;
    return () => made.destroy();
  }, [isEditable, isPart, label]);
  // What was typed is already there; another text replaces it.
  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  return <section ref={host} aria-label={label} className="code-host" data-testid="code-field" />;
}
