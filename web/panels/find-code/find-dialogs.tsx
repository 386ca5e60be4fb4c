import { type ReactNode, useMemo, useState } from "react";

import { SearchList } from "../../ui/layout/search-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { type CodeFile, filesNamed, findSymbols, type FoundLine, mostFound, searchCode } from "./search-code.ts";

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
export function FindDialog({ kind, initialText = "", onOpen, ...rest }: FindDialogProps) {
  const props = {
    ...rest,
    onOpen: (id: number, line?: number) => {
      rest.onClose();
      onOpen(id, line);
    },
  };
  if (kind === "open") return <QuickOpen {...props} />;
  return kind === "symbols" ? <GoToSymbol {...props} /> : <SearchAll {...props} initialText={initialText} />;
}

type PartProps = Omit<FindDialogProps, "kind" | "initialText">;

function QuickOpen({ files, onOpen, onClose }: PartProps) {
  const [text, setText] = useState("");
  const found = useMemo(() => filesNamed(files, text), [files, text]);
  return (
    <Dialog open onOpenChange={onClose} title="Open a node">
      <SearchList
        label="Name of a node"
        listLabel="Nodes"
        text={text}
        onText={setText}
        onCommit={doNothing}
        items={found}
        itemKey={({ id }) => String(id)}
        chosen={undefined}
        onChoose={({ id }) => onOpen(id)}
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

function GoToSymbol({ files, onOpen, onClose }: PartProps) {
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
        onChoose={({ id, line }) => onOpen(id, line)}
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

function SearchAll({ files, initialText, onOpen, onClose }: PartProps & { initialText: string }) {
  const [text, setText] = useState(initialText);
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
        onChoose={({ id, line }) => onOpen(id, line)}
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

function doNothing(): void {
  // The search needs no server, so there is nothing to wait for.
}
