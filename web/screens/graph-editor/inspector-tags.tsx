import { X } from "lucide-react";

import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useEditor } from "./editor-context.tsx";

export function InspectorTags({ node, disabled }: { node: Node; disabled: boolean }) {
  const { session } = useEditor();
  const { tags } = node.tags;
  const change = (tag: string, isSet: boolean) => void session.run({ type: "tag", id: node.metadata_id, tag, isSet });
  return (
    <div className="flex flex-wrap items-center gap-1.5" data-testid="tags">
      {tags.map((tag) => (
        <span key={tag} className="flex h-6 max-w-full items-center gap-1 rounded-full bg-sunken pr-1 pl-2.5 text-xs">
          <span dir="auto" className="truncate">
            {tag}
          </span>
          {disabled ? (
            <span className="w-1" />
          ) : (
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => change(tag, false)}
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
            if (!tags.includes(tag)) change(tag, true);
          }}
          className="h-6 w-24 min-w-0 flex-1 rounded-full bg-transparent px-2 text-xs outline-none placeholder:text-ink-faint focus:bg-sunken"
        />
      )}
    </div>
  );
}
