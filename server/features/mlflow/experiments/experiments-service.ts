import { trackingLimits as limits } from "../../../limits.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import type { JobOfCaller } from "../../../platform/http/caller.ts";
import {
  defaultExperiment,
  ensureDefaultExperiment,
  ensureExperimentOf,
  nextExperiment,
} from "../../tracking/experiments-queries.ts";
import { checkKey, cut, entityLimits } from "../http/entity-names.ts";
import { invalid, missing, MlflowError } from "../http/mlflow-error.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { parseFilter, type SearchTerms } from "../search/parse-filter.ts";
import { parseOrders } from "../search/parse-order.ts";
import { createExperimentQueries, type ExperimentRow, type ViewType } from "./experiments-queries.ts";

interface Search {
  filter?: string | undefined;
  order_by?: string[] | undefined;
  view_type: ViewType;
  max_results?: number | undefined;
  page_token?: string | undefined;
}

export type Experiments = ReturnType<typeof createExperiments>;

const terms: SearchTerms = {
  types: ["attribute", "tag"],
  attributes: {
    name: { key: "name", holds: "text" },
    creation_time: { key: "creation_time", holds: "number" },
    last_update_time: { key: "last_update_time", holds: "number" },
    experiment_id: { key: "experiment_id", holds: "number" },
  },
};

/** The experiments of a project, as clients of MLflow see them. */
export function createExperiments(db: Db) {
  const queries = createExperimentQueries(db);

  /** Deleted ones are found too. */
  async function getExperiment(projectId: string, id: string): Promise<ExperimentRow> {
    const number = numberOf(id);
    if (number === defaultExperiment.number) await ensureDefaultExperiment(db, projectId);
    const row = number === undefined ? undefined : await queries.find(projectId, number);
    if (!row) throw missing(`No Experiment with id=${id.slice(0, 100)} exists`);
    return row;
  }

  async function getActive(projectId: string, id: string): Promise<ExperimentRow> {
    const row = await getExperiment(projectId, id);
    if (row.deleted_at !== null)
      throw invalid(`The experiment ${id} must be in the 'active' state. Current state is deleted.`);
    return row;
  }

  return {
    getExperiment,
    getActive,

    /** Node code knows the experiment of its workflow by the workflow's name, also when that is another one's too. */
    async findOwn({ graphId, projectId }: JobOfCaller, name: string): Promise<ExperimentRow | undefined> {
      const graph = graphId === null ? undefined : await queries.findGraph(graphId, name);
      if (!graph) return undefined;
      const number = await db.transaction().execute((trx) => ensureExperimentOf(trx, graph));
      return queries.find(projectId, number);
    },

    async getByName(projectId: string, name: string): Promise<ExperimentRow> {
      if (name === defaultExperiment.name) await ensureDefaultExperiment(db, projectId);
      const row = await queries.findByName(projectId, name);
      if (!row) throw missing(`Could not find experiment with name '${name.slice(0, 200)}'`);
      return row;
    },

    create(projectId: string, name: string, tags: readonly { key: string; value: string }[]): Promise<number> {
      checkName(name);
      const kept = Object.fromEntries(
        tags.map(({ key, value }, at) => {
          checkKey(key, `tags[${at}].key`);
          return [key, cut(value, entityLimits.tagValue)];
        }),
      );
      if (tags.length > limits.tagsPerExperiment) throw tooManyTags();
      return addWithinQuota(db, { what: "experiments", owner: projectId }, async (trx) => {
        const inside = createExperimentQueries(trx);
        const number = await nextExperiment(trx, projectId);
        if (await inside.findByName(projectId, name)) throw taken(name);
        if ((await inside.count(projectId)) >= limits.experimentsPerProject)
          throw new MlflowError(
            "RESOURCE_LIMIT_EXCEEDED",
            `A project can have at most ${limits.experimentsPerProject} experiments.`,
          );
        await inside.insert(projectId, number, name, JSON.stringify(kept));
        return number;
      });
    },

    async rename(projectId: string, id: string, name: string): Promise<void> {
      checkName(name);
      const { number } = await getActive(projectId, id);
      try {
        await queries.rename(projectId, number, name);
      } catch (error) {
        throw violatedUnique(error) === undefined ? error : taken(name);
      }
    },

    async remove(projectId: string, id: string): Promise<void> {
      const { number } = await getActive(projectId, id);
      await db.transaction().execute((trx) => createExperimentQueries(trx).remove(projectId, number));
    },

    async restore(projectId: string, id: string): Promise<void> {
      const { number, deleted_at } = await getExperiment(projectId, id);
      if (deleted_at === null)
        throw invalid(`The experiment ${id} must be in the 'deleted' state. Current state is active.`);
      await db.transaction().execute((trx) => createExperimentQueries(trx).restore(projectId, number, deleted_at));
    },

    async setTag(projectId: string, id: string, key: string, value: string): Promise<void> {
      checkKey(key, "key");
      const { number } = await getActive(projectId, id);
      const tag = { key, value: cut(value, entityLimits.tagValue) };
      if (!(await queries.setTag(projectId, number, tag, limits.tagsPerExperiment))) throw tooManyTags();
    },

    async deleteTag(projectId: string, id: string, key: string): Promise<void> {
      const { number } = await getActive(projectId, id);
      if (!(await queries.deleteTag(projectId, number, key)))
        throw missing(`No tag with name: ${key.slice(0, 200)} in experiment with id ${id}`);
    },

    async search(projectId: string, given: Search): Promise<{ rows: ExperimentRow[]; next: string | undefined }> {
      await ensureDefaultExperiment(db, projectId);
      const limit = readMaxResults(given.max_results, { usual: 1_000, most: 50_000 });
      const offset = readPageToken(given.page_token);
      const clauses = parseFilter(given.filter, terms);
      const orders = parseOrders(given.order_by, terms);
      const rows = await queries.search(projectId, {
        ...{ clauses, orders, offset },
        view: given.view_type,
        limit: limit + 1,
      });
      const next = rows.length > limit ? pageToken(offset + limit) : undefined;
      return { rows: rows.slice(0, limit), next };
    },
  };
}

/** Undefined for what is no number of an experiment. */
export function numberOf(id: string): number | undefined {
  return /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}

function checkName(name: string): void {
  if (name.trim() === "") throw invalid("Invalid experiment name: it must not be empty.");
  if (name.length > entityLimits.experimentName)
    throw invalid(`'name' exceeds the maximum length of ${entityLimits.experimentName} characters`);
}

const taken = (name: string) => new MlflowError("RESOURCE_ALREADY_EXISTS", `Experiment(name=${name}) already exists.`);
const tooManyTags = () =>
  new MlflowError("RESOURCE_LIMIT_EXCEEDED", `An experiment can have at most ${limits.tagsPerExperiment} tags.`);
