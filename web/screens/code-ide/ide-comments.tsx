import { useEffect, useReducer, useSyncExternalStore } from "react";

import { useIde, useIdeView, useNode } from "../../panels/code/ide-context.tsx";
import type { SharedCode } from "../../panels/code/shared-code.ts";
import { CommentsDock } from "../../panels/comments/comments-dock.tsx";
import type { LineNow } from "../../panels/comments/comment-words.ts";
import { findLine } from "../../panels/comments/line-anchor.ts";
import { isSourceLineGone } from "../../panels/comments/source-line.ts";
import { linePlace } from "../../panels/comments/use-line-comments.ts";
import { useComments } from "../../providers/comments/comments-provider.tsx";
import { useSession } from "../../providers/object-provider.tsx";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";

const nothing = () => () => undefined;

export function useCommentsOpen(): boolean {
  const store = useComments()?.store;
  return useSyncExternalStore(store?.watch ?? nothing, () => store?.get().isOpen === true);
}

/** The comments beside the code. A new one is about the line of the cursor. */
export function IdeComments({ active }: { active: number | undefined }) {
  const isOpen = useCommentsOpen();
  return isOpen ? <OpenComments active={active} /> : null;
}

const redrawAfter = 300;

/** Draws again soon after the code changed: the line of a thread may be gone, or back. */
function useRedrawOnChange(code: SharedCode | undefined): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const text = useSyncExternalStore(code?.watch ?? nothing, () => code?.state().live?.text);
  useEffect(() => {
    if (!text) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(redraw, redrawAfter);
    };
    text.observe(soon);
    return () => {
      clearTimeout(timer);
      text.unobserve(soon);
    };
  }, [text]);
}

function OpenComments({ active }: { active: number | undefined }) {
  const { ide, documents } = useIde();
  const { unsaved } = useProcessor();
  const { store } = useSession();
  const node = useNode(active);
  const line = useIdeView((view) => view.cursor?.line);
  useRedrawOnChange(active === undefined || !node ? undefined : documents.get(active));
  const nodes = () => store.view().resolved.nodes;
  const here =
    active === undefined || !node
      ? undefined
      : line === undefined
        ? { kind: "node" as const, metadata_id: active, name: node.name }
        : linePlace(documents.get(active), node.name, line);
  const lineNow: LineNow = (target) => {
    const id = target.metadata_id ?? -1;
    const code = ide.get().tabs.includes(id) ? documents.get(id) : undefined;
    const live = code?.state().live;
    if (live) {
      const found = findLine(target, live.text, code?.epoch() ?? null);
      return found === "gone" ? found : found.line;
    }
    // The line may be in unsaved code, which is not loaded before its tab is opened.
    return !unsaved.of(id) && isSourceLineGone(target, nodes()[id]?.source_code) ? "gone" : undefined;
  };
  return (
    <CommentsDock
      here={here}
      hint="Open a node to comment on a line of its code."
      nodeName={(id) => nodes()[id]?.name}
      lineNow={lineNow}
    />
  );
}
