import { type ReactNode, useMemo, useState } from "react";

import { SearchList } from "../../ui/layout/search-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import {
  type CodeFile,
  filesNamed,
  findSymbols,
  type FoundLine,
  type FoundSymbol,
  mostFound,
  searchCode,
} from "./search-code.ts";

export type FindKind = "open" | "symbols" | "search";

interface FindDialogProps {
  kind: FindKind;
  /** The code of all nodes, that of the open one first. */
  files: readonly CodeFile[];
  /** What to search for at first. */
  initialText?: string;
  /** Without a line: the node itself. */
  onOpen: (id: number, line?: number) => void;
  onClose: () => void;
}

/** Opening a node by its name, going to a symbol, and searching in the code of all nodes. */
export function FindDialog({ kind, initialText = "", ...props }: FindDialogProps) {
  switch (kind) {
    case "open":
      return (
        <Finder
          {...props}
          title="Open a node"
          label="Name of a node"
          listLabel="Nodes"
          find={filesNamed<CodeFile>}
          renderItem={({ name }) => (
            <span dir="auto" className="block truncate">
              {name}
            </span>
          )}
          statusOf={(_text, count) => (count === 0 ? "No matching nodes." : "")}
        />
      );
    case "symbols":
      return (
        <Finder
          {...props}
          title="Go to a symbol"
          label="Name of a class, function or variable"
          listLabel="Symbols"
          find={findSymbols}
          renderItem={(symbol) => <SymbolRow {...symbol} />}
          statusOf={(_text, count) => (count === 0 ? "No symbol has this name." : "")}
        />
      );
    case "search":
      return (
        <Finder
          {...props}
          title="Search in all nodes"
          label="Text in the code"
          listLabel="Lines"
          initialText={initialText}
          wide
          find={searchCode}
          renderItem={(line, text) => <Line found={line} length={text.length} />}
          statusOf={linesStatus}
        />
      );
  }
}

interface FinderProps<Item> extends Omit<FindDialogProps, "kind"> {
  title: string;
  label: string;
  listLabel: string;
  wide?: boolean;
  find: (files: readonly CodeFile[], text: string) => readonly Item[];
  renderItem: (item: Item, text: string) => ReactNode;
  statusOf: (text: string, count: number) => string;
}

function Finder<Item extends { id: number; name: string; line?: number }>(props: FinderProps<Item>) {
  const { files, find, onOpen, onClose } = props;
  const [text, setText] = useState(props.initialText ?? "");
  const found = useMemo(() => find(files, text), [find, files, text]);
  return (
    <Dialog open onOpenChange={onClose} title={props.title} wide={props.wide ?? false}>
      <SearchList
        label={props.label}
        listLabel={props.listLabel}
        text={text}
        onText={setText}
        onCommit={doNothing}
        items={found}
        itemKey={({ id, line, name }) => `${id}:${line}:${name}`}
        chosen={undefined}
        onChoose={({ id, line }) => {
          onClose();
          onOpen(id, line);
        }}
        renderItem={(item) => props.renderItem(item, text)}
        busy={false}
        status={<p className="px-2.5 py-3 text-sm text-ink-muted empty:hidden">{props.statusOf(text, found.length)}</p>}
        focusOnOpen
      />
    </Dialog>
  );
}

function SymbolRow({ name, kind, file, line }: FoundSymbol) {
  return (
    <span className="flex items-baseline gap-3">
      <span className="min-w-0 flex-1 truncate font-mono text-sm">{name}</span>
      <span className="shrink-0 text-xs text-ink-faint">{kind}</span>
      <span className="max-w-40 shrink-0 truncate text-xs text-ink-muted" dir="auto">
        {file}:{line}
      </span>
    </span>
  );
}

function linesStatus(text: string, count: number): string {
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

function doNothing(): void {
  // The search needs no server, so there is nothing to wait for.
}
