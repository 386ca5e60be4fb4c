import { runMetrics } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import {
  addPoints,
  countMetrics,
  extentOf,
  findLines,
  findOverlapping,
  type KnownLine,
  type MetricPoints,
  type RowPoints,
  saveSummaries,
  type Summary,
} from "./metric-rows-queries.ts";

export type { MetricPoints };

/** How much of it a run may have. */
interface Room {
  lines: number;
  points: number;
}

/** What was stored, and what was left out because the run has too much already. */
export interface WrittenMetrics {
  stored: MetricPoints[];
  linesLeftOut: number;
  pointsLeftOut: number;
}

/**
 * Adds points to the metrics of a run: rows of some hundred points, and what is known of each metric without reading
 * them. Call it inside the transaction that locks the tracked run. `isOnce`: points that the run has already, with the
 * same step, time and value, are left out. Clients send some again.
 */
export async function writeMetrics(
  trx: Db,
  run: { id: string; began_at: Date },
  all: readonly MetricPoints[],
  { isOnce = false, ...most }: Room & { isOnce?: boolean },
): Promise<WrittenMetrics> {
  const written: WrittenMetrics = { stored: [], linesLeftOut: 0, pointsLeftOut: 0 };
  if (all.length === 0) return written;
  const known = await findLines(trx, run.id, all);
  const given = isOnce ? await withoutRepeated(trx, run, all, known) : all;
  const count = await countMetrics(trx, run.id);
  const summaries = new Map<string, Summary>();
  const numbers = new Map<string, number>();
  const rows: RowPoints[] = [];
  let { lines, last } = count;
  let room = most.points - count.points;
  for (const [at, points] of given.entries()) {
    if (points.values.length === 0) continue;
    const line = known[at];
    const before = summaries.get(points.name) ?? (line && summaryOf(points.name, line));
    if (!before && lines >= most.lines) {
      written.linesLeftOut++;
      continue;
    }
    const kept = room < points.values.length ? sliceOf(points, 0, Math.max(0, room)) : points;
    written.pointsLeftOut += points.values.length - kept.values.length;
    if (kept.values.length === 0) continue;
    room -= kept.values.length;
    if (!before) lines++;
    summaries.set(points.name, added(before ?? newSummary(points.name, ++last, run.began_at), kept, run.began_at));
    const newest = numbers.get(points.name) ?? line?.last_number ?? 0;
    const parts = rowsOf(kept, newest, line);
    rows.push(...parts);
    numbers.set(points.name, Math.max(newest, parts.at(-1)?.number ?? 0));
    written.stored.push(kept);
  }
  if (rows.length > 0) await addPoints(trx, run.id, rows);
  if (summaries.size > 0) await saveSummaries(trx, run.id, [...summaries.values()]);
  return written;
}

async function withoutRepeated(
  trx: Db,
  run: { id: string; began_at: Date },
  given: readonly MetricPoints[],
  known: readonly KnownLine[],
): Promise<MetricPoints[]> {
  const doubtful = given.flatMap((points, at) => {
    const line = known[at];
    // Points after the newest one are new. Usually all of them are.
    const late = line?.points ? pointsUpTo(points, line, run.began_at) : undefined;
    return late && late.values.length > 0 ? [{ name: points.name, ...extentOf(late) }] : [];
  });
  const seen = new Map<string, Set<string>>();
  for (const row of doubtful.length > 0 ? await findOverlapping(trx, run.id, doubtful) : []) {
    const keys = seen.get(row.name) ?? new Set();
    seen.set(row.name, keys);
    for (const at of row.values.keys()) keys.add(keyOf(row, at));
  }
  return given.map((points) => {
    // A single point cannot be there twice.
    if (points.values.length === 1 && !seen.has(points.name)) return points;
    const keys = seen.get(points.name) ?? new Set();
    const places = points.values.flatMap((_value, at) => {
      const key = keyOf(points, at);
      if (keys.has(key)) return [];
      keys.add(key);
      return [at];
    });
    return places.length === points.values.length ? points : chosen(points, places);
  });
}

function pointsUpTo(points: MetricPoints, line: KnownLine, began: Date): MetricPoints {
  const [step, time] = [line.last_step ?? 0, secondsSince(began, line.last_time ?? began)];
  const places = points.values.flatMap((_value, at) => {
    const own = points.steps[at] ?? 0;
    return own < step || (own === step && (points.times[at] ?? 0) <= time) ? [at] : [];
  });
  return chosen(points, places);
}

function keyOf({ steps, times, values }: Pick<MetricPoints, "steps" | "times" | "values">, at: number): string {
  return `${steps[at]} ${times[at]} ${values[at] ?? Number.NaN}`;
}

function chosen({ steps, values, times, ...line }: MetricPoints, places: readonly number[]): MetricPoints {
  return {
    ...line,
    steps: places.map((at) => steps[at] ?? 0),
    values: places.map((at) => values[at] ?? null),
    times: places.map((at) => times[at] ?? 0),
  };
}

function sliceOf({ steps, values, times, ...line }: MetricPoints, from: number, to: number): MetricPoints {
  return { ...line, steps: steps.slice(from, to), values: values.slice(from, to), times: times.slice(from, to) };
}

/** Points go to the newest row of their line while it has room, and to new rows then. */
function rowsOf(points: MetricPoints, newest: number, line: KnownLine | undefined): RowPoints[] {
  const rows: RowPoints[] = [];
  const room = line?.row_number == null ? 0 : Math.max(0, runMetrics.pointsPerRow - (line.row_points ?? 0));
  const total = points.values.length;
  if (room > 0 && line?.row_number != null)
    rows.push({ ...sliceOf(points, 0, Math.min(room, total)), number: line.row_number });
  let next = newest + 1;
  for (let from = Math.min(room, total); from < total; from += runMetrics.pointsPerRow)
    rows.push({ ...sliceOf(points, from, Math.min(from + runMetrics.pointsPerRow, total)), number: next++ });
  return rows;
}

function summaryOf(name: string, line: KnownLine): Summary | undefined {
  const { position, points, last_value, last_step, last_time } = line;
  if (position === null || points === null || last_value === null || last_step === null || last_time === null)
    return undefined;
  const { min_value, min_step, max_value, max_step } = line;
  return { name, position, points, last_value, last_step, last_time, min_value, min_step, max_value, max_step };
}

function newSummary(name: string, position: number, began: Date): Summary {
  const none = { min_value: null, min_step: null, max_value: null, max_step: null };
  return { name, position, points: 0, last_value: Number.NaN, last_step: 0, last_time: began, ...none };
}

/** The last point is the one with the highest step, then the newest, then the largest, as clients expect it. */
function added(before: Summary, points: MetricPoints, began: Date): Summary {
  const { low, high } = extentOf(points);
  let last = before.points > 0 ? lastOf(before, began) : undefined;
  for (const [at, given] of points.values.entries()) {
    const [step, time, value] = [points.steps[at] ?? 0, points.times[at] ?? 0, given ?? Number.NaN];
    if (!last || isAfter([step, time, value], last)) last = [step, time, value];
  }
  const [step, time, value] = last ?? lastOf(before, began);
  const isLower = low && (before.min_value === null || low.value < before.min_value);
  const isHigher = high && (before.max_value === null || high.value > before.max_value);
  return {
    ...before,
    points: before.points + points.values.length,
    last_value: value,
    last_step: step,
    last_time: new Date(began.getTime() + Math.round(time * 1_000)),
    ...(isLower && { min_value: low.value, min_step: low.step }),
    ...(isHigher && { max_value: high.value, max_step: high.step }),
  };
}

type Point = [step: number, time: number, value: number];

function lastOf({ last_step, last_time, last_value }: Summary, began: Date): Point {
  return [last_step, secondsSince(began, last_time), last_value];
}

function isAfter([step, time, value]: Point, [lastStep, lastTime, lastValue]: Point): boolean {
  if (step !== lastStep) return step > lastStep;
  // To the millisecond, as the last one is stored.
  if (Math.round(time * 1_000) !== Math.round(lastTime * 1_000)) return time > lastTime;
  return value >= lastValue || Number.isNaN(lastValue) || Number.isNaN(value);
}

export function secondsSince(began: Date, time: Date): number {
  return (time.getTime() - began.getTime()) / 1_000;
}
