import { useSyncExternalStore } from "react";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { Bars } from "../../providers/processor/runs/run-store.ts";
import { BarLine, formatProgress } from "../../ui/progress-bar.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

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
