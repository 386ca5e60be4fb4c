import { StateEffect } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";

import type { CommentThread } from "@miranda/contract/schemas/comments/comments.ts";

import { useLineThreads, useThread } from "../../api/comments/comments.ts";
import { useComments } from "../../providers/comments/comments-provider.tsx";
import { commentGutter, setLineComments } from "../../ui/code-editor/comment-gutter.ts";
import { showLine } from "../../ui/code-editor/line-mark.ts";
import { useSharedCode } from "../code/ide-context.tsx";
import type { SharedCode } from "../code/shared-code.ts";
import { anchorOf, findLine } from "./line-anchor.ts";
import { useOpenThreadId } from "./use-open-thread-id.ts";

const markAfter = 300;
const none: readonly CommentThread[] = [];

/** Shows the comments of a node beside the lines of its code, and brings the line of an opened thread into view. */
export function useLineComments(code: SharedCode, view: EditorView | null, name: string, isActive: boolean): void {
  const comments = useComments();
  const { metadataId } = code;
  const { live } = useSharedCode(code);
  const { data: threads = none } = useLineThreads(
    comments?.graphId ?? "",
    metadataId,
    comments !== undefined && isActive,
  );
  const now = useRef({ threads, comments, name });
  useEffect(() => {
    now.current = { threads, comments, name };
  });
  const hasComments = comments !== undefined;

  useEffect(() => {
    if (!view || !live || !hasComments) return;
    const onLine = (line: number): void => {
      const { threads: all, comments: open, name: nodeName } = now.current;
      if (!open) return;
      const here = all.filter(({ target }) => {
        const found = findLine(target, live.text, code.epoch());
        return found !== "gone" && found.line === line;
      });
      const [first] = here;
      if (first && here.length === 1) open.store.openThread(first.id);
      else if (first) open.store.openNode(metadataId);
      else if (open.mayComment) open.store.startComment(linePlace(code, nodeName, line));
    };
    view.dispatch({ effects: StateEffect.appendConfig.of(commentGutter(onLine)) });
  }, [view, live, hasComments, code, metadataId]);

  useEffect(() => {
    if (!view || !live || !hasComments) return;
    const mark = (): void => {
      const counts = new Map<number, number>();
      for (const { target } of threads) {
        const found = findLine(target, live.text, code.epoch());
        if (found !== "gone") counts.set(found.line, (counts.get(found.line) ?? 0) + 1);
      }
      view.dispatch({ effects: setLineComments.of([...counts].map(([line, count]) => ({ line, count }))) });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(mark, markAfter);
    };
    mark();
    live.text.observe(later);
    return () => {
      clearTimeout(timer);
      live.text.unobserve(later);
    };
  }, [view, live, hasComments, threads, code]);

  const threadId = useOpenThreadId();
  const { data: opened } = useThread(threadId ?? "", threadId !== null && isActive);
  const shown = useRef("");
  useEffect(() => {
    if (threadId === null) shown.current = "";
    if (!view || !live || !isActive || opened?.id !== threadId || shown.current === opened.id) return;
    shown.current = opened.id;
    const { target } = opened;
    if (target.kind !== "line" || target.metadata_id !== metadataId) return;
    const found = findLine(target, live.text, code.epoch());
    if (found !== "gone") showLine(view, found.line, true);
  }, [view, live, isActive, opened, threadId, metadataId, code]);
}

/** A line of a node's code, as a new thread keeps it. */
export function linePlace(code: SharedCode, name: string, line: number) {
  const { live } = code.state();
  const epoch = code.epoch() ?? undefined;
  return {
    ...{ kind: "line" as const, metadata_id: code.metadataId, name, line },
    ...(live && epoch !== undefined ? { ...anchorOf(live.text, line), epoch } : { line_text: "" }),
  };
}
