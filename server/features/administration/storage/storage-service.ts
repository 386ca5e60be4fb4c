import { adminLists as limits } from "@miranda/contract/admin-limits.ts";
import type {
  AdminStorage,
  AdminStorageQuery,
  Freeable,
  FreeableKind,
  Freed,
  FreeStorageBody,
} from "@miranda/contract/schemas/admin/storage.ts";
import { statfs } from "node:fs/promises";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import type { ModelsTrash } from "../../models/trash/trash-service.ts";
import type { Results } from "../../results/results-service.ts";
import type { Folders } from "./folders-service.ts";
import type { SessionFiles } from "./session-files-service.ts";
import { createStorageQueries, type StorageRow } from "./storage-queries.ts";

interface Dependencies {
  db: Db;
  dataFolder: string;
  trash: Pick<ModelsTrash, "empty" | "foldersIn">;
  artifacts: Pick<Artifacts, "removeUnnamed">;
  results: Pick<Results, "removeUnusedFor">;
  folders: Pick<Folders, "measureNow" | "hasSession" | "removePackages">;
  sessionFiles: Pick<SessionFiles, "bytesOlderThan" | "removeOlderThan">;
}

/** What a project stores of a kind: what is freed is part of it. */
const partOf = {
  trash: "artifacts",
  results: "results",
  logs: "logs",
  session_files: "session_files",
  packages: "packages",
} as const;
/** In the record of what administrators did. */
const words = { results: "results", logs: "logs", session_files: "files of sessions" } as const;
const hasNoAge = { trash: "the trash", packages: "the packages" } as const;
const logRemoved = "An administrator removed this log to free storage.";

export type Storage = ReturnType<typeof createStorage>;

/** What projects store, and freeing what nobody needs. Nothing that a version of a model names is freed. */
export function createStorage({ db, dataFolder, trash, artifacts, results, folders, sessionFiles }: Dependencies) {
  const queries = createStorageQueries(db);

  async function get(projectId: string): Promise<StorageRow> {
    const found = await queries.find(projectId);
    if (!found) throw new AppError("project_not_found");
    return found;
  }

  const free: Record<FreeableKind, (projectId: string, days: number) => Promise<void>> = {
    trash: async (projectId) => {
      await trash.empty(projectId);
      await artifacts.removeUnnamed(projectId);
    },
    results: (projectId, days) => results.removeUnusedFor(projectId, days),
    logs: async (projectId, days) => {
      for (const id of await queries.sessionsWithLogs(projectId, days)) await queries.removeLog(id, logRemoved);
    },
    session_files: sessionFiles.removeOlderThan,
    packages: async (projectId) => {
      await folders.removePackages(projectId);
      await folders.measureNow(projectId);
    },
  };

  return {
    async list({ query, page }: AdminStorageQuery): Promise<AdminStorage> {
      const [rows, { total, database }, disk] = await Promise.all([
        queries.list(query, { offset: page * limits.page, limit: limits.page }),
        queries.totals(),
        statfs(dataFolder).catch(() => undefined),
      ]);
      return {
        projects: rows.slice(0, limits.page),
        next: rows.length > limits.page ? page + 1 : null,
        ...{ total, database_bytes: database },
        disk: disk ? { bytes: disk.blocks * disk.bsize, free_bytes: disk.bavail * disk.bsize } : null,
      };
    },

    async freeable(projectId: string, days: number): Promise<Freeable> {
      await folders.measureNow(projectId);
      const storage = await get(projectId);
      const [inTrash, oldResults, oldLogs, oldFiles, isInUse] = await Promise.all([
        trash.foldersIn(projectId).then((folders) => queries.bytesOnlyIn(projectId, folders)),
        queries.oldResults(projectId, days),
        queries.oldLogs(projectId, days),
        sessionFiles.bytesOlderThan(projectId, days),
        folders.hasSession(projectId),
      ]);
      const packages = isInUse ? 0 : storage.packages;
      return {
        ...{ days, storage, packages },
        ...{ trash: inTrash, results: oldResults, logs: oldLogs, session_files: oldFiles },
      };
    },

    async free(caller: Caller, projectId: string, { kind, days }: FreeStorageBody): Promise<Freed> {
      const { [partOf[kind]]: before, name } = await get(projectId);
      if (kind === "packages" && (await folders.hasSession(projectId))) throw new AppError("packages_in_use");
      // Recorded first: what was freed cannot be brought back, so the record must be there in any case.
      const change =
        kind === "trash" || kind === "packages" ? hasNoAge[kind] : `${words[kind]} older than ${days} days`;
      await recordAuditEvent(db, {
        ...{ kind: "admin.storage", ...actorOf(caller), projectId },
        subject: { kind: "project", id: projectId, name },
        details: { change: `${change} of ${name}` },
      });
      await free[kind](projectId, days);
      const { [partOf[kind]]: after } = await get(projectId);
      return { kind, before, after };
    },
  };
}
