import { autocompletion, completionStatus, startCompletion } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { type EditorView, hoverTooltip } from "@codemirror/view";

import { completionSource } from "./completion.ts";
import type { LanguageHelp } from "./help.ts";
import { helpText } from "./help-text.ts";
import { navigation } from "./navigation.ts";
import { signatureHelp } from "./signature.ts";

/** Everything the editor does with a language server. */
export function languageHelp(help: LanguageHelp): Extension {
  return [
    autocompletion({ override: [completionSource(help)], icons: true, maxRenderedOptions: 120 }),
    hoverTooltip(
      async (view, at) => {
        if (!view.state.wordAt(at)) return null;
        const found = await help.hover(at);
        if (!found || found.text === "") return null;
        const end = Math.min(found.to, view.state.doc.length);
        return { pos: Math.min(found.from, end), end, above: true, create: () => ({ dom: helpText(found.text) }) };
      },
      { hoverTime: 350, hideOnChange: true },
    ),
    signatureHelp(help),
    navigation(help),
  ];
}

/** Completes a name that is being typed, as the next key would. */
export function offerCompletion(view: EditorView): void {
  const { main } = view.state.selection;
  const before = view.state.sliceDoc(main.head - 1, main.head);
  if (view.hasFocus && main.empty && /[\w.]/.test(before) && completionStatus(view.state) === null)
    startCompletion(view);
}
