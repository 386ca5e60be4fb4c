import { model as limits } from "@miranda/contract/limits.ts";
import type {
  ModelDetails,
  ModelVersion,
  ModelVersionDetails,
  ModelVersionPage,
  ModelVersionsQuery,
  PatchModelBody,
  PatchModelVersionBody,
} from "@miranda/contract/schemas/models/versions.ts";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { modelFiles } from "../../../limits.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { readListExtras } from "../list-extras-queries.ts";
import type { ModelAccess } from "../model-access.ts";
import { toModel } from "../models-service.ts";
import { editQueries } from "./edit-queries.ts";
import { type MlmodelFile, readMlmodel } from "./mlmodel-file.ts";
import { elsewhereOf, versionFolder } from "./version-folder.ts";
import { type VersionRow, versionRowQueries } from "./version-rows-queries.ts";
import { toVersion } from "./version-view.ts";

/** Where the files of models are. `get` refuses what is not there. */
export interface ArtifactReading {
  get: (projectId: string, path: string) => Promise<{ bytes: number; open: () => Promise<Readable> }>;
}

interface Dependencies {
  db: Db;
  access: ModelAccess;
  artifacts: ArtifactReading;
}

export type ModelVersions = ReturnType<typeof createModelVersions>;

/** The page of a model, and its versions. */
export function createModelVersions({ db, access, artifacts }: Dependencies) {
  const queries = versionRowQueries(db);
  const edits = editQueries(db);

  /** Versions as answers have them, in the order of their rows. */
  async function described(projectId: string, rows: readonly VersionRow[]): Promise<ModelVersion[]> {
    const runIds = [...new Set(rows.flatMap(({ tracked_run_id: id }) => id ?? []))];
    const folders = rows.map((row) => versionFolder(row) ?? null);
    const [metrics, params, sizes] = await Promise.all([
      queries.lastMetrics(runIds),
      queries.params(runIds),
      queries.sizes(projectId, folders),
    ]);
    const metricsOf = byRun(metrics, ({ name, last_value }) => [name, last_value] as const);
    const paramsOf = byRun(params, ({ key, value }) => [key, value] as const);
    return rows.map((row, at) =>
      toVersion(row, {
        metrics: metricsOf.get(row.tracked_run_id ?? "") ?? new Map<string, number>(),
        params: paramsOf.get(row.tracked_run_id ?? "") ?? new Map<string, string>(),
        bytes: sizes[at]?.bytes ?? 0,
        files: sizes[at]?.files ?? 0,
      }),
    );
  }

  /** What the MLmodel file says. Undefined when there is none, or it is too large. */
  async function mlmodelOf(projectId: string, row: VersionRow): Promise<MlmodelFile | undefined> {
    const folder = versionFolder(row);
    if (folder === undefined) return undefined;
    try {
      const file = await artifacts.get(projectId, `${folder}/MLmodel`);
      if (file.bytes > modelFiles.mlmodelMax) return undefined;
      return readMlmodel(await text(await file.open()));
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  async function getRow(caller: Caller, modelId: string, number: number) {
    const model = await access.getVersion(caller, modelId, number, "read");
    const [row] = await queries.some(modelId, [number]);
    if (!row) throw new AppError("model_version_not_found");
    return { model, row };
  }

  async function get(caller: Caller, modelId: string, number: number): Promise<ModelVersionDetails> {
    const { model, row } = await getRow(caller, modelId, number);
    const [[version], file] = await Promise.all([described(model.project_id, [row]), mlmodelOf(model.project_id, row)]);
    if (!version) throw new AppError("model_version_not_found");
    return {
      ...version,
      source: row.source,
      elsewhere: elsewhereOf(row),
      logged_model_id: row.logged_model_id,
      signature: file?.signature ?? null,
      flavors: file?.flavors ?? [],
      loadable: file?.flavors.includes("python_function") ?? false,
    };
  }

  async function describe(caller: Caller, modelId: string): Promise<ModelDetails> {
    const model = await access.getModel(caller, modelId, "read");
    const [extras, counts, newest, deployed] = await Promise.all([
      readListExtras(db, [model]),
      queries.count(modelId),
      queries.list(modelId, { limit: modelFiles.namesOf }),
      queries.deployed(model.project_id, `models:/${model.name}`, limits.madeMax),
    ]);
    const versions = await described(model.project_id, newest);
    return {
      ...toModel(model, extras.get(modelId)),
      description: model.description,
      access: model.access,
      versions: counts.versions,
      deleted_versions: counts.deleted,
      metric_names: namesOf(versions.map(({ metrics }) => metrics)),
      param_names: namesOf(versions.map(({ params }) => params)),
      deployments: deployed.flatMap(({ code, ...deployment }) => {
        const uri = uriIn(code, model.name);
        return uri === undefined ? [] : [{ ...deployment, project_id: model.project_id, uri }];
      }),
      tracking_path: `/mlflow/${model.project_id}`,
    };
  }

  return {
    getRow,
    mlmodelOf,
    described,
    describe,
    get,

    async list(caller: Caller, modelId: string, { limit, after }: ModelVersionsQuery): Promise<ModelVersionPage> {
      const model = await access.getModel(caller, modelId, "read");
      const rows = await queries.list(modelId, { after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return {
        versions: await described(model.project_id, shown),
        next: rows.length > limit ? (shown.at(-1)?.number ?? null) : null,
      };
    },

    async patchModel(caller: Caller, modelId: string, patch: PatchModelBody): Promise<ModelDetails> {
      await access.getModel(caller, modelId, "write");
      try {
        await edits.patchModel(modelId, patch);
      } catch (error) {
        if (violatedUnique(error) === "models_name") throw new AppError("model_name_taken");
        throw error;
      }
      return describe(caller, modelId);
    },

    async patchVersion(
      caller: Caller,
      modelId: string,
      number: number,
      patch: PatchModelVersionBody,
    ): Promise<ModelVersionDetails> {
      await access.getVersion(caller, modelId, number, "write");
      await edits.patchVersion(modelId, number, patch);
      return get(caller, modelId, number);
    },
  };
}

function byRun<Row extends { run_id: string }, Value>(
  rows: readonly Row[],
  read: (row: Row) => readonly [string, Value],
): Map<string, Map<string, Value>> {
  const found = new Map<string, Map<string, Value>>();
  for (const row of rows) {
    const values = found.get(row.run_id) ?? new Map<string, Value>();
    found.set(row.run_id, values);
    values.set(...read(row));
  }
  return found;
}

/** All names, those of the newest version first. */
function namesOf(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].slice(0, modelFiles.namesMax);
}

/** The address by which code loads a model. A longer name that only begins like this one is another model. */
function uriIn(code: string, name: string): string | undefined {
  const rest = code.slice(`models:/${name}`.length);
  const version = /^(?:@[\w-]{1,255}|\/[\w-]{1,20})/.exec(rest)?.[0];
  return version === undefined ? undefined : `models:/${name}${version}`;
}
