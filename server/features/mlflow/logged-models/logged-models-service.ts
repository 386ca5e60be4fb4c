import { randomBytes } from "node:crypto";

import { registry as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { ensureTracked } from "../../tracking/tracked-runs-queries.ts";
import { createExperiments } from "../experiments/experiments-service.ts";
import { checkKey } from "../http/entity-names.ts";
import { invalid, MlflowError, missing } from "../http/mlflow-error.ts";
import { noRun, readRunId } from "../runs/run-ids.ts";
import { randomRunName } from "../runs/run-names.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { parseFilter } from "../search/parse-filter.ts";
import { parseOrders } from "../search/parse-order.ts";
import { toLoggedModel } from "./logged-model-view.ts";
import {
  createLoggedModelQueries,
  type DatasetFilter,
  type LoggedModelRow,
  type LoggedOrder,
  loggedTerms,
} from "./logged-models-queries.ts";

interface Pair {
  key: string;
  value: string;
}

interface NewLoggedModel {
  experiment_id: string;
  name?: string | undefined;
  model_type?: string | undefined;
  source_run_id?: string | undefined;
  params?: Pair[] | undefined;
  tags?: Pair[] | undefined;
}

interface GivenOrder {
  field_name: string;
  ascending: boolean;
  dataset_name?: string | undefined;
  dataset_digest?: string | undefined;
}

interface LoggedSearch {
  experiment_ids: string[];
  filter?: string | undefined;
  datasets?: DatasetFilter[] | undefined;
  max_results?: number | undefined;
  order_by?: GivenOrder[] | undefined;
  page_token?: string | undefined;
}

export type LoggedModels = ReturnType<typeof createLoggedModels>;

/** By the numbers that clients of other languages send. */
const states = ["", "LOGGED_MODEL_PENDING", "LOGGED_MODEL_READY", "LOGGED_MODEL_UPLOAD_FAILED"];
const badCharacters = /[/:.%"']/;

/** Models as training code logged them, whether or not they were registered. */
export function createLoggedModels({ db }: { db: Db }) {
  const queries = createLoggedModelQueries(db);
  const experiments = createExperiments(db);

  async function getModel(projectId: string, id: string): Promise<LoggedModelRow> {
    const found = await queries.find(projectId, id);
    if (!found) throw missing(`Logged model with ID '${id.slice(0, 100)}' not found.`);
    return found;
  }

  async function described(rows: readonly LoggedModelRow[]) {
    const metrics = Map.groupBy(await queries.metrics(rows.map(({ id }) => id)), ({ model_id }) => model_id);
    return rows.map((row) => toLoggedModel(row, metrics.get(row.id) ?? []));
  }

  async function answerOf(row: LoggedModelRow) {
    const [model] = await described([row]);
    return { model };
  }

  async function add(id: string, column: "tags" | "params", pairs: readonly Pair[]): Promise<void> {
    if (pairs.length === 0) return;
    if (!(await queries.add(id, column, recordOf(pairs, column), limits.loggedTextMax))) throw tooMuch();
  }

  /** The run that made a new model. Node code may only write to models of its own run, also when it names none. */
  async function sourceOf({ job }: Caller, projectId: string, given: string | undefined): Promise<string | null> {
    const id = given ? readRunId(given) : (job?.runId ?? null);
    if (id === null) return null;
    if (id === job?.runId) await db.transaction().execute((trx) => ensureTracked(trx, id));
    if (!(await queries.isRun(projectId, id))) throw noRun(id);
    return id;
  }

  return {
    async create(caller: Caller, projectId: string, given: NewLoggedModel) {
      const { number } = await experiments.getActive(projectId, given.experiment_id);
      const name = checkName(given.name || randomRunName());
      const runId = await sourceOf(caller, projectId, given.source_run_id);
      const tags = recordOf(given.tags ?? [], "tags");
      const params = recordOf(given.params ?? [], "params");
      if (JSON.stringify([tags, params]).length > limits.loggedTextMax) throw tooMuch();
      if ((await queries.count(projectId, limits.loggedPerProject)) >= limits.loggedPerProject)
        throw new MlflowError(
          "RESOURCE_LIMIT_EXCEEDED",
          `A project can have at most ${limits.loggedPerProject} logged models.`,
        );
      const row = await queries.insert(projectId, {
        id: `m-${randomBytes(16).toString("hex")}`,
        ...{ experiment: number, run_id: runId, name, type: (given.model_type ?? "").slice(0, 500), tags, params },
      });
      return { model: toLoggedModel(row, []) };
    },

    get: async (projectId: string, id: string) => answerOf(await getModel(projectId, id)),

    async finalize(projectId: string, id: string, status: string | number) {
      const known = typeof status === "number" ? states[status] : status;
      if (!known || !states.includes(known))
        throw invalid(`Invalid value ${JSON.stringify(status).slice(0, 100)} for parameter 'status' supplied.`);
      await getModel(projectId, id);
      await queries.setStatus(id, known);
      return answerOf(await getModel(projectId, id));
    },

    async delete(projectId: string, id: string): Promise<void> {
      await getModel(projectId, id);
      await queries.remove(id);
    },

    async setTags(projectId: string, id: string, tags: readonly Pair[]): Promise<void> {
      await getModel(projectId, id);
      await add(id, "tags", tags);
    },

    async deleteTag(projectId: string, id: string, key: string): Promise<void> {
      await getModel(projectId, id);
      if (!(await queries.removeTag(id, key)))
        throw missing(`No tag with key '${key.slice(0, 250)}' found for model with ID '${id}'.`);
    },

    /** As with runs: a parameter keeps its first value. */
    async logParams(projectId: string, id: string, params: readonly Pair[]): Promise<void> {
      const { params: known } = await getModel(projectId, id);
      for (const { key, value } of params)
        if (Object.hasOwn(known, key) && known[key] !== value)
          throw invalid(
            `Changing param values is not allowed. Param with key='${key.slice(0, 250)}' was already logged with value='${known[key]?.slice(0, 200)}' for model ID='${id}'. Attempted logging new value '${value.slice(0, 200)}'.`,
          );
      await add(id, "params", params);
    },

    async search(projectId: string, given: LoggedSearch, reader: string | undefined) {
      const limit = readMaxResults(given.max_results, { usual: 100, most: 1_000 });
      const offset = readPageToken(given.page_token);
      if (given.datasets?.some(({ dataset_name }) => dataset_name === ""))
        throw invalid("`dataset_name` in the `datasets` clause must be specified.");
      const wanted = {
        clauses: parseFilter(given.filter, loggedTerms),
        datasets: given.datasets ?? [],
        orders: (given.order_by ?? []).map(readOrder),
        reader,
      };
      const numbers = given.experiment_ids.flatMap((id) => (/^\d{1,9}$/.test(id) ? [Number(id)] : []));
      const rows = await queries.search(projectId, numbers, wanted, { offset, limit: limit + 1 });
      return {
        ...(rows.length > 0 && { models: await described(rows.slice(0, limit)) }),
        ...(rows.length > limit && { next_page_token: pageToken(offset + limit) }),
      };
    },
  };
}

function checkName(name: string): string {
  if (badCharacters.test(name))
    throw invalid(
      `Invalid model name ('${name.slice(0, 200)}') provided. Model name must be a non-empty string and cannot contain the following characters: ('/', ':', '.', '%', '"', "'")`,
    );
  if (name.length > limits.loggedNameMax)
    throw invalid(`'name' exceeds the maximum length of ${limits.loggedNameMax} characters`);
  return name;
}

function readOrder({ field_name, ascending, dataset_name, dataset_digest }: GivenOrder): LoggedOrder {
  const [order] = parseOrders([field_name], loggedTerms);
  if (!order) throw invalid("Invalid order_by clause.");
  return {
    ...order,
    direction: ascending ? "asc" : "desc",
    dataset: dataset_name ? { dataset_name, dataset_digest } : undefined,
  };
}

function recordOf(pairs: readonly Pair[], name: string): Record<string, string> {
  for (const [at, { key, value }] of pairs.entries()) {
    checkKey(key, `${name}[${at}].key`);
    if (value.length > limits.loggedValueMax)
      throw invalid(`'${name}[${at}].value' exceeds the maximum length of ${limits.loggedValueMax} characters`);
  }
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

function tooMuch(): MlflowError {
  return new MlflowError("RESOURCE_LIMIT_EXCEEDED", "A logged model can have no more tags and params.");
}
