import { trackingLimits as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { ViewType } from "../experiments/experiments-queries.ts";
import { numberOf } from "../experiments/experiments-service.ts";
import { RawJson } from "../http/raw-json.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { parseFilter, type SearchTerms } from "../search/parse-filter.ts";
import { parseOrders } from "../search/parse-order.ts";
import { readRuns } from "./read-runs-queries.ts";
import { findRuns } from "./run-search-queries.ts";

interface Search {
  experiment_ids: string[];
  filter?: string | undefined;
  order_by?: string[] | undefined;
  run_view_type: ViewType;
  max_results?: number | undefined;
  page_token?: string | undefined;
}

const text = (key: string) => ({ key, holds: "text" }) as const;
const number = (key: string) => ({ key, holds: "number" }) as const;

const terms: SearchTerms = {
  types: ["attribute", "metric", "param", "tag", "dataset"],
  attributes: {
    ...{ run_id: text("run_id"), run_name: text("run_name"), user_id: text("user_id"), status: text("status") },
    ...{ artifact_uri: text("artifact_uri"), experiment_id: text("experiment_id") },
    ...{ start_time: number("start_time"), end_time: number("end_time") },
    // Names that MLflow's own page uses.
    ...{ "run name": text("run_name"), "Run name": text("run_name"), "Run Name": text("run_name") },
    ...{ user: text("user_id"), User: text("user_id"), created: number("start_time"), Created: number("start_time") },
  },
};

const readAtOnce = 500;

/** Searches runs. A page ends early where it would be too large. */
export function createRunSearch(db: Db) {
  return async (projectId: string, given: Search, reader: string | undefined): Promise<RawJson> => {
    const limit = readMaxResults(given.max_results, { usual: 1_000, most: 50_000 });
    const offset = readPageToken(given.page_token);
    const ids = await findRuns(db, projectId, {
      experiments: given.experiment_ids.flatMap((id) => numberOf(id) ?? []),
      view: given.run_view_type,
      clauses: parseFilter(given.filter, terms),
      orders: parseOrders(given.order_by, terms),
      offset,
      limit: limit + 1,
      reader,
    });
    const page = ids.slice(0, limit);
    const runs: string[] = [];
    let length = 0;
    for (let at = 0; at < page.length && length < limits.searchBytes; at += readAtOnce)
      for (const run of await readRuns(db, page.slice(at, at + readAtOnce))) {
        runs.push(run);
        length += run.length;
      }
    const next =
      ids.length > runs.length ? `,"next_page_token":${JSON.stringify(pageToken(offset + runs.length))}` : "";
    return new RawJson(`{"runs":[${runs.join(",")}]${next}}`);
  };
}
