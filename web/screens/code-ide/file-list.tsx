import { Braces, CircleAlert, Lock, PowerOff } from "lucide-react";
import { useMemo, useState } from "react";

import type { Draft } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useSession } from "../../api/account/session.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { authorNames } from "../../providers/unsaved/unsaved-code.ts";
import { classes } from "../../ui/classes.ts";
import { includesText } from "../../ui/includes-text.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { codeNodes } from "../../panels/code/code-text.ts";
import { useIde, useIdeView } from "../../panels/code/ide-context.tsx";

interface FileListProps {
  active: number | undefined;
  drafts: readonly Draft[];
}

/** The graph's code blocks as files. */
export function FileList({ active, drafts }: FileListProps) {
  const { open } = useIde();
  const nodes = useGraph((view) => view.resolved.nodes);
  const files = useMemo(() => codeNodes(nodes), [nodes]);
  const unsaved = useIdeView((view) => view.unsaved);
  const me = useSession().account?.username;
  const checks = useIdeView((view) => view.checks);
  const [query, setQuery] = useState("");
  const shown = files.filter((node) => includesText(node.name, query));

  return (
    <nav aria-label="Nodes" className="flex min-h-0 flex-1 flex-col" data-testid="file-list">
      <div className="shrink-0 p-2">
        <SearchField
          label="Find a node"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            const [first] = shown;
            if (event.key === "Enter" && first) open(first.metadata_id);
            if (event.key === "Escape") setQuery("");
          }}
        />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-1.5 pb-3">
        {shown.map((node) => {
          const draft = drafts.find((one) => one.metadata_id === node.metadata_id);
          return (
            <li key={node.metadata_id}>
              <FileRow
                node={node}
                isActive={node.metadata_id === active}
                isUnsaved={unsaved.get(node.metadata_id) ?? draft !== undefined}
                by={draft ? authorNames(draft.authors, me) : "you"}
                error={checks.get(node.metadata_id)?.error ?? node.api.error}
                onOpen={() => open(node.metadata_id)}
              />
            </li>
          );
        })}
      </ul>
      {shown.length === 0 ? (
        <p className="px-4 py-8 text-center text-sm text-ink-muted">
          {files.length === 0 ? "This workflow has no code blocks yet." : "No matching nodes."}
        </p>
      ) : null}
    </nav>
  );
}

interface FileRowProps {
  node: Node;
  isActive: boolean;
  isUnsaved: boolean;
  /** The authors of the uncommitted code. */
  by: string;
  error: string | null;
  onOpen: () => void;
}

function FileRow({ node, isActive, isUnsaved, by, error, onOpen }: FileRowProps) {
  const isRunning = useProcessorState((state) => state.debugging.runningNode === node.metadata_id);
  const breakpoints = useProcessorState(
    (state) => Object.keys(state.debugging.breakpoints[node.metadata_id] ?? {}).length,
  );
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-current={isActive ? "page" : undefined}
      data-testid="file"
      data-node-id={node.metadata_id}
      data-unsaved={isUnsaved || undefined}
      data-error={error !== null || undefined}
      title={error ?? node.name}
      className={classes(
        "flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-base transition-colors max-sm:h-10",
        isActive ? "bg-accent-soft text-accent-text" : "hover:bg-hover",
      )}
    >
      <Braces
        className={classes(
          "size-4 shrink-0",
          isRunning ? "animate-pulse text-info-text" : isActive ? "" : "text-ink-faint",
        )}
        aria-hidden="true"
      />
      <span
        dir="auto"
        className={classes("min-w-0 flex-1 truncate", error !== null && "text-danger-text", isUnsaved && "font-medium")}
      >
        {node.name}
      </span>
      {breakpoints > 0 ? <span className="size-2 rounded-full bg-danger" title="Has breakpoints" /> : null}
      {node.locked ? <Lock className="size-3.5 text-ink-faint" aria-label="Locked" /> : null}
      {node.api.disabled ? <PowerOff className="size-3.5 text-ink-faint" aria-label="Disabled" /> : null}
      {error === null ? null : <CircleAlert className="size-4 text-danger-text" aria-label="Has an error" />}
      {isUnsaved ? (
        <span className="size-2 rounded-full bg-warning" title={`Unsaved code by ${by}`} data-testid="unsaved-dot">
          <span className="sr-only">, unsaved code by {by}</span>
        </span>
      ) : null}
    </button>
  );
}
