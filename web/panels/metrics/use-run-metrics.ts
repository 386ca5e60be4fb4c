import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { putMetrics, runMetricsQuery, runUsageQuery } from "../../api/runs/run-metrics.ts";
import { useRealtime } from "../../providers/realtime-provider.tsx";

/** The metrics and the usage of a run, live while it runs. */
export function useRunMetrics(runId: string, isAlive: boolean) {
  const client = useQueryClient();
  const realtime = useRealtime();
  const metrics = useQuery(runMetricsQuery(runId, isAlive));
  const usage = useQuery(runUsageQuery(runId, isAlive));
  useEffect(
    () =>
      realtime.on("run_metrics", (event) => {
        if (event.run_id === runId) putMetrics(client, runId, event.metrics);
      }),
    [realtime, client, runId],
  );
  const { refetch } = metrics;
  const { refetch: refetchUsage } = usage;
  // What came while the connection was lost.
  useEffect(() => realtime.on("ready", () => void refetch()), [realtime, refetch]);
  const wasAlive = useRef(isAlive);
  useEffect(() => {
    if (wasAlive.current && !isAlive) void Promise.all([refetch(), refetchUsage()]);
    wasAlive.current = isAlive;
  }, [refetch, refetchUsage, isAlive]);
  return { metrics, usage };
}
