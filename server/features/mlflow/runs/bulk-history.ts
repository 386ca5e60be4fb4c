import type { Db } from "../../../platform/database/database.ts";
import { RawJson } from "../http/raw-json.ts";
import { invalid } from "../http/mlflow-error.ts";
import { listRowsInRange, readRows } from "./metric-history-queries.ts";
import { written } from "./metric-history.ts";
import { findRunId, readRunId, toRunId } from "./run-ids.ts";
import type { TrackedRuns } from "./runs-service.ts";

interface Point {
  step: number;
  value: number;
  /** In milliseconds. */
  time: number;
}

interface AskedBulk {
  run_id: string[];
  metric_key: string;
  max_results?: number | undefined;
}

interface AskedInterval {
  run_ids: string[];
  metric_key: string;
  start_step?: number | undefined;
  end_step?: number | undefined;
  max_results?: number | undefined;
}

interface Range {
  from: number;
  to: number;
}

const runsMax = 100;
const bulkMax = 25_000;
const perRunMax = 2_500;
// How many points one call reads, of all runs together. For longer metrics it takes the extremes of each row.
const readMax = 200_000;

/** One metric of several runs, for charts. */
export function createBulkHistory(db: Db, runs: Pick<TrackedRuns, "getRow" | "findRow">) {
  /** The first points in the order of logging. */
  async function firstPoints(runId: string, began: number, name: string, most: number): Promise<Point[]> {
    const found: Point[] = [];
    const rows = await listRowsInRange(db, runId, name);
    let [last, points] = [0, 0];
    for (const row of rows) {
      if (points >= most) break;
      last = row.number;
      points += row.points;
    }
    for (const row of rows.length > 0 ? await readRows(db, runId, name, { from: 0, to: last }) : [])
      found.push(...pointsOf(row, began));
    return found.slice(0, most);
  }

  /** The points between two steps: all of them, or only the extremes of each row of a long metric. */
  async function pointsBetween(
    runId: string,
    began: number,
    name: string,
    range: Range | undefined,
    most: number,
  ): Promise<Point[]> {
    const rows = await listRowsInRange(db, runId, name, range);
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (!first || !last) return [];
    const isLong = rows.reduce((sum, { points }) => sum + points, 0) > most;
    const whole = isLong
      ? rows.flatMap((row) => extremesOf(row, began))
      : (await readRows(db, runId, name, { from: first.number, to: last.number })).flatMap((row) =>
          pointsOf(row, began),
        );
    return range ? whole.filter(({ step }) => step >= range.from && step <= range.to) : whole;
  }

  return {
    /** Like MLflow's server, it leaves out runs that do not exist. */
    async bulk(projectId: string, { run_id: given, metric_key: name, max_results }: AskedBulk): Promise<RawJson> {
      if (given.length === 0) throw invalid("GetMetricHistoryBulk request must specify at least one run_id.");
      if (given.length > runsMax)
        throw invalid(
          `GetMetricHistoryBulk request cannot specify more than ${runsMax} run_ids. Received ${given.length} run_ids.`,
        );
      const most = Math.max(0, Math.min(max_results ?? bulkMax, bulkMax));
      const texts: string[] = [];
      for (const id of [...new Set(given.flatMap((one) => findRunId(one) ?? []))].toSorted()) {
        const row = texts.length < most ? await runs.findRow(projectId, id) : undefined;
        if (!row) continue;
        const points = await firstPoints(id, row.began_at.getTime(), name, most - texts.length);
        points.sort((one, other) => one.time - other.time || one.step - other.step || byValue(one, other));
        texts.push(...points.map((point) => pointText(name, id, point)));
      }
      return new RawJson(`{"metrics":[${texts.join(",")}]}`);
    },

    /** A limited number of points of each run, evenly over its steps, always with the first and the last. */
    async interval(projectId: string, given: AskedInterval): Promise<RawJson> {
      const { run_ids: ids, metric_key: name, start_step: from, end_step: to, max_results: limit = perRunMax } = given;
      if (ids.length > runsMax)
        throw invalid(
          `GetMetricHistoryBulkInterval request must specify at most ${runsMax} run_ids. Received ${ids.length} run_ids.`,
        );
      if (limit < 1 || limit > perRunMax) throw invalid(`max_results must be between 1 and ${perRunMax}.`);
      if ((from === undefined) !== (to === undefined))
        throw invalid("If either start step or end step are specified, both must be specified.");
      const range = from === undefined || to === undefined ? undefined : { from, to };
      if (range && range.from > range.to)
        throw invalid(
          `end_step must be greater than start_step. Found start_step=${range.from} and end_step=${range.to}.`,
        );
      const texts: string[] = [];
      for (const id of ids.map((one) => readRunId(one))) {
        const { began_at } = await runs.getRow(projectId, id);
        const points = await pointsBetween(id, began_at.getTime(), name, range, Math.floor(readMax / ids.length));
        points.sort((one, other) => one.step - other.step || one.time - other.time || byValue(one, other));
        texts.push(...evenly(points, limit).map((point) => pointText(name, id, point)));
      }
      return new RawJson(`{"metrics":[${texts.join(",")}]}`);
    },
  };
}

type Row = Awaited<ReturnType<typeof readRows>>[number];
type RowFacts = Awaited<ReturnType<typeof listRowsInRange>>[number];

function pointsOf({ steps, values, times }: Row, began: number): Point[] {
  return values.map((value, at) => pointAt(steps[at] ?? 0, value, times[at] ?? 0, began));
}

function extremesOf({ low, low_step, low_time, high, high_step, high_time }: RowFacts, began: number): Point[] {
  return [
    ...(low === null ? [] : [pointAt(low_step ?? 0, low, low_time ?? 0, began)]),
    ...(high === null || (high_step === low_step && high_time === low_time)
      ? []
      : [pointAt(high_step ?? 0, high, high_time ?? 0, began)]),
  ];
}

const pointAt = (step: number, value: number | null, seconds: number, began: number): Point => ({
  step: Math.round(step),
  value: value ?? Number.NaN,
  time: began + Math.round(seconds * 1_000),
});

const byValue = (one: Point, other: Point): number => (one.value < other.value ? -1 : one.value > other.value ? 1 : 0);

/** Takes points at even distances, and the last one. */
function evenly(points: readonly Point[], most: number): Point[] {
  if (points.length <= most) return [...points];
  const chosen = Array.from({ length: most - 1 }, (_, at) => points[Math.floor((at * points.length) / most)]);
  return [...chosen, points.at(-1)].flatMap((point) => point ?? []);
}

function pointText(name: string, runId: string, { value, time, step }: Point): string {
  const key = JSON.stringify(name);
  return `{"key":${key},"value":${written(value)},"timestamp":${time},"step":${step},"run_id":"${toRunId(runId)}"}`;
}
