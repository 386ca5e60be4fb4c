import type { ModelTags } from "@miranda/contract/schemas/models/models.ts";

import { Badge } from "../../ui/badge.tsx";
import { oneLine, startOf } from "../../ui/text/drawable-text.ts";

const shownLength = 60;

/** MLflow keeps notes of its own under this prefix; people did not write them. */
const ownPrefix = "mlflow.";

export function shownTags(tags: ModelTags): [string, string][] {
  return Object.entries(tags).filter(([key]) => !key.startsWith(ownPrefix));
}

export function tagWords(key: string, value: string): string {
  return value === "" ? oneLine(key) : `${oneLine(key)}: ${oneLine(value)}`;
}

export function TagList({ tags }: { tags: ModelTags }) {
  const shown = shownTags(tags);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
      {shown.map(([key, value]) => (
        <li key={key} title={tagWords(key, value)} className="min-w-0">
          <Badge className="max-w-72">
            <span className="truncate">{startOf(tagWords(key, value), shownLength)}</span>
          </Badge>
        </li>
      ))}
    </ul>
  );
}
