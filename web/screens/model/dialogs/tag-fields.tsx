import { Plus, X } from "lucide-react";

import type { ModelTags } from "@miranda/contract/schemas/models/models.ts";

import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { shownTags } from "../../../panels/models/tag-list.tsx";

/** A tag that is being written. */
export interface TagDraft {
  id: number;
  key: string;
  value: string;
}

let lastId = 0;

export function draftTags(tags: ModelTags): TagDraft[] {
  return shownTags(tags).map(([key, value]) => ({ id: ++lastId, key, value }));
}

/** What is saved when tags were changed. Tags of clients may be longer than a form allows, so unchanged ones are not sent. */
export function changedTags(drafts: readonly TagDraft[], before: ModelTags): { tags?: ModelTags } {
  const tags = tagsOf(drafts, before);
  return JSON.stringify(tags) === JSON.stringify(tagsOf(draftTags(before), before)) ? {} : { tags };
}

/** The written tags, and those that are not shown as they were. */
function tagsOf(drafts: readonly TagDraft[], before: ModelTags): ModelTags {
  const shown = new Set(shownTags(before).map(([key]) => key));
  const kept = Object.entries(before).filter(([key]) => !shown.has(key));
  const written = drafts.map(({ key, value }) => [key.trim(), value.trim()] as const).filter(([key]) => key !== "");
  return Object.fromEntries([...kept, ...written]);
}

const control =
  "h-9 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-lg text-ink hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base";

interface TagFieldsProps {
  tags: readonly TagDraft[];
  onChange: (tags: TagDraft[]) => void;
}

export function TagFields({ tags, onChange }: TagFieldsProps) {
  const change = (id: number, changes: Partial<TagDraft>) =>
    onChange(tags.map((tag) => (tag.id === id ? { ...tag, ...changes } : tag)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Tags</legend>
      {tags.map(({ id, key, value }, at) => (
        <div key={id} className="flex items-center gap-2">
          <input
            aria-label={`Name of tag ${at + 1}`}
            placeholder="Name"
            value={key}
            onChange={({ target }) => change(id, { key: target.value })}
            className={control}
          />
          <input
            aria-label={`Value of tag ${at + 1}`}
            placeholder="Value"
            value={value}
            onChange={({ target }) => change(id, { value: target.value })}
            className={control}
          />
          <IconButton
            icon={X}
            label={`Remove tag ${at + 1}`}
            onClick={() => onChange(tags.filter((tag) => tag.id !== id))}
          />
        </div>
      ))}
      <Button
        size="sm"
        variant="ghost"
        className="self-start"
        onClick={() => onChange([...tags, { id: ++lastId, key: "", value: "" }])}
      >
        <Plus className="size-3.5" aria-hidden="true" />
        Add a tag
      </Button>
    </fieldset>
  );
}
