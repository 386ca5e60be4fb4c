import { thinnedPlaces } from "@miranda/contract/metrics/thin-points.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** One line: a metric of a run, as one node logged it. */
interface LineKey {
  run_id: string;
  name: string;
  node: number | null;
}

/** In the order of its points. `count` is how many it really has. */
export interface ThinLine extends LineKey {
  steps: number[];
  values: (number | null)[];
  times: number[];
  count: number;
}

interface Row extends LineKey {
  points: number;
  steps: number[] | null;
  values: (number | null)[] | null;
  times: number[] | null;
  low: number | null;
  low_step: number | null;
  low_time: number | null;
  high: number | null;
  high_step: number | null;
  high_time: number | null;
}

// Longer lines are drawn from what is known of their rows: the points themselves would be megabytes. Their first and last
// row are read, so that a line begins and ends where it should.
const wholeMax = 10_000;
// Of all lines together: so many points are read, and so many sent.
const readMax = 2_000_000;
const sentMax = 400_000;

/**
 * Metrics of several runs for a chart, in the order in which they were first logged: at most so many points of each,
 * with its extremes. Values that are not finite are null. Without names: all metrics.
 */
export async function readThinLines(
  db: Db,
  runIds: readonly string[],
  names: readonly string[] | undefined,
  { points, lines: most }: { points: number; lines: number },
): Promise<ThinLine[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<Row>`
    with chosen as (
      select run_id, name, points, position,
        points <= least(${wholeMax}::bigint, ${readMax}::bigint / count(*) over ()) as is_whole
      from metric_summaries
      where run_id = any(${runIds}::uuid[]) and (${names ?? null}::text[] is null or name = any(${names ?? null}::text[]))
      order by run_id, position limit ${most}
    ), placed as (
      select chosen.position, rows.*, chosen.is_whole
        or lag(rows.number) over line is null or lead(rows.number) over line is null as is_read
      from chosen join run_metrics as rows on rows.run_id = chosen.run_id and rows.name = chosen.name
      window line as (partition by rows.run_id, rows.name, rows.node_id order by rows.number)
    )
    select run_id, name, node_id as node, points,
      case when is_read then steps end as steps, case when is_read then values end as values,
      case when is_read then times end as times, low, low_step, low_time, high, high_step, high_time
    from placed order by run_id, position, number`.execute(db);
  const lines = new Map<string, ThinLine>();
  for (const row of rows) {
    const { run_id, name, node } = row;
    const key = JSON.stringify([run_id, name, node]);
    const line = lines.get(key) ?? { run_id, name, node, steps: [], values: [], times: [], count: 0 };
    lines.set(key, line);
    line.count += row.points;
    for (const [step, value, time] of pointsOf(row)) {
      line.steps.push(step);
      line.values.push(Number.isFinite(value) ? value : null);
      line.times.push(time);
    }
  }
  const each = Math.min(points, Math.max(20, Math.floor(sentMax / Math.max(1, lines.size))));
  return Array.from(lines.values(), (line) => thinned(line, each));
}

type Point = readonly [step: number, value: number | null, time: number];

/** All points of a row, or its two extremes in their order. */
function pointsOf({ steps, values, times, ...row }: Row): Point[] {
  if (steps && values && times) return values.map((value, at) => [steps[at] ?? 0, value, times[at] ?? 0] as const);
  const low: Point[] = row.low === null ? [] : [[row.low_step ?? 0, row.low, row.low_time ?? 0]];
  const high: Point[] = row.high === null ? [] : [[row.high_step ?? 0, row.high, row.high_time ?? 0]];
  if (low[0] && high[0] && low[0][0] === high[0][0] && low[0][2] === high[0][2]) return low;
  return [...low, ...high].toSorted(([step, , time], [other, , later]) => step - other || time - later);
}

function thinned(line: ThinLine, points: number): ThinLine {
  if (line.values.length <= points) return line;
  const places = thinnedPlaces(line.values, points);
  return {
    ...line,
    steps: places.map((at) => line.steps[at] ?? 0),
    values: places.map((at) => line.values[at] ?? null),
    times: places.map((at) => line.times[at] ?? 0),
  };
}
