import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, keymap, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate } from "@codemirror/view";

import type { HelpSignature, LanguageHelp } from "./help.ts";
import { element, helpText } from "./help-text.ts";

interface Shown {
  signatures: HelpSignature[];
  active: number;
  at: number;
}

const setShown = StateEffect.define<Shown | null>();

const shownField = StateField.define<Shown | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setShown)) return effect.value;
    return shown && { ...shown, at: transaction.changes.mapPos(shown.at) };
  },
  provide: (field) => showTooltip.from(field, (shown) => shown && tooltipFor(shown)),
});

function tooltipFor({ signatures, active, at }: Shown): Tooltip {
  return { pos: at, above: true, create: () => ({ dom: draw(signatures, active) }) };
}

function draw(signatures: HelpSignature[], active: number): HTMLElement {
  const host = element("div", "cm-signature");
  const signature = signatures[active] ?? signatures[0];
  if (!signature) return host;
  const [from, to] = signature.parameters[signature.active] ?? [0, 0];
  const line = element("div", "cm-signature-label");
  line.append(
    signature.label.slice(0, from),
    element("b", "", signature.label.slice(from, to)),
    signature.label.slice(to),
  );
  host.append(line);
  if (signatures.length > 1) host.append(element("div", "cm-signature-count", `${active + 1} of ${signatures.length}`));
  if (signature.text) host.append(helpText(signature.text.split("\n\n")[0] ?? ""));
  return host;
}

const askAfter = 60;

/** The parameters of the call at the cursor: while the person types, and on request. */
export function signatureHelp(help: LanguageHelp): Extension {
  const watcher = ViewPlugin.fromClass(
    class {
      timer: ReturnType<typeof setTimeout> | undefined;
      number = 0;

      update(update: ViewUpdate): void {
        const isShown = update.state.field(shownField) !== null;
        if (isShown ? update.docChanged || update.selectionSet : opensCall(update)) this.askSoon(update.view);
        if (isShown && update.focusChanged && !update.view.hasFocus) this.hideSoon(update.view);
      }

      askSoon(view: EditorView): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.ask(view), askAfter);
      }

      hideSoon(view: EditorView): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => show(view, null));
      }

      async ask(view: EditorView): Promise<void> {
        const request = ++this.number;
        const at = view.state.selection.main.head;
        const found = await help.signature(at).catch(() => null);
        if (request !== this.number || view.state.selection.main.head !== at) return;
        show(view, found && { ...found, at });
      }

      destroy(): void {
        clearTimeout(this.timer);
        this.number += 1;
      }
    },
  );
  return [
    shownField,
    watcher,
    Prec.high(
      keymap.of([
        {
          key: "Mod-Shift-Space",
          run: (view) => {
            view.plugin(watcher)?.askSoon(view);
            return true;
          },
        },
        {
          key: "Escape",
          run: (view) => {
            if (view.state.field(shownField) === null) return false;
            show(view, null);
            return true;
          },
        },
      ]),
    ),
  ];
}

function show(view: EditorView, shown: Shown | null): void {
  if (shown !== null || isShown(view.state)) view.dispatch({ effects: setShown.of(shown) });
}

function isShown(state: EditorState): boolean {
  return state.field(shownField, false) != null;
}

function opensCall(update: ViewUpdate): boolean {
  if (!update.docChanged || !update.transactions.some((one) => one.isUserEvent("input"))) return false;
  const at = update.state.selection.main.head;
  return /[(,]\s?$/.test(update.state.sliceDoc(Math.max(0, at - 2), at));
}
