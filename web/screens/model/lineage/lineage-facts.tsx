import type { LineageNode } from "@miranda/contract/schemas/models/lineage.ts";

import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { useMoney } from "../../../api/settings.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { detailWords } from "./detail-words.ts";
import { kindLooks } from "./lineage-kinds.ts";

const shownMost = 12;

/** Everything that is known about one thing of a lineage. */
export function LineageFacts({ node }: { node: LineageNode }) {
  return (
    <section
      aria-live="polite"
      data-testid="lineage-more"
      className="min-h-24 min-w-0 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <h3 dir="auto" className="font-semibold wrap-anywhere">
        {oneLine(node.label)} <span className="font-normal text-ink-muted">{kindLooks[node.kind].word}</span>
      </h3>
      <FactList node={node} />
    </section>
  );
}

export function FactList({ node: { detail, facts, cost, gone } }: { node: LineageNode }) {
  const money = useMoney();
  const isShown = useMoneyShown();
  const all = [...facts, ...(cost === null || !isShown ? [] : [{ label: "Cost", value: money(cost) }])];
  const shown = all.slice(0, shownMost);
  return (
    <>
      {detail === "" && !gone ? null : (
        <p className="mt-0.5 wrap-anywhere text-ink-muted">{gone ? "It was removed." : detailWords(detail)}</p>
      )}
      <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-1 empty:hidden">
        {shown.map(({ label, value }) => (
          <div key={label} className="flex min-w-0 gap-1.5">
            <dt className="shrink-0 text-ink-muted">{oneLine(label)}</dt>
            <dd dir="auto" className="min-w-0 wrap-anywhere tabular-nums">
              {detailWords(value)}
            </dd>
          </div>
        ))}
        {all.length > shown.length ? (
          <div className="text-ink-muted">
            <dt className="sr-only">More</dt>
            <dd>and {all.length - shown.length} more</dd>
          </div>
        ) : null}
      </dl>
    </>
  );
}
