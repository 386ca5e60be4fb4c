import { sessionBudget } from "../../../limits.ts";
import { newId } from "../../../platform/crypto.ts";
import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import { changeAlias } from "../../models/aliases/change-alias.ts";
import { lockModelRow } from "../../models/model-access.ts";
import { modelEvent } from "../../models/model-events.ts";
import { trashQueries } from "../../models/trash/trash-queries.ts";
import { invalid, MlflowError, missing } from "../http/mlflow-error.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { parseFilter } from "../search/parse-filter.ts";
import { parseOrders } from "../search/parse-order.ts";
import {
  checkAlias,
  checkModelName,
  checkNewAlias,
  checkStage,
  checkTag,
  checkVersion,
  tagsOf,
} from "./registry-names.ts";
import { registryChanges as changes } from "./registry-changes-queries.ts";
import { createRegistryQueries, modelTerms } from "./registry-queries.ts";
import { type ModelRow, toModel, toVersion } from "./registry-views.ts";

interface NewModel {
  name: string;
  description?: string | undefined;
  tags?: { key: string; value: string }[] | undefined;
}

/** What a search asks for. */
export interface SearchInput {
  filter?: string | undefined;
  max_results?: number | undefined;
  order_by?: string[] | undefined;
  page_token?: string | undefined;
}

export type RegisteredModels = ReturnType<typeof createRegisteredModels>;

const tagsMax = 1_000;
const taken = (name: string) =>
  new MlflowError("RESOURCE_ALREADY_EXISTS", `Registered Model (name=${name}) already exists.`);

/** The registered models of a project, as clients of MLflow know them. */
export function createRegisteredModels({ db }: { db: Db }) {
  const queries = createRegistryQueries(db);

  async function getModel(projectId: string, given: string): Promise<ModelRow> {
    const name = checkModelName(given);
    const found = await queries.findModel(projectId, name);
    if (!found) throw missing(`Registered Model with name=${name} not found`);
    return found;
  }

  /** With their newest versions and aliases, in two queries for all. */
  async function described(rows: readonly ModelRow[]) {
    const ids = rows.map(({ id }) => id);
    const [latest, aliases] = await Promise.all([queries.latestVersions(ids), queries.aliases(ids)]);
    const latestOf = Map.groupBy(latest, ({ model_id }) => model_id);
    const aliasesOf = Map.groupBy(aliases, ({ model_id }) => model_id);
    return rows.map((row) => toModel(row, latestOf.get(row.id) ?? [], aliasesOf.get(row.id) ?? []));
  }

  async function answerOf(row: ModelRow) {
    const [registered_model] = await described([row]);
    return { registered_model };
  }

  async function patch(projectId: string, given: string, change: { name?: string; description?: string }) {
    const { id } = await getModel(projectId, given);
    try {
      const row = await changes.patchModel(db, id, change);
      if (!row) throw missing(`Registered Model with name=${given} not found`);
      return await answerOf(row);
    } catch (error) {
      if (violatedUnique(error)) throw taken(change.name ?? given);
      throw error;
    }
  }

  return {
    async create(projectId: string, { name: given, description = "", tags }: NewModel) {
      const name = checkModelName(given);
      const values = { id: newId(), project_id: projectId, name, description, tags: JSON.stringify(tagsOf(tags)) };
      try {
        const row = await addWithinQuota(db, { what: "models", owner: projectId }, async (trx) => {
          const most = sessionBudget.modelsPerWorkflow;
          if ((await createRegistryQueries(trx).countModels(projectId, most)) >= most)
            throw new MlflowError("RESOURCE_LIMIT_EXCEEDED", `This project has ${most} models. Delete one first.`);
          return changes.insertModel(trx, values);
        });
        return { registered_model: toModel(row, [], []) };
      } catch (error) {
        if (violatedUnique(error)) throw taken(name);
        throw error;
      }
    },

    get: async (projectId: string, name: string) => answerOf(await getModel(projectId, name)),
    update: (projectId: string, name: string, description: string) => patch(projectId, name, { description }),
    rename: (projectId: string, name: string, newName: string) =>
      patch(projectId, name, { name: checkModelName(newName, "new_name") }),

    /** Into the trash. */
    async delete(caller: Caller, projectId: string, name: string): Promise<void> {
      const { id } = await getModel(projectId, name);
      await db.transaction().execute(async (trx) => {
        if (!(await trashQueries(trx).deleteModel(id, caller.accountId))) return;
        await recordAuditEvent(trx, modelEvent(caller, { id, name, project_id: projectId }, "model.delete"));
      });
    },

    async search(projectId: string, { filter, max_results, order_by, page_token }: SearchInput) {
      const limit = readMaxResults(max_results, { usual: 100, most: 1_000 });
      const offset = readPageToken(page_token);
      const clauses = parseFilter(filter, modelTerms);
      const orders = parseOrders(order_by, modelTerms);
      if (orders.some(({ type }) => type !== "attribute")) throw invalid("Models can be ordered by attributes only.");
      const rows = await queries.searchModels(projectId, { clauses, orders, offset, limit: limit + 1 });
      return {
        ...(rows.length > 0 && { registered_models: await described(rows.slice(0, limit)) }),
        ...(rows.length > limit && { next_page_token: pageToken(offset + limit) }),
      };
    },

    async latestVersions(projectId: string, name: string, stages: readonly string[] = []) {
      const { id } = await getModel(projectId, name);
      const wanted = new Set(stages.map(checkStage));
      const rows = await queries.latestVersions([id]);
      const found = wanted.size === 0 ? rows : rows.filter(({ stage }) => wanted.has(stage));
      return found.length === 0 ? {} : { model_versions: found.map(toVersion) };
    },

    async setTag(projectId: string, name: string, key: string, value: string): Promise<void> {
      checkTag(key, value);
      const { id, tags } = await getModel(projectId, name);
      if (Object.keys(tags).length >= tagsMax && !Object.hasOwn(tags, key))
        throw invalid(`A model can have at most ${tagsMax} tags.`);
      await changes.setModelTag(db, id, key, value);
    },

    async deleteTag(projectId: string, name: string, key: string): Promise<void> {
      const { id } = await getModel(projectId, name);
      await changes.removeModelTag(db, id, key);
    },

    async setAlias(caller: Caller, projectId: string, name: string, alias: string, version: string | number) {
      checkNewAlias(alias);
      const number = checkVersion(version);
      const { id } = await getModel(projectId, name);
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, id);
        // After the lock: the version may have been deleted meanwhile.
        if (!(await createRegistryQueries(trx).findVersion(projectId, name, number)))
          throw missing(`Model Version (name=${name}, version=${number}) not found`);
        await changeAlias(trx, caller, { id, name, project_id: projectId }, { alias, to: number, reason: "" });
      });
    },

    async deleteAlias(caller: Caller, projectId: string, name: string, alias: string): Promise<void> {
      checkAlias(alias);
      const { id } = await getModel(projectId, name);
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, id);
        await changeAlias(trx, caller, { id, name, project_id: projectId }, { alias, to: null, reason: "" });
      });
    },

    async getByAlias(projectId: string, name: string, alias: string) {
      checkAlias(alias);
      const { id } = await getModel(projectId, name);
      if (alias.toLowerCase() === "latest") {
        const newest = (await queries.latestVersions([id])).at(-1);
        if (!newest) throw missing(`Latest version not found for model ${name}.`);
        return { model_version: toVersion(newest) };
      }
      const found = await queries.findByAlias(projectId, name, alias);
      if (!found) throw invalid(`Registered model alias ${alias} not found.`);
      return { model_version: toVersion(found) };
    },
  };
}
