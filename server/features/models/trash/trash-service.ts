import type { ModelTrash, ModelTrashQuery, TrashedModel } from "@miranda/contract/schemas/models/versions.ts";

import { modelFiles } from "../../../limits.ts";
import { withAuditEvent } from "../../../platform/audit/audit-log.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { foldersOf } from "../../artifacts/artifact-paths.ts";
import { authorOf } from "../../auth/auth-service.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { lockModelRow, type ModelAccess } from "../model-access.ts";
import { modelEvent } from "../model-events.ts";
import { versionFolder } from "../versions/version-folder.ts";
import { type PlacedVersion, trashQueries, type TrashRow } from "./trash-queries.ts";
import { takeBackVersion, trashVersion } from "./version-trash.ts";

interface Dependencies {
  db: Db;
  access: ModelAccess;
  projects: Pick<Projects, "accessExpression" | "getProject">;
  /** What is in the trash can be restored for so many days. */
  days: number;
  wake: () => void;
}

export type ModelsTrash = ReturnType<typeof createModelsTrash>;

/** Models and versions that were deleted, until they are removed for good. */
export function createModelsTrash({ db, access, projects, days, wake }: Dependencies) {
  const queries = trashQueries(db);

  async function removeForGood(version: PlacedVersion, days: number): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const inside = trashQueries(trx);
      await lockModelRow(trx, version.model_id);
      if (!(await inside.removeVersion(version, days))) return;
      const folder = versionFolder(version);
      if (folder === undefined) return;
      const others = folderSet(await inside.ofOwner(version.project_id, ownerOf(folder)));
      if (isWithin(folder, others)) return;
      await inside.removeFiles(version.project_id, folder, [...others]);
      if (version.logged_model_id !== null) await inside.removeLogged(version.logged_model_id);
    });
  }

  return {
    async list(caller: Caller, { project_id: projectId, model_id: modelId }: ModelTrashQuery): Promise<ModelTrash> {
      if (projectId !== undefined) await projects.getProject(caller, projectId, "read");
      const rows = await queries.list(
        projects.accessExpression(caller),
        { projectId, modelId },
        { days, most: modelFiles.trashListed },
      );
      return rows.map(toTrashed);
    },

    async removeModel(caller: Caller, id: string): Promise<void> {
      const model = await access.getModel(caller, id, "write");
      await withAuditEvent(db, modelEvent(caller, model, "model.delete"), async (trx) => {
        if (!(await trashQueries(trx).deleteModel(id, caller.accountId))) throw new AppError("model_not_found");
      });
    },

    async restoreModel(caller: Caller, id: string): Promise<void> {
      const model = await access.getModel(caller, id, "write", { deleted: true });
      if (model.deleted_at === null) throw new AppError("model_not_deleted");
      try {
        await withAuditEvent(db, modelEvent(caller, model, "model.restore"), async (trx) => {
          if (!(await trashQueries(trx).restoreModel(id))) throw new AppError("model_not_deleted");
        });
      } catch (error) {
        if (violatedUnique(error) === "models_name") throw new AppError("model_restore_taken");
        throw error;
      }
    },

    async removeVersion(caller: Caller, modelId: string, number: number): Promise<void> {
      const model = await access.getVersion(caller, modelId, number, "write");
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, modelId);
        if (!(await trashVersion(trx, caller, model, number))) throw new AppError("model_version_not_found");
      });
      wake();
    },

    async restoreVersion(caller: Caller, modelId: string, number: number): Promise<void> {
      const model = await access.getVersion(caller, modelId, number, "write", { deleted: true });
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, modelId);
        if (!(await takeBackVersion(trx, caller, model, number))) throw new AppError("model_not_deleted");
      });
      wake();
    },

    /** A chore: removes what has been in the trash for too long, with files that no other version has. */
    async *sweep(): AsyncGenerator<void> {
      for (let old; (old = await queries.old(days, modelFiles.removedAtOnce)).length > 0; yield)
        for (const version of old) await removeForGood(version, days);
      await queries.removeModels(days);
      yield;
    },

    /** Removes what is in the trash of a project now, with files that no other version has. */
    async empty(projectId: string): Promise<void> {
      for (let old; (old = await queries.old(0, modelFiles.removedAtOnce, projectId)).length > 0;)
        for (const version of old) await removeForGood(version, 0);
      await queries.removeModels(0, projectId);
    },

    /** The folders of files that go when the trash of a project is emptied. */
    async foldersIn(projectId: string): Promise<string[]> {
      const versions = await queries.ofProject(projectId);
      const needed = folderSet(versions.filter(({ is_deleted }) => !is_deleted));
      const above = new Set(Array.from(needed, foldersOf).flat());
      const deleted = folderSet(versions.filter(({ is_deleted }) => is_deleted));
      return [...deleted].filter((folder) => !above.has(folder) && !isWithin(folder, needed));
    },
  };
}

/** Not compared by their sources: the same folder may be written in several ways. */
function folderSet(versions: readonly PlacedVersion[]): Set<string> {
  return new Set(versions.flatMap((version) => versionFolder(version) ?? []));
}

const isWithin = (folder: string, folders: ReadonlySet<string>): boolean =>
  [folder, ...foldersOf(folder)].some((one) => folders.has(one));

/** The run or the logged model whose files are in a folder, as sources name it. */
function ownerOf(folder: string): string {
  return /^\d+\/(?:models\/)?([^/]+)\//.exec(folder)?.[1] ?? "";
}

function toTrashed(row: TrashRow): TrashedModel {
  const { id, name, number, versions, access, project_id, project_name, deleted_at, removed_at } = row;
  return {
    ...{ id, name, number, versions, access },
    project: { id: project_id, name: project_name },
    time_deleted: deleted_at.toISOString(),
    time_removed: removed_at.toISOString(),
    deleted_by: authorOf(row),
  };
}
