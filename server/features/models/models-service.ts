import { countedMax, totalText } from "@miranda/contract/list-total.ts";
import type { Model, ModelMetric, ModelsQuery, ModelsResponse } from "@miranda/contract/schemas/models.ts";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Projects } from "../projects/projects-service.ts";
import { modelPageKey, readGraphKey, readMetricKey, readTimeKey } from "./model-page-key.ts";
import { createModelQueries, type ModelFilter, type ModelRow } from "./models-queries.ts";

export type Models = ReturnType<typeof createModels>;

export function createModels(deps: { db: Db; projects: Projects }) {
  const queries = createModelQueries(deps.db);

  /** Models with a value come first, in both directions. */
  async function pageByMetric(metric: ModelMetric, filter: ModelFilter, query: ModelsQuery, limit: number) {
    const { direction } = query;
    const from = readMetricKey(metric, query.after);
    const withValue =
      from?.value === null
        ? []
        : await queries.byMetric(metric, {
            ...filter,
            direction,
            from: from && { value: from.value, id: from.id },
            limit,
          });
    if (withValue.length === limit) return withValue;
    const without = await queries.withoutMetric(metric, {
      ...filter,
      direction,
      from: from?.value === null ? from : undefined,
      limit: limit - withValue.length,
    });
    return [...withValue, ...without];
  }

  function page(filter: ModelFilter, query: ModelsQuery, limit: number): Promise<ModelRow[]> {
    const { sort, direction, after } = query;
    if (sort === "graph") return queries.byGraph({ ...filter, direction, from: readGraphKey(sort, after), limit });
    if (sort === "created" || sort === "updated")
      return queries.byTime(`models.${sort}_at`, { ...filter, direction, from: readTimeKey(sort, after), limit });
    return pageByMetric(sort, filter, query, limit);
  }

  return {
    async list(caller: Caller, query: ModelsQuery): Promise<ModelsResponse> {
      // One more than asked for shows whether there is another page.
      const rows = await page(filterOf(caller, query), query, query.limit + 1);
      const listed = rows.slice(0, query.limit);
      const last = listed.at(-1);
      const next = rows.length > query.limit && last ? modelPageKey(query.sort, last) : null;
      return { json: listed.map(toModel), next };
    },

    /** How many models match, or `1000+`. */
    async count(caller: Caller, query: ModelsQuery): Promise<string> {
      return totalText(await queries.countUpTo(filterOf(caller, query), countedMax + 1));
    },
  };

  function filterOf(caller: Caller, { id, graph }: ModelsQuery): ModelFilter {
    return { access: deps.projects.accessExpression(caller), id, graph };
  }
}

function toModel(row: ModelRow): Model {
  return {
    id: row.id,
    name: row.name,
    graph: { name: row.graph_name, id: row.graph_id, project_id: row.project_id },
    authors: row.authors,
    miranda_version: row.miranda_version,
    hardware: row.hardware,
    loss: row.loss,
    accuracy: row.accuracy,
    precision: row.precision,
    recall: row.recall,
    time_created: row.created_at.toISOString(),
    last_updated: row.updated_at.toISOString(),
    run_id: row.run_id,
  };
}
