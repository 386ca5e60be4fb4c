import type { SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import { type SpendingFilters, type SpendingScope, useSpendingParts } from "../../api/billing/spending.ts";
import { loadMore } from "../../api/pages.ts";
import { debounce } from "../../limits.ts";
import { Money } from "../../panels/money.tsx";
import { Button } from "../../ui/button.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { SearchList } from "../../ui/layout/search-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { groupingPlurals, groupingWords, partName } from "./billing-words.ts";

interface PartsDialogProps {
  scope: SpendingScope;
  by: SpendingGrouping;
  /** The days and the other parts that were chosen. */
  filters: SpendingFilters;
  onChoose: (key: string, name: string) => void;
  onClose: () => void;
}

/** Finds any project, workflow or person that something was spent on, however little. */
export function PartsDialog({ scope, by, filters, onChoose, onClose }: PartsDialogProps) {
  const search = useDebouncedText(debounce.filter);
  const list = useSpendingParts(scope, by, { ...filters, search: search.committed.trim() });
  const { data, error, isPending, isPlaceholderData } = list;
  const parts = data?.pages.flatMap((page) => page.parts) ?? [];
  const busy = isPending || isPlaceholderData || search.isWaiting;
  const nameOf = (name: string): string => partName(by, { name, isRest: false });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={groupingPlurals[by]}
      description="What was spent on each of them in these days, the largest amount first. Choose one to see only its days and entries."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <SearchList
        label={`Find a ${groupingWords[by].toLowerCase()}`}
        listLabel={groupingPlurals[by]}
        text={search.text}
        onText={search.setText}
        onCommit={search.commit}
        items={parts}
        itemKey={({ key }) => key}
        chosen={undefined}
        onChoose={({ key, name }) => onChoose(key, nameOf(name))}
        renderItem={({ name, amount }) => (
          <span className="flex items-baseline gap-4">
            <span dir="auto" className="min-w-0 grow truncate">
              {oneLine(nameOf(name))}
            </span>
            <Money amount={amount} className="shrink-0 text-sm text-ink-muted" />
          </span>
        )}
        busy={busy}
        focusOnOpen
        status={
          parts.length > 0 ? null : (
            <p className="px-2.5 pt-3 pb-2 text-ink-muted">
              {error ? error.message : busy ? "Searching..." : "No match in these days."}
            </p>
          )
        }
        onEndNear={() => loadMore(list)}
      />
    </Dialog>
  );
}
