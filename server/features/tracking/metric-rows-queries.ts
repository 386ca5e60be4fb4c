import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Some points of a metric. Times are in seconds since the run began. */
export interface MetricPoints {
  name: string;
  node: number | null;
  steps: number[];
  values: (number | null)[];
  times: number[];
}

/** What is known of a metric and of one node's line of it. */
export interface KnownLine {
  place: number;
  /** Of the whole metric. Null for a new one. */
  position: number | null;
  points: number | null;
  last_value: number | null;
  last_step: number | null;
  last_time: Date | null;
  min_value: number | null;
  min_step: number | null;
  max_value: number | null;
  max_step: number | null;
  last_number: number | null;
  /** The newest row of the line, to which points are added while it has room. */
  row_number: number | null;
  row_points: number | null;
}

/** Points as they are added to a row, with what is known of them without reading them. */
export interface RowPoints extends MetricPoints {
  number: number;
}

export interface Summary {
  name: string;
  position: number;
  points: number;
  last_value: number;
  last_step: number;
  last_time: Date;
  min_value: number | null;
  min_step: number | null;
  max_value: number | null;
  max_step: number | null;
}

/** How many metrics and points a run has. */
export async function countMetrics(trx: Db, runId: string): Promise<{ lines: number; points: number; last: number }> {
  const { rows } = await sql<{ lines: number; points: number; last: number }>`
    select count(*) as lines, coalesce(sum(points), 0) as points, coalesce(max(position), 0) as last
    from metric_summaries where run_id = ${runId}`.execute(trx);
  return rows[0] ?? { lines: 0, points: 0, last: 0 };
}

export async function findLines(trx: Db, runId: string, lines: readonly MetricPoints[]): Promise<KnownLine[]> {
  const { rows } = await sql<KnownLine>`
    select given.place, position, summary.points, last_value, summary.last_step, summary.last_time,
      min_value, min_step, max_value, max_step,
      newest.number as last_number, own.number as row_number, own.points as row_points
    from unnest(${lines.map(({ name }) => name)}::text[], ${lines.map(({ node }) => node)}::bigint[])
      with ordinality as given(name, node, place)
    left join metric_summaries as summary on summary.run_id = ${runId} and summary.name = given.name
    left join lateral (select number, node_id, points from run_metrics where run_id = ${runId} and name = given.name
      order by number desc limit 1) as newest on summary.name is not null
    -- Usually one node logs a metric, so that the newest row is its own.
    left join lateral (select newest.number, newest.points where newest.node_id is not distinct from given.node
      union all (select number, points from run_metrics where newest.node_id is distinct from given.node
        and run_id = ${runId} and name = given.name and node_id is not distinct from given.node
        order by number desc limit 1)) as own on newest.number is not null
    order by given.place`.execute(trx);
  return rows;
}

/** How many points each of these lines has. One name may have lines of several nodes. */
export async function countLines(trx: Db, runId: string, names: readonly string[]) {
  const { rows } = await sql<{ name: string; node_id: number | null; points: number }>`
    select name, node_id, sum(points) as points from run_metrics
    where run_id = ${runId} and name = any(${names}::text[]) group by name, node_id`.execute(trx);
  return rows;
}

/** Rows that may have one of these points already. */
export async function findOverlapping(
  trx: Db,
  runId: string,
  ranges: readonly ({ name: string } & Pick<Extent, "firstStep" | "lastStep" | "firstTime" | "lastTime">)[],
) {
  const { rows } = await sql<{ name: string; steps: number[]; values: (number | null)[]; times: number[] }>`
    select run_metrics.name, steps, values, times
    from unnest(${ranges.map(({ name }) => name)}::text[],
      ${ranges.map((of) => of.firstStep)}::float8[], ${ranges.map((of) => of.lastStep)}::float8[],
      ${ranges.map((of) => of.firstTime)}::float8[], ${ranges.map((of) => of.lastTime)}::float8[])
      as given(name, from_step, to_step, from_time, to_time)
    join run_metrics on run_id = ${runId} and run_metrics.name = given.name
      and first_step <= to_step and last_step >= from_step and first_time <= to_time and last_time >= from_time`.execute(
    trx,
  );
  return rows;
}

/** Adds rows, and points to rows that exist. Arrays go as texts: lists of different lengths are no array of arrays. */
export async function addPoints(trx: Db, runId: string, rows: readonly RowPoints[]): Promise<void> {
  const extents = rows.map(extentOf);
  await sql`
    insert into run_metrics as known (run_id, name, number, node_id, points, steps, values, times,
      first_step, last_step, first_time, last_time, low, low_step, low_time, high, high_step, high_time)
    select ${runId}, name, number, node_id, points, steps::float8[], values::float8[], times::float8[],
      first_step, last_step, first_time, last_time, low, low_step, low_time, high, high_step, high_time
    from unnest(${rows.map(({ name }) => name)}::text[], ${rows.map(({ number }) => number)}::integer[],
      ${rows.map(({ node }) => node)}::bigint[], ${rows.map(({ values }) => values.length)}::integer[],
      ${rows.map(({ steps }) => listOf(steps))}::text[], ${rows.map(({ values }) => listOf(values))}::text[],
      ${rows.map(({ times }) => listOf(times))}::text[],
      ${extents.map((of) => of.firstStep)}::float8[], ${extents.map((of) => of.lastStep)}::float8[],
      ${extents.map((of) => of.firstTime)}::float8[], ${extents.map((of) => of.lastTime)}::float8[],
      ${extents.map((of) => of.low?.value ?? null)}::float8[], ${extents.map((of) => of.low?.step ?? null)}::float8[],
      ${extents.map((of) => of.low?.time ?? null)}::float8[],
      ${extents.map((of) => of.high?.value ?? null)}::float8[], ${extents.map((of) => of.high?.step ?? null)}::float8[],
      ${extents.map((of) => of.high?.time ?? null)}::float8[])
      as given(name, number, node_id, points, steps, values, times,
        first_step, last_step, first_time, last_time, low, low_step, low_time, high, high_step, high_time)
    on conflict (run_id, name, number) do update set
      points = known.points + excluded.points, steps = known.steps || excluded.steps,
      values = known.values || excluded.values, times = known.times || excluded.times,
      first_step = least(known.first_step, excluded.first_step), last_step = greatest(known.last_step, excluded.last_step),
      first_time = least(known.first_time, excluded.first_time), last_time = greatest(known.last_time, excluded.last_time),
      (low, low_step, low_time) = (select excluded.low, excluded.low_step, excluded.low_time
          where known.low is null or excluded.low < known.low
        union all select known.low, known.low_step, known.low_time limit 1),
      (high, high_step, high_time) = (select excluded.high, excluded.high_step, excluded.high_time
          where known.high is null or excluded.high > known.high
        union all select known.high, known.high_step, known.high_time limit 1)`.execute(trx);
}

export async function saveSummaries(trx: Db, runId: string, summaries: readonly Summary[]): Promise<void> {
  const column = <Value>(read: (summary: Summary) => Value) => summaries.map(read);
  await sql`
    insert into metric_summaries (run_id, name, position, points, last_value, last_step, last_time,
      min_value, min_step, max_value, max_step)
    select ${runId}, * from unnest(${column(({ name }) => name)}::text[], ${column((of) => of.position)}::integer[],
      ${column((of) => of.points)}::bigint[], ${column((of) => of.last_value)}::float8[],
      ${column((of) => of.last_step)}::float8[], ${column((of) => of.last_time)}::timestamptz[],
      ${column((of) => of.min_value)}::float8[], ${column((of) => of.min_step)}::float8[],
      ${column((of) => of.max_value)}::float8[], ${column((of) => of.max_step)}::float8[])
    on conflict (run_id, name) do update set points = excluded.points, last_value = excluded.last_value,
      last_step = excluded.last_step, last_time = excluded.last_time, min_value = excluded.min_value,
      min_step = excluded.min_step, max_value = excluded.max_value, max_step = excluded.max_step`.execute(trx);
}

type Extent = ReturnType<typeof extentOf>;

interface Extreme {
  value: number;
  step: number;
  time: number;
}

/** From where to where points go, and their extremes. Only finite values count. */
export function extentOf({ steps, values, times }: Pick<MetricPoints, "steps" | "values" | "times">) {
  let [firstStep, lastStep, firstTime, lastTime] = [Infinity, -Infinity, Infinity, -Infinity];
  let low: Extreme | undefined;
  let high: Extreme | undefined;
  for (const [at, value] of values.entries()) {
    const step = steps[at] ?? 0;
    const time = times[at] ?? 0;
    firstStep = Math.min(firstStep, step);
    lastStep = Math.max(lastStep, step);
    firstTime = Math.min(firstTime, time);
    lastTime = Math.max(lastTime, time);
    if (value === null || !Number.isFinite(value)) continue;
    if (!low || value < low.value) low = { value, step, time };
    if (!high || value > high.value) high = { value, step, time };
  }
  return { firstStep, lastStep, firstTime, lastTime, low, high };
}

function listOf(numbers: readonly (number | null)[]): string {
  return `{${numbers.map((value) => value ?? "NaN").join(",")}}`;
}
