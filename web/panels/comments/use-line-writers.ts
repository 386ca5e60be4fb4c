import { StateEffect } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { codeLinesQuery } from "../../api/comments/comments.ts";
import { relativeTime } from "../../format/relative-time.ts";
import { lineHover } from "../../ui/code-editor/line-hover.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import type { SharedCode } from "../code/shared-code.ts";
import { commitWords, lineCommit, writersOf } from "./line-writer.ts";

/** Says who edited a line last when the mouse is on its number. The first line asks for all lines of the node. */
export function useLineWriters(code: SharedCode, view: EditorView | null, node: Node | undefined): void {
  const client = useQueryClient();
  const now = useRef(node);
  useEffect(() => {
    now.current = node;
  });
  useEffect(() => {
    if (!view) return;
    const noteOf = async (line: number) => {
      const [text, source] = [code.text(), now.current?.source_code];
      if (text === undefined || source === undefined) return undefined;
      const lines = await client.fetchQuery(codeLinesQuery(code.metadataId, source)).catch(() => undefined);
      const commit = lines && lineCommit(lines, source, text, line);
      if (commit === undefined) return undefined;
      if (commit === null) return { title: "Not committed yet" };
      return {
        title: oneLine(`Last edited by ${writersOf(commit)}, ${relativeTime(commit.time)}`),
        detail: oneLine(commitWords(commit)),
      };
    };
    view.dispatch({ effects: StateEffect.appendConfig.of(lineHover(noteOf)) });
  }, [view, code, client]);
}
