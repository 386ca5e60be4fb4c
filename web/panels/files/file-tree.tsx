import { useQuery } from "@tanstack/react-query";
import { ChevronRight, File, Folder } from "lucide-react";
import { type KeyboardEvent, useState } from "react";

import type { ModelArtifact } from "@miranda/contract/schemas/models/artifacts.ts";

import { type FolderFiles, folderQuery, type SizedFile } from "../../api/models/artifacts.ts";
import { fileSize } from "../../format/file-size.ts";
import { classes } from "../../ui/classes.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

interface FileTreeProps {
  files: FolderFiles;
  /** What has the files, for screen readers. */
  label: string;
  chosen: string | undefined;
  onChoose: (file: SizedFile) => void;
}

/** Folders are read when they are opened. The arrow keys move through the lines. */
export function FileTree(props: FileTreeProps) {
  return (
    <ul role="tree" aria-label={props.label} className="text-sm" onKeyDown={moveByArrow}>
      <FolderContent {...props} path="" depth={0} />
    </ul>
  );
}

function FolderContent({ path, depth, ...tree }: FileTreeProps & { path: string; depth: number }) {
  const query = useQuery(folderQuery(tree.files, path));
  if (query.isPending)
    return (
      <li className="py-1" style={indented(depth)}>
        <Spinner label="Loading" showLabel />
      </li>
    );
  if (!query.data)
    return (
      <li className="py-1 text-danger-text" style={indented(depth)}>
        {query.error.message}{" "}
        <button type="button" className="underline underline-offset-2" onClick={() => void query.refetch()}>
          Try again
        </button>
      </li>
    );
  return (
    <>
      {query.data.entries.map((entry) => (
        <Entry key={entry.path} entry={entry} depth={depth} {...tree} />
      ))}
      {path === "" && query.data.entries.length === 0 ? <li className="p-2 text-ink-muted">No files</li> : null}
    </>
  );
}

interface EntryProps extends FileTreeProps {
  entry: ModelArtifact;
  depth: number;
}

/** A folder with only a few levels above it is open at first: most models have one folder. */
const openDepth = 1;

function Entry({ entry, depth, ...tree }: EntryProps) {
  const { path, folder: isFolder } = entry;
  const bytes = entry.bytes ?? 0;
  const [isOpen, setOpen] = useState(isFolder && depth < openDepth);
  const name = oneLine(entry.name);
  const isChosen = path === tree.chosen;
  return (
    <li role="treeitem" aria-selected={isChosen} aria-expanded={isFolder ? isOpen : undefined}>
      <button
        type="button"
        onClick={() => (isFolder ? setOpen(!isOpen) : tree.onChoose({ path, bytes }))}
        style={indented(depth)}
        className={classes(
          "flex h-7 w-full items-center gap-1.5 rounded-md pr-2 text-left -outline-offset-2",
          isChosen ? "bg-accent-soft text-accent-text" : "hover:bg-hover",
        )}
      >
        <ChevronRight
          className={classes(
            "size-3.5 shrink-0 text-ink-faint transition-transform",
            isOpen && "rotate-90",
            !isFolder && "invisible",
          )}
          aria-hidden="true"
        />
        {isFolder ? (
          <Folder className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        ) : (
          <File className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        )}
        <span className="min-w-0 flex-1 truncate" title={name}>
          {name}
        </span>
        {isFolder ? null : <span className="shrink-0 text-xs text-ink-faint tabular-nums">{fileSize(bytes)}</span>}
      </button>
      {isOpen ? (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a group of tree items
        <ul role="group">
          <FolderContent {...tree} path={path} depth={depth + 1} />
        </ul>
      ) : null}
    </li>
  );
}

function indented(depth: number): { paddingLeft: string } {
  return { paddingLeft: `${depth * 1 + 0.25}rem` };
}

/** Right opens a folder, left closes it. */
function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const lines = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("[role=treeitem] > button")];
  const at = lines.findIndex((line) => line === document.activeElement);
  const line = lines[at];
  if (!line) return;
  const isOpen = line.parentElement?.getAttribute("aria-expanded");
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => lines[at + 1]?.focus(),
    ArrowUp: () => lines[at - 1]?.focus(),
    Home: () => lines[0]?.focus(),
    End: () => lines.at(-1)?.focus(),
    ArrowRight: () => (isOpen === "false" ? line.click() : lines[at + 1]?.focus()),
    ArrowLeft: () => (isOpen === "true" ? line.click() : lines[at - 1]?.focus()),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}
