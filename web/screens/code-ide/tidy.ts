import type { EditorView } from "@codemirror/view";

import { replacement } from "@miranda/contract/replacement.ts";

import { tidyWhitespace } from "../../ui/code-editor/whitespace.ts";

/** Takes away what no eye sees: spaces at line ends, tabs among spaces, missing and many last newlines. */
export function tidy(view: EditorView): boolean {
  if (view.state.readOnly) return false;
  const before = view.state.doc.toString();
  const change = replacement(before, tidyWhitespace(before));
  if (!change) return true;
  const { from, remove, insert } = change;
  view.dispatch({ changes: { from, to: from + remove, insert }, userEvent: "input.tidy", scrollIntoView: true });
  return true;
}
