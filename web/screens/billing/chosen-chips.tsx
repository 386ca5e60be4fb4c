import { X } from "lucide-react";

import type { SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import { oneLine } from "../../ui/text/drawable-text.ts";
import type { ChosenPart } from "./chosen-parts.ts";

/** Says what the chart and the ledger are filtered by. A click on a chip removes its filter. */
export function ChosenChips({
  chosen,
  onRemove,
}: {
  chosen: readonly ChosenPart[];
  onRemove: (by: SpendingGrouping) => void;
}) {
  return chosen.map(({ by, name }) => (
    <button
      key={by}
      type="button"
      className="flex h-7 max-w-56 items-center gap-1.5 rounded-full bg-accent-soft px-3 text-sm text-accent-text"
      onClick={() => onRemove(by)}
    >
      <span className="truncate">Only {oneLine(name)}</span>
      <X className="size-3.5 shrink-0" aria-label="Remove" />
    </button>
  ));
}
