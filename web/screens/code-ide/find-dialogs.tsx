import { type ReactNode, useMemo, useState } from "react";

import { codeNodes, oneLineEnd } from "../../panels/code/code-text.ts";
import { useIde, useIdeView } from "../../panels/code/ide-context.tsx";
import { type CodeFile, filesNamed, findSymbols, type FoundLine, mostFound, searchCode } from "./search-code.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { SearchList } from "../../ui/layout/search-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";

/** Opening a node by its name, going to a symbol, and searching in the code of all nodes. */
export function FindDialogs() {
  const { ide } = useIde();
  const dialog = useIdeView((view) => view.dialog);
  const close = () => ide.set({ dialog: null });
  if (dialog === "open") return <QuickOpen onClose={close} />;
  if (dialog === "symbols") return <GoToSymbol onClose={close} />;
  return dialog === "search" ? <SearchAll onClose={close} /> : null;
}

function QuickOpen({ onClose }: { onClose: () => void }) {
  const { open } = useIde();
  const nodes = useGraph((view) => view.resolved.nodes);
  const [text, setText] = useState("");
  const found = useMemo(() => filesNamed(codeNodes(nodes), text), [nodes, text]);
  return (
    <Dialog open onOpenChange={onClose} title="Open a node">
      <SearchList
        label="Name of a node"
        listLabel="Nodes"
        text={text}
        onText={setText}
        onCommit={doNothing}
        items={found}
        itemKey={({ metadata_id }) => String(metadata_id)}
        chosen={undefined}
        onChoose={({ metadata_id }) => {
          onClose();
          open(metadata_id);
        }}
        renderItem={({ name }) => (
          <span dir="auto" className="block truncate">
            {name}
          </span>
        )}
        busy={false}
        status={found.length === 0 ? <Status>No matching nodes.</Status> : null}
        focusOnOpen
      />
    </Dialog>
  );
}

/** The code of all nodes. The text of an open tab may not be committed yet. */
function useCodeFiles(): readonly CodeFile[] {
  const { documents } = useIde();
  const nodes = useGraph((view) => view.resolved.nodes);
  const tabs = useIdeView((view) => view.tabs);
  return useMemo(() => {
    const codeOf = (id: number, saved: string) =>
      (tabs.includes(id) ? documents.get(id).text() : undefined) ?? oneLineEnd(saved);
    return codeNodes(nodes).map(({ metadata_id: id, name, source_code }) => ({
      ...{ id, name, code: codeOf(id, source_code) },
    }));
  }, [nodes, tabs, documents]);
}

function GoToSymbol({ onClose }: { onClose: () => void }) {
  const { open } = useIde();
  const files = useCodeFiles();
  const [text, setText] = useState("");
  const found = useMemo(() => findSymbols(files, text), [files, text]);
  return (
    <Dialog open onOpenChange={onClose} title="Go to a symbol">
      <SearchList
        label="Name of a class, function or variable"
        listLabel="Symbols"
        text={text}
        onText={setText}
        onCommit={doNothing}
        items={found}
        itemKey={({ id, line, name }) => `${id}:${line}:${name}`}
        chosen={undefined}
        onChoose={({ id, line }) => {
          onClose();
          open(id, `?line=${line}`);
        }}
        renderItem={({ name, kind, file, line }) => (
          <span className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 truncate font-mono text-sm">{name}</span>
            <span className="shrink-0 text-xs text-ink-faint">{kind}</span>
            <span className="max-w-40 shrink-0 truncate text-xs text-ink-muted" dir="auto">
              {file}:{line}
            </span>
          </span>
        )}
        busy={false}
        status={found.length === 0 ? <Status>No symbol has this name.</Status> : null}
        focusOnOpen
      />
    </Dialog>
  );
}

function SearchAll({ onClose }: { onClose: () => void }) {
  const { ide, open } = useIde();
  const files = useCodeFiles();
  const [text, setText] = useState(() => selectedText(ide.views.values()));
  const found = useMemo(() => searchCode(files, text), [files, text]);
  return (
    <Dialog open onOpenChange={onClose} title="Search in all nodes" wide>
      <SearchList
        label="Text in the code"
        listLabel="Lines"
        text={text}
        onText={setText}
        onCommit={doNothing}
        items={found}
        itemKey={({ id, line }) => `${id}:${line}`}
        chosen={undefined}
        onChoose={({ id, line }) => {
          onClose();
          open(id, `?line=${line}`);
        }}
        renderItem={(line) => <Line found={line} length={text.length} />}
        busy={false}
        status={<Status>{statusOf(text, found.length)}</Status>}
        focusOnOpen
      />
    </Dialog>
  );
}

function statusOf(text: string, count: number): string {
  if (text.trim() === "") return "Searches the code of every node of this workflow.";
  if (count === 0) return "No line has this text.";
  return count === mostFound ? `The first ${mostFound} lines. Type more to narrow them.` : "";
}

const contextBefore = 40;

function Line({ found: { name, line, text, at }, length }: { found: FoundLine; length: number }) {
  const from = Math.max(0, at - contextBefore);
  return (
    <span className="flex items-baseline gap-3">
      <span className="min-w-0 flex-1 truncate font-mono text-sm whitespace-pre">
        {from > 0 ? "…" : ""}
        {text.slice(from, at).trimStart()}
        <mark className="rounded-sm bg-warning-soft text-ink">{text.slice(at, at + length)}</mark>
        {text.slice(at + length, at + length + 200)}
      </span>
      <span className="max-w-40 shrink-0 truncate text-xs text-ink-muted" dir="auto">
        {name}:{line}
      </span>
    </span>
  );
}

function Status({ children }: { children: ReactNode }) {
  return <p className="px-2.5 py-3 text-sm text-ink-muted empty:hidden">{children}</p>;
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

function doNothing(): void {
  // The search needs no server, so there is nothing to wait for.
}
