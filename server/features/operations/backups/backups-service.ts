import type { Backup } from "@miranda/contract/schemas/operations/health.ts";
import { readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { backups as limits } from "../../../platform/backup/backup-limits.ts";
import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { BackupError, BackupRunning } from "../../../platform/backup/backup-error.ts";
import { createBackupRecordQueries } from "../../../platform/backup/backup-records-queries.ts";
import { archiveIn, makeRecordedBackup } from "../../../platform/backup/recorded-backup.ts";
import type { Keys } from "../../../platform/cipher.ts";
import type { Database } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { createPolledWork } from "../../../platform/polled-work.ts";
import type { BackupSettings } from "../../../platform/settings/operations-settings.ts";

interface Dependencies {
  database: Database;
  dataFolder: string;
  keys: () => Keys;
  settings: BackupSettings;
  diskReserveBytes: number;
  report: (error: unknown) => void;
}

export type Backups = ReturnType<typeof createBackups>;

type Row = Awaited<ReturnType<ReturnType<typeof createBackupRecordQueries>["newest"]>>[number];

/** Backups that this server makes: when somebody asks, and by its schedule. */
export function createBackups({ database, dataFolder, keys, settings, diskReserveBytes, report }: Dependencies) {
  const { db } = database;
  const records = createBackupRecordQueries(db);
  const folder = resolve(settings.folder ?? join(dataFolder, "backups"));
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  /** Resolves with its id when nothing can refuse it any more. `ended` resolves when it is over. */
  function begin(madeBy: "schedule" | "person", accountId: string | null) {
    let ended: Promise<unknown> = Promise.resolve();
    const begun = new Promise<string>((onBegin, refuse) => {
      ended = makeRecordedBackup({
        ...{ db, dataFolder, madeBy, accountId, diskReserveBytes, onBegin },
        databaseUrl: database.url,
        keys: keys(),
        passphrase: settings.passphrase,
        target: archiveIn(folder),
        signal: closing.signal,
      });
      ended.catch(refuse);
    });
    const over = ended.finally(() => running.delete(over));
    running.add(over);
    over.catch(() => undefined);
    return { begun, ended: over };
  }

  async function removeSurplus(): Promise<void> {
    for (const { id, file } of await records.surplus(settings.keep)) {
      // The rows may name files of another machine. Only archives of this folder are ours to remove.
      if (dirname(file) === folder) await rm(file, { force: true });
      await records.markRemoved(id);
    }
  }

  /** What a killed server left. */
  async function removeDrafts(): Promise<void> {
    for (const name of await readdir(folder).catch(() => []))
      if (/^miranda-[\d-]+\.zip\.part$/.test(name)) await rm(join(folder, name), { force: true });
  }

  const schedule = createPolledWork({
    every: limits.lookEvery,
    report,
    async work() {
      if (settings.every === undefined || closing.signal.aborted) return false;
      await records.failAbandoned();
      if (!(await records.isDue(settings.every, limits.retryAfter))) return false;
      await removeDrafts();
      try {
        await begin("schedule", null).ended;
      } catch (error) {
        // Another server was faster.
        if (error instanceof BackupRunning) return false;
        if (!closing.signal.aborted) throw error;
      }
      await removeSurplus();
      return false;
    },
  });

  return {
    folder,
    start: schedule.start,

    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(running);
      await schedule.close();
    },

    /** Starts a backup. Its progress is in the list. */
    async make(caller: Caller): Promise<Backup> {
      const { begun, ended } = begin("person", caller.accountId);
      ended.catch((error: unknown) => {
        if (!(error instanceof BackupError)) report(error);
      });
      const id = await begun.catch((error: unknown) => {
        if (error instanceof BackupRunning) throw new AppError("backup_running");
        if (error instanceof BackupError) throw new AppError("backup_refused", error.message);
        throw error;
      });
      await recordAuditEvent(db, { kind: "admin.backup", ...actorOf(caller), subject: { kind: "backup", id } });
      const row = await records.find(id);
      if (!row) throw new AppError("internal");
      return toBackup(row);
    },

    async list(): Promise<Backup[]> {
      await records.failAbandoned();
      return (await records.newest(limits.listed)).map(toBackup);
    },
  };
}

function toBackup({ id, state, made_by, username, file, bytes, has_key, step, missing, problem, ...row }: Row): Backup {
  const progress = state === "DONE" ? 1 : row.total === 0 ? 0 : row.done / row.total;
  return {
    ...{ id, state, made_by, username, file, bytes, has_key, step, missing, problem, progress },
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    removed_at: row.removed_at?.toISOString() ?? null,
  };
}
