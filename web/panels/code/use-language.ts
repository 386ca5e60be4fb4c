import { Compartment, StateEffect } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { useEffect, useState } from "react";

import type { LanguageDiagnostic } from "@miranda/contract/schemas/code/language.ts";

import { logWarning } from "../../log.ts";
import { useRealtime } from "../../providers/realtime-provider.tsx";
import type { LanguageHelp } from "../../ui/code-editor/language/help.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { useIde } from "./ide-context.tsx";
import { createLanguageClient } from "./language-client.ts";
import type { SharedCode } from "./shared-code.ts";

/** Typing comes first: language help loads when the page is idle. */
const startAfter = 700;

const none: readonly LanguageDiagnostic[] = [];

/** Completion, hover help and checks for the visible tab. Returns the diagnostics of its code. */
export function useLanguage(
  code: SharedCode,
  view: EditorView | null,
  isActive: boolean,
): readonly LanguageDiagnostic[] {
  const { ide } = useIde();
  const realtime = useRealtime();
  const [diagnostics, setDiagnostics] = useState(none);

  useEffect(() => {
    if (!view || !isActive) return;
    const place = new Compartment();
    let client: ReturnType<typeof createLanguageClient> | undefined;
    let isOver = false;
    const start = async () => {
      const { languageHelp, offerCompletion } = await import("../../ui/code-editor/language/language.ts");
      if (isOver) return;
      client = createLanguageClient({
        code,
        graphId: ide.graphId,
        realtime,
        onDiagnostics: setDiagnostics,
        onState: (language) => ide.set({ language }),
      });
      const help = helpFrom(client, (peek) => ide.set({ peek }));
      view.dispatch({ effects: StateEffect.appendConfig.of(place.of(languageHelp(help))) });
      // Otherwise what was typed before the language help was loaded gets no completion until the next key.
      const hasTyped = (code.state().live?.undo.undoStack.length ?? 0) > 0;
      if (hasTyped) offerCompletion(view);
    };
    const timer = setTimeout(() => {
      start().catch((cause: unknown) => logWarning("The language help could not be loaded.", cause));
    }, startAfter);
    return () => {
      isOver = true;
      clearTimeout(timer);
      if (!client) return;
      client.close();
      view.dispatch({ effects: place.reconfigure([]) });
    };
  }, [code, view, isActive, ide, realtime]);
  return diagnostics;
}

function helpFrom({ ask }: ReturnType<typeof createLanguageClient>, show: LanguageHelp["show"]): LanguageHelp {
  return {
    complete: (at) => ask({ kind: "completion" }, at),
    describe: async (list, item) => (await ask({ kind: "description", list, item }, null))?.text ?? null,
    hover: (at) => ask({ kind: "hover" }, at),
    signature: (at) => ask({ kind: "signature" }, at),
    definition: async (at) => (await ask({ kind: "definition" }, at))?.place ?? null,
    rename: async (at, name) => (await ask({ kind: "rename", name }, at))?.edits ?? null,
    show,
    notify: (text) => toast.message(text),
  };
}
