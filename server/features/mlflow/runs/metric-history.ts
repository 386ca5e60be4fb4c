import type { Db } from "../../../platform/database/database.ts";
import { RawJson } from "../http/raw-json.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { listRows, readRows } from "./metric-history-queries.ts";
import type { TrackedRuns } from "./runs-service.ts";

interface Asked {
  metric_key: string;
  max_results?: number | undefined;
  page_token?: string | undefined;
}

/** The points of one metric of a run, in the order in which they were logged. */
export function createMetricHistory(db: Db, runs: Pick<TrackedRuns, "getRow">) {
  return async (projectId: string, runId: string, { metric_key: name, ...page }: Asked): Promise<RawJson> => {
    const { began_at } = await runs.getRow(projectId, runId);
    const limit = readMaxResults(page.max_results, { usual: 25_000, most: 25_000 });
    const offset = readPageToken(page.page_token);
    const key = JSON.stringify(name);
    const { first, last, before, total } = rowsOfPage(await listRows(db, runId, name), offset, limit);
    const points: string[] = [];
    const rows = first === undefined ? [] : await readRows(db, runId, name, { from: first, to: last });
    let place = before;
    for (const { steps, values, times } of rows)
      for (const [at, value] of values.entries()) {
        const isInPage = place >= offset && points.length < limit;
        place++;
        if (!isInPage) continue;
        const timestamp = began_at.getTime() + Math.round((times[at] ?? 0) * 1_000);
        points.push(
          `{"key":${key},"value":${written(value)},"timestamp":${timestamp},"step":${Math.round(steps[at] ?? 0)}}`,
        );
      }
    const end = offset + points.length;
    const next = end < total && points.length > 0 ? `,"next_page_token":${JSON.stringify(pageToken(end))}` : "";
    return new RawJson(`{"metrics":[${points.join(",")}]${next}}`);
  };
}

/** Which rows have the points of a page, and how many points come before them. */
function rowsOfPage(rows: readonly { number: number; points: number }[], offset: number, limit: number) {
  let first: number | undefined;
  let last = 0;
  let before = 0;
  let total = 0;
  for (const { number, points } of rows) {
    const hasSome = total + points > offset && total < offset + limit;
    if (hasSome && first === undefined) {
      first = number;
      before = total;
    }
    if (hasSome) last = number;
    total += points;
  }
  return { first, last, before, total };
}

/** As MLflow writes what JSON has no number for. */
export function written(value: number | null): string {
  return Number.isFinite(value) ? String(value) : JSON.stringify(String(value ?? Number.NaN));
}
