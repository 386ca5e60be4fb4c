import { X } from "lucide-react";

import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useEditor } from "../editor-context.tsx";

/** The tags of one or several nodes. A tag that only some nodes have is marked. */
export function InspectorTags({ nodes, disabled }: { nodes: readonly Node[]; disabled: boolean }) {
  const { actions } = useEditor();
  const counts = new Map<string, number>();
  for (const { tags } of nodes) for (const tag of tags.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return (
    <div className="flex flex-wrap items-center gap-1.5" data-testid="tags">
      {[...counts].map(([tag, count]) => (
        <span
          key={tag}
          data-partial={count < nodes.length || undefined}
          className="flex h-6 max-w-full items-center gap-1 rounded-full border border-transparent bg-sunken pr-1 pl-2.5 text-xs data-partial:border-dashed data-partial:border-line-strong data-partial:bg-transparent"
        >
          <span dir="auto" className="truncate">
            {tag}
          </span>
          {count < nodes.length ? (
            <PartialTag tag={tag} count={count} of={nodes.length} disabled={disabled} onAdd={actions.tag} />
          ) : null}
          {disabled ? (
            <span className="w-1" />
          ) : (
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => actions.tag(tag, false)}
              className="grid size-4 place-items-center rounded-full text-ink-faint hover:bg-hover hover:text-ink"
            >
              <X className="size-3" aria-hidden="true" />
            </button>
          )}
        </span>
      ))}
      {disabled ? null : (
        <input
          dir="auto"
          aria-label="Add a tag"
          placeholder="Add a tag"
          maxLength={formText.tagMax}
          onKeyDown={(event) => {
            const tag = event.currentTarget.value.trim();
            if (event.key !== "Enter" || tag === "") return;
            event.currentTarget.value = "";
            actions.tag(tag, true);
          }}
          className="h-6 w-24 min-w-0 flex-1 rounded-full bg-transparent px-2 first:-ml-2 text-xs placeholder:text-ink-faint focus:bg-sunken focus-visible:outline-offset-0"
        />
      )}
    </div>
  );
}

interface PartialTagProps {
  tag: string;
  count: number;
  of: number;
  disabled: boolean;
  onAdd: (tag: string, isSet: boolean) => void;
}

function PartialTag({ tag, count, of, disabled, onAdd }: PartialTagProps) {
  const share = `${count} of ${of}`;
  if (disabled) return <span className="shrink-0 text-ink-faint">{share}</span>;
  return (
    <button
      type="button"
      title="Add it to all of them"
      aria-label={`${share} have the tag ${tag}. Add it to all.`}
      onClick={() => onAdd(tag, true)}
      className="shrink-0 rounded-sm px-0.5 text-ink-faint tabular-nums hover:bg-hover hover:text-ink"
    >
      {share}
    </button>
  );
}
