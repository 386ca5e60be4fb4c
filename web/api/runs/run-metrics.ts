import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { metricChart } from "@miranda/contract/limits.ts";
import type { RunMetric, RunMetrics, RunUsage } from "@miranda/contract/schemas/runs.ts";
import { thinnedPlaces } from "@miranda/contract/metrics/thin-points.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const path = (runId: string) => `/api/v3/runs/${encodeURIComponent(runId)}`;
const keyOf = (runId: string) => ["runs", "metrics", runId] as const;

/** The metrics of a run. Those of a living one come as events; reading them again finds events that were missed. */
export const runMetricsQuery = (runId: string, isAlive: boolean) =>
  queryOptions({
    queryKey: keyOf(runId),
    queryFn: ({ signal }) => call<RunMetrics>(`${path(runId)}/metrics`, { signal }),
    refetchInterval: isAlive ? refresh.default : false,
    structuralSharing: false,
  });

/** Processor, memory and network of the session while it ran. */
export const runUsageQuery = (runId: string, isAlive: boolean) =>
  queryOptions({
    queryKey: ["runs", "usage", runId],
    queryFn: ({ signal }) => call<RunUsage | null>(`${path(runId)}/usage`, { signal }),
    refetchInterval: isAlive ? refresh.usage : false,
  });

/** Adds the points of an event to a run that is shown. */
export function putMetrics(client: QueryClient, runId: string, metrics: RunMetrics): void {
  client.setQueryData<RunMetrics>(keyOf(runId), (known) => known && withPoints(known, metrics));
}

export function withPoints(known: RunMetrics, added: RunMetrics): RunMetrics {
  const lines = new Map(known.map((line) => [nameOf(line), line]));
  for (const more of added) lines.set(nameOf(more), joined(lines.get(nameOf(more)), more));
  return [...lines.values()];
}

const nameOf = ({ wob_key, name }: RunMetric) => `${wob_key ?? 0} ${name}`;

function joined(line: RunMetric | undefined, more: RunMetric): RunMetric {
  if (!line) return more;
  // The answer of a request may already have them.
  if (more.count <= line.count) return line;
  const last = line.times.at(-1) ?? -1;
  const found = more.times.findIndex((time) => time > last);
  const from = found < 0 ? more.times.length : found;
  const all = {
    ...more,
    steps: [...line.steps, ...more.steps.slice(from)],
    values: [...line.values, ...more.values.slice(from)],
    times: [...line.times, ...more.times.slice(from)],
  };
  // Not with every event: thinning again and again would shift the line.
  if (all.values.length <= 2 * metricChart.pointsMax) return all;
  return partOf(all, thinnedPlaces(all.values, metricChart.pointsMax));
}

function partOf(line: RunMetric, places: readonly number[]): RunMetric {
  return {
    ...line,
    steps: places.map((at) => line.steps[at] ?? 0),
    values: places.map((at) => line.values[at] ?? null),
    times: places.map((at) => line.times[at] ?? 0),
  };
}
