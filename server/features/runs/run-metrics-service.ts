import type { RunMetric, RunMetrics, RunUsage } from "@miranda/contract/schemas/runs.ts";
import { metricChart } from "@miranda/contract/limits.ts";
import { thinnedPlaces } from "@miranda/contract/thin-points.ts";

import { runMetrics as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { readUsage } from "./run-usage-queries.ts";
import { type MetricPoints, runMetricQueries as queries } from "./run-metrics-queries.ts";

export type { MetricPoints };

type Row = Awaited<ReturnType<typeof queries.listRows>>[number];
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
  if (given.length === 0) return [];
  const rows = await queries.listRows(trx, runId);
  const lines = new Map<string, Row[]>();
  for (const row of rows) {
    const line = lineOf(row.name, row.node_id);
    lines.set(line, [...(lines.get(line) ?? []), row]);
  }
  let next = (rows.at(-1)?.number ?? 0) + 1;
  let room = limits.pointsPerRun - sumOf(rows);
  const added: (MetricPoints & { number: number })[] = [];
  const stored: RunMetric[] = [];
  for (const points of given) {
    const line = lineOf(points.name, points.node);
    const known = lines.get(line) ?? [];
    if (known.length === 0 && lines.size >= limits.linesPerRun) {
      warn("run metrics", words.lines);
      continue;
    }
    if (points.values.length > room) warn("run points", words.points);
    const kept = firstOf(points, room);
    if (kept.values.length === 0) continue;
    room -= kept.values.length;
    lines.set(line, known);
    const last = known.at(-1);
    const fits = last && last.points + kept.values.length <= limits.pointsPerRow;
    added.push({ ...kept, number: fits ? last.number : next++ });
    const { node, ...rest } = kept;
    stored.push(thinned({ ...rest, wob_key: node, count: sumOf(known) + kept.values.length }));
  }
  if (added.length > 0) await queries.addPoints(trx, runId, added);
  return stored;
}

const words = {
  lines: `This run has ${limits.linesPerRun} metrics: further ones are not kept.`,
  points: `The metrics of this run have ${limits.pointsPerRun} points: further ones are not kept.`,
};

function lineOf(name: string, node: number | null): string {
  return `${node ?? 0} ${name}`;
}

function sumOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { points }) => sum + points, 0);
}

function firstOf({ steps, values, times, ...line }: MetricPoints, most: number): MetricPoints {
  return { ...line, steps: steps.slice(0, most), values: values.slice(0, most), times: times.slice(0, most) };
}

interface Dependencies {
  db: Db;
  /** Refuses who may not read the run. */
  check: (caller: Caller, runId: string) => Promise<unknown>;
}

export type RunMetricsReading = ReturnType<typeof createRunMetrics>;

/** The metrics of runs, for people. */
export function createRunMetrics({ db, check }: Dependencies) {
  return {
    async get(caller: Caller, runId: string): Promise<RunMetrics> {
      await check(caller, runId);
      const lines = new Map<string, RunMetric>();
      for (const { name, node_id, steps, values, times } of await queries.read(db, runId)) {
        const key = lineOf(name, node_id);
        const line = lines.get(key) ?? { name, wob_key: node_id, steps: [], values: [], times: [], count: 0 };
        lines.set(key, line);
        // Not by spreading into push: a row of a hostile worker may be longer than a call's arguments may be.
        line.steps = line.steps.concat(steps);
        line.values = line.values.concat(values);
        line.times = line.times.concat(times);
        line.count += values.length;
      }
      return Array.from(lines.values(), thinned);
    },

    /** What the session used while it ran. Null when nothing was measured. */
    async usage(caller: Caller, runId: string): Promise<RunUsage | null> {
      await check(caller, runId);
      return (await queries.findUsage(db, runId)) ?? (await readUsage(db, runId));
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
