import { useMemo } from "react";

import { codeNodes, oneLineEnd } from "../../panels/code/code-text.ts";
import { useIde, useIdeView } from "../../panels/code/ide-context.tsx";
import { FindDialog, type FindKind } from "../../panels/find-code/find-dialogs.tsx";
import type { CodeFile } from "../../panels/find-code/search-code.ts";
import { useGraph } from "../../providers/object-provider.tsx";

const kinds: readonly string[] = ["open", "symbols", "search"] satisfies FindKind[];
const isFind = (dialog: string | null): dialog is FindKind => dialog !== null && kinds.includes(dialog);

/** Finds nodes, symbols and lines from the code of a node, the `active` one. */
export function IdeFind({ active }: { active: number | undefined }) {
  const dialog = useIdeView((view) => view.dialog);
  return isFind(dialog) ? <OpenFind kind={dialog} active={active} /> : null;
}

function OpenFind({ kind, active }: { kind: FindKind; active: number | undefined }) {
  const { ide, open } = useIde();
  const files = useCodeFiles(active);
  return (
    <FindDialog
      kind={kind}
      files={files}
      initialText={selectedText(ide.views.values())}
      onOpen={(id, line) => open(id, line === undefined ? "" : `?line=${line}`)}
      onClose={() => ide.set({ dialog: null })}
    />
  );
}

/** The code of all nodes. The text of an open tab may not be committed yet. */
function useCodeFiles(active: number | undefined): readonly CodeFile[] {
  const { documents } = useIde();
  const nodes = useGraph((view) => view.resolved.nodes);
  const tabs = useIdeView((view) => view.tabs);
  return useMemo(() => {
    const codeOf = (id: number, saved: string) =>
      (tabs.includes(id) ? documents.get(id).text() : undefined) ?? oneLineEnd(saved);
    const files = codeNodes(nodes).map(({ metadata_id: id, name, source_code }) => ({
      ...{ id, name, code: codeOf(id, source_code) },
    }));
    return files.toSorted((one, other) => Number(other.id === active) - Number(one.id === active));
  }, [nodes, tabs, documents, active]);
}

/** What is selected in the visible editor, when it is part of one line. */
function selectedText(
  views: Iterable<{
    hasFocus: boolean;
    state: { sliceDoc: (from: number, to: number) => string; selection: { main: { from: number; to: number } } };
  }>,
): string {
  for (const { hasFocus, state } of views) {
    const { from, to } = state.selection.main;
    if (hasFocus && to > from && to - from < 200) return state.sliceDoc(from, to).split("\n")[0] ?? "";
  }
  return "";
}
