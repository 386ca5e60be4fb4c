import { registry as limits } from "../../../limits.ts";

import type { Db } from "../../../platform/database/database.ts";
import { storableJson } from "../../../platform/database/storable-json.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { version as mirandaVersion } from "../../../platform/version.ts";
import { lockModelRow } from "../../models/model-access.ts";
import { trashVersion } from "../../models/trash/version-trash.ts";
import { createVersion, lockModel } from "../../tracking/model-versions-queries.ts";
import { invalid, MlflowError, missing } from "../http/mlflow-error.ts";
import { toUuid } from "../http/run-ids.ts";
import { pageToken, readMaxResults, readPageToken } from "../search/page-token.ts";
import { parseFilter } from "../search/parse-filter.ts";
import { parseOrders } from "../search/parse-order.ts";
import { lineageQueries as lineage } from "./lineage-queries.ts";
import { readSource } from "./model-sources.ts";
import type { SearchInput } from "./registered-models-service.ts";
import { checkModelName, checkStage, checkTag, checkVersion, tagsOf } from "./registry-names.ts";
import { registryChanges as changes } from "./registry-changes-queries.ts";
import { createRegistryQueries, versionTerms } from "./registry-queries.ts";
import { storedAt, toVersion, type VersionRow } from "./registry-views.ts";

export interface NewModelVersion {
  name: string;
  source: string;
  run_id?: string | undefined;
  model_id?: string | undefined;
  run_link?: string | undefined;
  description?: string | undefined;
  tags?: { key: string; value: string }[] | undefined;
}

/** Which version. */
interface Named {
  name: string;
  version: string | number;
}

export type ModelVersions = ReturnType<typeof createModelVersions>;

const tagsMax = 1_000;
const pageMax = 10_000;

/** Versions of registered models, as clients of MLflow know them. */
export function createModelVersions({ db }: { db: Db }) {
  const queries = createRegistryQueries(db);

  async function getVersion(projectId: string, { name, version }: Named, on: Db = db): Promise<VersionRow> {
    const number = checkVersion(version);
    const found = await createRegistryQueries(on).findVersion(projectId, checkModelName(name), number);
    if (!found) throw missing(`Model Version (name=${name}, version=${number}) not found`);
    return found;
  }

  /** Two changes of the same model wait for each other. */
  async function change(projectId: string, named: Named, work: (trx: Db, row: VersionRow) => Promise<void>) {
    const { model_id } = await getVersion(projectId, named);
    return db.transaction().execute(async (trx) => {
      await lockModelRow(trx, model_id);
      await work(trx, await getVersion(projectId, named, trx));
      return { model_version: toVersion(await getVersion(projectId, named, trx)) };
    });
  }

  /** The logged model, the run and the address that a new version has. */
  async function resolve(trx: Db, projectId: string, { source, run_id, model_id }: NewModelVersion) {
    const given = readSource(source);
    const ids = { modelId: model_id || null, runId: run_id ? (toUuid(run_id.toLowerCase()) ?? "") : null, source };
    switch (given.kind) {
      case "logged":
        if (ids.modelId !== null && ids.modelId !== given.modelId)
          throw invalid(`Invalid model version source: '${source}'. It is not the model of model_id.`);
        return { ...ids, modelId: given.modelId };
      case "version":
      case "alias": {
        const found =
          given.kind === "version"
            ? await createRegistryQueries(trx).findVersion(projectId, given.name, Number(given.version))
            : await createRegistryQueries(trx).findByAlias(projectId, given.name, given.alias);
        if (!found) throw missing(`Unable to fetch model from model URI source artifact location '${source}'.`);
        return { modelId: found.logged_model_id, runId: found.tracked_run_id, source: storedAt(found) ?? source };
      }
      case "run":
        return { ...ids, runId: toUuid(given.run) ?? "" };
      case "stored": {
        const [, run, model] = /^\d+\/(?:([0-9a-f]{32})|models\/(m-[0-9a-f]{32}))\//.exec(given.path) ?? [];
        return {
          source,
          modelId: ids.modelId ?? model ?? null,
          runId: ids.runId ?? (run === undefined ? null : (toUuid(run) ?? "")),
        };
      }
      case "elsewhere":
        return ids;
    }
  }

  return {
    /** Two clients at once get two numbers: the model's row is locked. */
    async create(caller: Caller, projectId: string, given: NewModelVersion, node: number | null) {
      const name = checkModelName(given.name);
      const tags = tagsOf(given.tags);
      const number = await db.transaction().execute(async (trx) => {
        const model = await lockModel(trx, projectId, name);
        if (!model) throw missing(`Registered Model with name=${name} not found`);
        if (model.latest_version >= limits.versionsPerModel)
          throw new MlflowError(
            "RESOURCE_LIMIT_EXCEEDED",
            `A model can have at most ${limits.versionsPerModel} versions.`,
          );
        const { modelId, runId: namedRun, source } = await resolve(trx, projectId, given);
        const logged = modelId === null ? undefined : await lineage.findLogged(trx, projectId, modelId);
        if (modelId !== null && !logged) throw missing(`Logged model with ID '${modelId}' not found.`);
        const runId = namedRun ?? logged?.run_id ?? null;
        const run = runId === null || runId === "" ? undefined : await lineage.findRun(trx, projectId, runId);
        if (runId !== null && !run) throw missing(`Run with id=${given.run_id ?? runId.replaceAll("-", "")} not found`);
        const [metrics, params] = await Promise.all([
          lineage.readMetrics(trx, run?.id ?? null, logged?.id ?? null),
          lineage.readParams(trx, run?.id ?? null),
        ]);
        const made = await createVersion(
          trx,
          model.id,
          {
            ...{ tracked_run_id: run?.id ?? null, logged_model_id: logged?.id ?? null, source },
            ...{ run_link: given.run_link ?? "", description: given.description ?? "", tags: JSON.stringify(tags) },
            ...{ run_id: run?.run_id ?? null, graph_id: run?.graph_id ?? null, version_id: run?.version_id ?? null },
            ...{ node_id: node ?? run?.node_id ?? null, account_id: caller.accountId, author: caller.username },
            metrics: storableJson(metrics),
            params: storableJson({ ...params, ...logged?.params }),
            ...(caller.job && { miranda_version: mirandaVersion }),
          },
          { authors: [caller.username], job_id: run?.job_id ?? null, run: run?.number ?? 0 },
        );
        if (logged) await lineage.noteVersion(trx, logged.id, name, made);
        return made;
      });
      return { model_version: toVersion(await getVersion(projectId, { name, version: number })) };
    },

    get: async (projectId: string, named: Named) => ({ model_version: toVersion(await getVersion(projectId, named)) }),

    update: (projectId: string, named: Named, description: string) =>
      change(projectId, named, (trx, row) => changes.describeVersion(trx, row, description)),

    moveToStage: (projectId: string, named: Named, given: string, archiveOthers: boolean) => {
      const stage = checkStage(given);
      if (archiveOthers && stage !== "Staging" && stage !== "Production")
        throw invalid(
          `Model version transition cannot archive existing model versions because '${stage}' is not an Active stage. Valid stages are Staging, Production`,
        );
      return change(projectId, named, async (trx, row) => {
        if (archiveOthers) await changes.archiveOthers(trx, row, stage);
        await changes.setStage(trx, row, stage);
      });
    },

    /** Into the trash. Its aliases are taken away. */
    async delete(caller: Caller, projectId: string, named: Named): Promise<void> {
      const { model_id, number, model_name: name } = await getVersion(projectId, named);
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, model_id);
        if (!(await trashVersion(trx, caller, { id: model_id, name, project_id: projectId }, number)))
          throw missing(`Model Version (name=${named.name}, version=${number}) not found`);
      });
    },

    async search(projectId: string, { filter, max_results, order_by, page_token }: SearchInput) {
      const limit = Math.min(readMaxResults(max_results, { usual: pageMax, most: 200_000 }), pageMax);
      const offset = readPageToken(page_token);
      const clauses = parseFilter(filter, versionTerms);
      const orders = parseOrders(order_by, versionTerms);
      if (orders.some(({ type }) => type !== "attribute")) throw invalid("Versions can be ordered by attributes only.");
      const rows = await queries.searchVersions(projectId, { clauses, orders, offset, limit: limit + 1 });
      return {
        ...(rows.length > 0 && { model_versions: rows.slice(0, limit).map(toVersion) }),
        ...(rows.length > limit && { next_page_token: pageToken(offset + limit) }),
      };
    },

    async downloadUri(projectId: string, named: Named) {
      const row = await getVersion(projectId, named);
      const artifact_uri = storedAt(row);
      if (artifact_uri === undefined)
        throw missing(`Model Version (name=${named.name}, version=${row.number}) has no files`);
      return { artifact_uri };
    },

    async setTag(projectId: string, named: Named, key: string, value: string): Promise<void> {
      checkTag(key, value);
      await change(projectId, named, async (trx, row) => {
        if (Object.keys(row.tags).length >= tagsMax && !Object.hasOwn(row.tags, key))
          throw invalid(`A version can have at most ${tagsMax} tags.`);
        await changes.setVersionTag(trx, row, key, value);
      });
    },

    async deleteTag(projectId: string, named: Named, key: string): Promise<void> {
      await change(projectId, named, (trx, row) => changes.removeVersionTag(trx, row, key));
    },
  };
}
