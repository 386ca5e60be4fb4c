import { sql } from "kysely";

import type { BackupsTable } from "../../tables/operations-tables.ts";
import { backupLock } from "../database/advisory-locks.ts";
import type { Db } from "../database/database.ts";
import type { Progress } from "./backup.ts";

const kept = 200;

export type NewBackup = Pick<BackupsTable, "id" | "made_by" | "account_id" | "file" | "has_key">;

export function createBackupRecordQueries(db: Db) {
  return {
    /** A database of an older version that was not migrated yet does not have it. */
    async hasTable(): Promise<boolean> {
      const { rows } = await sql<{
        has_table: boolean;
      }>`select to_regclass('backups') is not null as has_table`.execute(db);
      return rows[0]?.has_table ?? false;
    },

    /** Called while the lock is held: whatever still counts as running was killed. */
    async begin(backup: NewBackup): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await failInterrupted(trx);
        await trx
          .insertInto("backups")
          .values({ ...backup, state: "RUNNING" })
          .execute();
        await sql`delete from backups where id in (
          select id from backups where state <> 'RUNNING' order by started_at desc offset ${kept})
          and (state = 'FAILED' or removed_at is not null)`.execute(trx);
      });
    },

    progress: (id: string, { step, done, total }: Progress) =>
      db
        .updateTable("backups")
        .set({ step, done, total })
        .where("id", "=", id)
        .where("state", "=", "RUNNING")
        .execute(),

    end: (id: string, result: { bytes: number; missing: number } | { problem: string }) =>
      db
        .updateTable("backups")
        .set({ state: "problem" in result ? "FAILED" : "DONE", ended_at: new Date(), ...result })
        .where("id", "=", id)
        .execute(),

    /** A backup keeps its lock while it runs. Without one its process is gone. */
    async failAbandoned(): Promise<void> {
      const { rows } = await sql<{ is_held: boolean }>`
        select exists (select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${backupLock} and granted
          and database = (select oid from pg_database where datname = current_database())) as is_held`.execute(db);
      if (!rows[0]?.is_held) await failInterrupted(db);
    },

    newest: (most: number) =>
      db
        .selectFrom("backups")
        .leftJoin("accounts", "accounts.id", "backups.account_id")
        .selectAll("backups")
        .select("accounts.username")
        .orderBy("started_at", "desc")
        .limit(most)
        .execute(),

    find: (id: string) =>
      db
        .selectFrom("backups")
        .leftJoin("accounts", "accounts.id", "backups.account_id")
        .selectAll("backups")
        .select("accounts.username")
        .where("backups.id", "=", id)
        .executeTakeFirst(),

    lastDone: () =>
      db.selectFrom("backups").selectAll().where("state", "=", "DONE").orderBy("started_at", "desc").executeTakeFirst(),

    /** Whether a backup is due: none began within `every` milliseconds, and none failed within `retryAfter`. */
    async isDue(every: number, retryAfter: number): Promise<boolean> {
      const { rows } = await sql<{ is_due: boolean }>`
        select not exists (select from backups where started_at > now() - ${every} * interval '1 millisecond'
            and state in ('RUNNING', 'DONE'))
          and not exists (select from backups where started_at > now() - ${retryAfter} * interval '1 millisecond'
            and state = 'FAILED')
          as is_due`.execute(db);
      return rows[0]?.is_due ?? false;
    },

    /** Archives of the schedule beyond the newest ones. */
    surplus: (keep: number) =>
      db
        .selectFrom("backups")
        .select(["id", "file"])
        .where("made_by", "=", "schedule")
        .where("state", "=", "DONE")
        .where("removed_at", "is", null)
        .orderBy("started_at", "desc")
        .offset(keep)
        .execute(),

    markRemoved: (id: string) =>
      db.updateTable("backups").set({ removed_at: new Date() }).where("id", "=", id).execute(),
  };
}

async function failInterrupted(db: Db): Promise<void> {
  await db
    .updateTable("backups")
    .set({ state: "FAILED", ended_at: new Date(), problem: "Its process ended before it was done." })
    .where("state", "=", "RUNNING")
    .execute();
}
