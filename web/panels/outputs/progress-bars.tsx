import { useSyncExternalStore } from "react";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { Bars } from "../../providers/processor/runs/run-store.ts";
import { classes } from "../../ui/classes.ts";
import { formatNumber } from "../../ui/output/number-format.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

type Bar = Bars[number];

export function useBars(node: number): Bars | undefined {
  const { runs } = useProcessor();
  return useSyncExternalStore(runs.watch, () => runs.barsOf(node));
}

/** The progress bars of a node, with labels. */
export function ProgressBars({ node }: { node: number }) {
  const bars = useBars(node);
  if (!bars) return null;
  return (
    <div className="flex flex-col gap-2" data-testid="progress-bars">
      {bars.map((bar, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- two bars may have the same label
        <div key={at} className="flex flex-col gap-1">
          <div className="flex items-baseline justify-between gap-3 text-xs">
            <span className="truncate font-medium">{oneLine(bar.label) || "Progress"}</span>
            <span className="shrink-0 text-ink-muted tabular-nums">{formatProgress(bar)}</span>
          </div>
          <BarLine bar={bar} className="h-1.5 rounded-full" />
        </div>
      ))}
    </div>
  );
}

/** The bar alone. Without a total it shows no end. */
export function BarLine({ bar, className }: { bar: Bar; className: string }) {
  const share = shareOf(bar);
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- each browser draws <progress> differently
      role="progressbar"
      aria-label={oneLine(bar.label) || "Progress"}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
      aria-valuetext={formatProgress(bar)}
      className={classes("overflow-hidden bg-hover", className)}
    >
      <div
        className={classes(
          "h-full rounded-[inherit] bg-info transition-[width] duration-150",
          share === undefined ? "w-1/3 animate-pulse" : null,
        )}
        style={share === undefined ? undefined : { width: `${share * 100}%` }}
      />
    </div>
  );
}

/** "3 of 10", or only the amount when the total is unknown. */
export function formatProgress({ done, total }: Bar): string {
  return total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
}

function shareOf({ done, total }: Bar): number | undefined {
  if (total === null) return undefined;
  return total > 0 ? Math.min(1, done / total) : 1;
}
