import { countedMax, totalText } from "@miranda/contract/list-total.ts";
import type { Model, ModelMetric, ModelsQuery, ModelsResponse } from "@miranda/contract/schemas/models/models.ts";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Projects } from "../projects/projects-service.ts";
import { modelPageKey, readGraphKey, readMetricKey, readTimeKey } from "./model-page-key.ts";
import { type ListExtras, readListExtras } from "./list-extras-queries.ts";
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

  /** Models without a workflow come last, in both directions. */
  async function pageByGraph(filter: ModelFilter, { direction, after }: ModelsQuery, limit: number) {
    const from = readGraphKey("graph", after);
    const [inGraph, alone] = from && from.graphId === null ? [null, from] : [from, undefined];
    const withGraph = inGraph === null ? [] : await queries.byGraph({ ...filter, direction, from: inGraph, limit });
    if (withGraph.length === limit) return withGraph;
    const without = await queries.withoutGraph({ ...filter, direction, from: alone, limit: limit - withGraph.length });
    return [...withGraph, ...without];
  }

  function page(filter: ModelFilter, query: ModelsQuery, limit: number): Promise<ModelRow[]> {
    const { sort, direction, after } = query;
    if (sort === "graph") return pageByGraph(filter, query, limit);
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
      const extras = await readListExtras(deps.db, listed);
      return { json: listed.map((row) => toModel(row, extras.get(row.id))), next };
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

/** What answers have of a model, besides its versions. */
interface DescribedModel extends Omit<ModelRow, "created_key" | "updated_key" | "graph_key" | "metrics"> {}

export function toModel(row: DescribedModel, extras: ListExtras = noExtras): Model {
  return {
    id: row.id,
    name: row.name,
    graph: { name: row.graph_name ?? "", id: row.graph_id ?? "", project_id: row.project_id },
    project_name: row.project_name,
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
    tags: row.tags,
    ...extras,
  };
}

const noExtras: ListExtras = { latest_version: 0, best: null, aliases: [], stage: "None" };
