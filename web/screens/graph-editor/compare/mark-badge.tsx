import { Badge } from "../../../ui/badge.tsx";
import { type Mark, markLooks } from "../canvas/past-view.ts";

/** The word and the sign of a difference. */
export function MarkBadge({ mark, count }: { mark: Mark; count?: number }) {
  const { tone, sign, word } = markLooks[mark];
  return (
    <Badge tone={tone}>
      <span aria-hidden="true">{sign}</span>
      {count === undefined ? word : `${count.toLocaleString("en")} ${word.toLowerCase()}`}
    </Badge>
  );
}
