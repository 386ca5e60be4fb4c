import type { RunMetric, RunMetrics, RunUsage } from "@miranda/contract/schemas/runs.ts";
import { metricChart } from "@miranda/contract/limits.ts";
import { thinnedPlaces } from "@miranda/contract/metrics/thin-points.ts";

import { runMetrics as limits, trackingLimits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { countLines } from "../tracking/metric-rows-queries.ts";
import { type MetricPoints, writeMetrics } from "../tracking/metrics-service.ts";
import { readThinLines } from "../tracking/thin-lines-queries.ts";
import { ensureTracked } from "../tracking/tracked-runs-queries.ts";
import type { Runs } from "./runs-service.ts";
import { readUsage } from "./run-usage-queries.ts";
import { findUsage } from "./run-metrics-queries.ts";

export type { MetricPoints };

type Warn = (limit: string, text: string) => void;

/**
 * Adds points to the metrics of a run, within its limits. Call it inside the transaction that locks the session. Returns
 * what was stored.
 */
export async function saveMetrics(
  trx: Db,
  runId: string,
  given: readonly MetricPoints[],
  warn: Warn,
): Promise<RunMetrics> {
  const run = given.length > 0 ? await ensureTracked(trx, runId) : undefined;
  if (!run) return [];
  const most = { lines: limits.linesPerRun, points: limits.pointsPerRun };
  const { stored, linesLeftOut, pointsLeftOut } = await writeMetrics(trx, run, given, most);
  if (linesLeftOut > 0) warn("run metrics", words.lines);
  if (pointsLeftOut > 0) warn("run points", words.points);
  return toStoredMetrics(trx, runId, stored);
}

/** New points of a run as browsers get them, with how many there are by now. */
export async function toStoredMetrics(db: Db, runId: string, stored: readonly MetricPoints[]): Promise<RunMetrics> {
  const names = stored.map(({ name }) => name);
  const counts = new Map<string, number>();
  for (const { name, node_id, points } of await countLines(db, runId, names)) counts.set(lineOf(name, node_id), points);
  return stored.map(({ node, values, ...rest }) =>
    thinned({
      ...rest,
      values: values.map((value) => (Number.isFinite(value) ? value : null)),
      wob_key: node,
      count: counts.get(lineOf(rest.name, node)) ?? 0,
    }),
  );
}

const words = {
  lines: `This run has ${limits.linesPerRun} metrics: further ones are not kept.`,
  points: `The metrics of this run have ${limits.pointsPerRun} points: further ones are not kept.`,
};

function lineOf(name: string, node: number | null): string {
  return `${node ?? 0} ${name}`;
}

interface Dependencies {
  db: Db;
  runs: Pick<Runs, "getRun" | "getContent">;
}

export type RunMetricsReading = ReturnType<typeof createRunMetrics>;

/** The metrics of runs, for people. */
export function createRunMetrics({ db, runs }: Dependencies) {
  return {
    async get(caller: Caller, runId: string): Promise<RunMetrics> {
      await runs.getContent(caller, runId);
      const most = { points: metricChart.pointsMax, lines: trackingLimits.metricsPerRun };
      const lines = await readThinLines(db, [runId], undefined, most);
      return lines.map(({ node, run_id: _run, ...line }) => ({ ...line, wob_key: node }));
    },

    /** What the session used while it ran. Null when nothing was measured. */
    async usage(caller: Caller, runId: string): Promise<RunUsage | null> {
      await runs.getRun(caller, runId, "read");
      return (await findUsage(db, runId)) ?? (await readUsage(db, runId));
    },
  };
}

function thinned(line: RunMetric): RunMetric {
  if (line.values.length <= metricChart.pointsMax) return line;
  const places = thinnedPlaces(line.values, metricChart.pointsMax);
  return {
    ...line,
    steps: places.map((at) => line.steps[at] ?? 0),
    values: places.map((at) => line.values[at] ?? null),
    times: places.map((at) => line.times[at] ?? 0),
  };
}
