import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { globalCompletion, localCompletionSource } from "@codemirror/lang-python";
import { syntaxTree } from "@codemirror/language";
import type { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

import type { HelpCompletion, LanguageHelp, TextEdit } from "./help.ts";
import { helpText } from "./help-text.ts";

/** Completions of the language server, or those from the text alone when there is no server. */
export function completionSource(help: LanguageHelp): CompletionSource {
  return async (context) => {
    const word = context.matchBefore(/\w*/) ?? { from: context.pos, to: context.pos };
    const before = context.state.sliceDoc(Math.max(0, word.from - 1), word.from);
    if (!context.explicit && word.from === word.to && before !== ".") return null;
    if (/^\d/.test(context.state.sliceDoc(word.from, word.to)) || isProse(context)) return null;
    const found = await help.complete(context.pos);
    if (context.aborted) return null;
    if (!found) return localCompletionSource(context) ?? globalCompletion(context);
    const { doc } = context.state;
    return {
      from: word.from,
      options: found.items.map((item, at) => toOption(item, doc, () => help.describe(found.list, at))),
      ...(found.isWhole && { validFor: /^\w*$/ }),
    } satisfies CompletionResult;
  };
}

function isProse({ state, pos, explicit }: CompletionContext): boolean {
  const { name } = syntaxTree(state).resolveInner(pos, -1);
  return name === "Comment" || (!explicit && name === "String");
}

function toOption(
  { label, kind, sort, source, edit, more }: HelpCompletion,
  doc: Text,
  describe: () => Promise<string | null>,
): Completion {
  const insert = edit?.insert ?? label;
  const apply = (view: EditorView, completion: Completion, word: number, to: number) => {
    const from = edit ? Math.min(edit.from, word) : word;
    const others = (more ?? []).filter((one) => isSame(doc, view.state.doc, one));
    const changes = view.state.changes([{ from, to, insert }, ...others]);
    view.dispatch({
      changes,
      selection: { anchor: changes.mapPos(to, 1) },
      scrollIntoView: true,
      userEvent: "input.complete",
      annotations: pickedCompletion.of(completion),
    });
  };
  return {
    label,
    type: kind,
    sortText: sort,
    // Private names and names that need an import come last.
    boost: label.startsWith("__") ? -60 : label.startsWith("_") ? -40 : more ? -20 : 0,
    ...(source !== undefined && { detail: source }),
    info: async () => {
      const text = await describe();
      return text === null ? null : { dom: helpText(text) };
    },
    ...((edit ?? more) && { apply }),
  };
}

/** Whether the text up to the edit is unchanged: other people may have typed above. */
function isSame(before: Text, now: Text, { to }: TextEdit): boolean {
  return to <= now.length && before.slice(0, to).eq(now.slice(0, to));
}
