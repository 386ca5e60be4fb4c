import { EditorView } from "@codemirror/view";
import { useEffect, useMemo, useSyncExternalStore } from "react";

import type { ViewData } from "@miranda/contract/schemas/broadcasts.ts";

import type { Ide } from "../../panels/code/ide-state.ts";
import { useFollow, useFollowedScreen } from "../../providers/follow/follow-provider.tsx";

function firstLine(view: EditorView): number {
  const { top } = view.scrollDOM.getBoundingClientRect();
  return view.state.doc.lineAt(view.lineBlockAtHeight(top - view.documentTop).from).number;
}

/** Shows followers which code this person looks at, and takes on the view of whom they follow. */
export function useFollowedCode(ide: Ide, active: number | undefined): void {
  const follow = useFollow();
  const view = useSyncExternalStore(ide.watch, () => (active === undefined ? null : (ide.views.get(active) ?? null)));
  const screen = useMemo(
    () => ({
      read: (): ViewData => ({
        ...{ screen: "code", node: active ?? null, selected: [] },
        ...(view && { line: firstLine(view) }),
      }),
      show: ({ screen: there, node, line }: ViewData): void => {
        if (there !== "code" || node !== (active ?? null) || line === undefined || !view) return;
        const { doc } = view.state;
        const at = doc.line(Math.max(1, Math.min(line, doc.lines))).from;
        view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "start" }) });
      },
    }),
    [active, view],
  );
  useFollowedScreen(screen);
  useEffect(() => {
    if (!view || !follow) return;
    view.scrollDOM.addEventListener("scroll", follow.changed);
    return () => view.scrollDOM.removeEventListener("scroll", follow.changed);
  }, [view, follow]);
}
