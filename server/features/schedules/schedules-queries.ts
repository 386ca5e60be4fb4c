import type { ScheduleTick } from "@miranda/contract/schemas/deployments/schedules.ts";
import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";
import { type Insertable, type Selectable, sql, type SqlBool, type Updateable } from "kysely";

import { scheduleTicks as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";
import type { SchedulesTable } from "../../tables/deployment-tables.ts";

export type ScheduleRow = Selectable<SchedulesTable>;
export type ListedSchedule = Awaited<ReturnType<ReturnType<typeof scheduleQueries>["list"]>>[number];

export interface TickRow {
  at: Date;
  outcome: ScheduleTick["outcome"];
  reason: string;
  call_id: string | null;
  state: CallState | null;
}

/** The database or a transaction. */
export function scheduleQueries(db: Db) {
  const described = db
    .selectFrom("schedules")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "schedules.account_id").on("accounts.deleted_at", "is", null),
    )
    .selectAll("schedules")
    .select(["accounts.username", "accounts.first_name", "accounts.last_name", "accounts.avatar_version"])
    .select(
      sql<{ call_id: string; state: CallState; time: string } | null>`(
        select json_build_object('call_id', calls.id, 'state', calls.state, 'time', calls.created_at) from calls
        where calls.schedule_id = schedules.id order by calls.id desc limit 1)`.as("last"),
    );

  return {
    list: (deploymentId: string) =>
      described.where("schedules.deployment_id", "=", deploymentId).orderBy("schedules.id").execute(),

    find: (deploymentId: string, id: string) =>
      described.where("schedules.deployment_id", "=", deploymentId).where("schedules.id", "=", id).executeTakeFirst(),

    /** Inside a transaction, with its lock until that ends. */
    lock: (deploymentId: string, id: string): Promise<ScheduleRow | undefined> =>
      db
        .selectFrom("schedules")
        .selectAll()
        .where("deployment_id", "=", deploymentId)
        .where("id", "=", id)
        .forUpdate()
        .executeTakeFirst(),

    count: async (deploymentId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("schedules")
        .select(sql<number>`count(*)`.as("count"))
        .where("deployment_id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: async (row: Insertable<SchedulesTable>): Promise<void> => {
      await db.insertInto("schedules").values(row).execute();
    },

    update: async (id: string, change: Updateable<SchedulesTable>): Promise<void> => {
      await db.updateTable("schedules").set(change).where("id", "=", id).execute();
    },

    remove: async (deploymentId: string, id: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom("schedules")
        .where("deployment_id", "=", deploymentId)
        .where("id", "=", id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Newest first. */
    ticks: async (id: string, before: Date | undefined, most: number): Promise<TickRow[]> => {
      const { rows } = await sql<TickRow>`
        select ticks.at, ticks.outcome, ticks.reason, ticks.call_id, calls.state
        from schedule_ticks as ticks left join calls on calls.id = ticks.call_id
        where ticks.schedule_id = ${id} and ticks.at < ${before ?? "infinity"}
        order by ticks.at desc limit ${most}`.execute(db);
      return rows;
    },

    /** A call that a person made outside of the times. Its end is not counted. */
    addCalled: async (id: string, at: Date, callId: string, reason: string): Promise<void> => {
      await sql`insert into schedule_ticks (schedule_id, at, outcome, reason, call_id, counted)
        select id, ${at}, 'called', ${reason}, ${callId}, true from schedules where id = ${id}
        on conflict do nothing`.execute(db);
    },

    /** Ticks that wait are not called any more. */
    dropWaiting: async (ids: readonly string[], reason: string): Promise<void> => {
      await sql`update schedule_ticks set outcome = 'skipped', reason = ${reason}
        where schedule_id = any(${ids}::uuid[]) and outcome = 'due'`.execute(db);
    },

    /** Lets the schedules of a deployment send a file. */
    addFile: async (deploymentId: string, hash: string): Promise<void> => {
      await sql`insert into schedule_files (deployment_id, hash) values (${deploymentId}, ${hash})
        on conflict (deployment_id, hash) do update set created_at = now()`.execute(db);
    },

    /** The sizes of those files that the schedules of a deployment may send. */
    fileSizes: async (deploymentId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await db
        .selectFrom("schedule_files")
        .innerJoin("node_files", "node_files.hash", "schedule_files.hash")
        .select(["node_files.hash", "node_files.size"])
        .where("deployment_id", "=", deploymentId)
        .where(sql<SqlBool>`schedule_files.hash = any(${hashes}::text[])`)
        .execute();
      return new Map(rows.map(({ hash, size }) => [hash, size]));
    },

    /** Old ticks, and files that no schedule names. */
    async *sweep(): AsyncGenerator<void> {
      yield* deleteInBatches(
        db,
        "schedule_ticks",
        sql<SqlBool>`outcome <> 'due' and (at < now() - make_interval(days => ${limits.keptDays})
          or at < (select newer.at from schedule_ticks as newer where newer.schedule_id = schedule_ticks.schedule_id
            order by newer.at desc offset ${limits.keptPerSchedule} limit 1))`,
      );
      yield* deleteInBatches(
        db,
        "schedule_files",
        sql<SqlBool>`created_at < now() - interval '1 day' and not exists (
          select from schedules where schedules.deployment_id = schedule_files.deployment_id
            and position(schedule_files.hash in schedules.inputs::text) > 0)`,
      );
    },
  };
}
