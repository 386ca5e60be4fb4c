import { lazy, Suspense, useCallback } from "react";

import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

// Charts load only when they are opened.
const MetricsPanel = lazy(() => import("./metrics-panel.tsx").then((m) => ({ default: m.MetricsPanel })));

/** The metrics of the session's last run. */
export function LastRunMetrics() {
  const lastRun = useProcessorState((state) => state.job?.last_run ?? null);
  const nodes = useGraph((view) => view.resolved.content.nodes);
  const nameOf = useCallback((node: number) => nodes[node]?.name, [nodes]);
  return (
    <section
      aria-label="Metrics of the last run"
      data-charts=""
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto bg-surface -outline-offset-2"
    >
      {lastRun ? (
        <Suspense fallback={<LoadingArea label="Loading the metrics" />}>
          <MetricsPanel
            runId={lastRun.id}
            isAlive={lastRun.state === "running" || lastRun.state === "paused"}
            nameOf={nameOf}
          />
        </Suspense>
      ) : (
        <p className="px-3 py-2 text-sm text-ink-muted">Run the workflow to see its metrics.</p>
      )}
    </section>
  );
}
