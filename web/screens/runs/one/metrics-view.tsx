import { useCallback, useMemo } from "react";

import { MetricsPanel } from "../../../panels/metrics/metrics-panel.tsx";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { isLive } from "../../../panels/runs/run-words.ts";

/** What the run logged, and what its session used meanwhile. */
export function MetricsView() {
  const { run } = useOpenRun();
  const names = useMemo(() => new Map(run.run_nodes.map(({ wob_key, name }) => [wob_key, name])), [run.run_nodes]);
  const nameOf = useCallback((node: number) => names.get(node), [names]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <MetricsPanel runId={run.id} isAlive={isLive(run)} nameOf={nameOf} />
    </div>
  );
}
