import type { ScheduleTick } from "@miranda/contract/schemas/deployments/schedules.ts";
import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import { scheduleTicks as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { ScheduleRow } from "./schedules-queries.ts";

/** A schedule whose time has come. */
export interface DueSchedule extends ScheduleRow {
  next_at: Date;
  /** By the clock of the database, which all servers share. */
  now: Date;
  /** Ticks that have not been called yet. */
  waiting: number;
}

export interface NewTick {
  schedule_id: string;
  at: Date;
  outcome: ScheduleTick["outcome"];
  reason: string;
  made_up: boolean;
}

/** A tick that this server calls. */
export interface TakenTick extends Omit<ScheduleRow, "id"> {
  schedule_id: string;
  at: Date;
  tries: number;
  made_up: boolean;
}

/** A tick whose call has ended. */
export interface EndedTick {
  schedule_id: string;
  at: Date;
  call_id: string;
  state: CallState;
  reason: string;
  ran: boolean;
}

export interface FailingSchedule extends ScheduleRow {
  title: string;
  owner_id: string | null;
  project_id: string;
}

/** The name of a tick in the keys of calls: the same tick is never called twice. */
export const tickKey = (scheduleId: string, at: Date): string => `schedule:${scheduleId}:${at.toISOString()}`;

/** The database or a transaction. */
export function scheduleTickQueries(db: Db) {
  return {
    /** Inside a transaction. Other servers leave them alone until it ends. */
    lockDue: async (most: number): Promise<DueSchedule[]> => {
      const { rows } = await sql<DueSchedule>`
        select schedules.*, clock_timestamp() as now,
          (select count(*)::integer from schedule_ticks as ticks
            where ticks.schedule_id = schedules.id and ticks.outcome = 'due') as waiting
        from schedules where next_at <= clock_timestamp() and not paused order by next_at limit ${most}
        for update skip locked`.execute(db);
      return rows;
    },

    insertTicks: async (ticks: readonly NewTick[]): Promise<void> => {
      if (ticks.length === 0) return;
      const rows = JSON.stringify(ticks);
      await sql`insert into schedule_ticks (schedule_id, at, outcome, reason, made_up)
        select schedule_id, at, outcome, reason, made_up from jsonb_to_recordset(${rows}::jsonb)
          as given(schedule_id uuid, at timestamptz, outcome text, reason text, made_up boolean)
        on conflict do nothing`.execute(db);
    },

    moveOn: async (moves: readonly { id: string; next_at: Date | null }[]): Promise<void> => {
      const rows = JSON.stringify(moves);
      await sql`update schedules set next_at = given.next_at
        from jsonb_to_recordset(${rows}::jsonb) as given(id uuid, next_at timestamptz)
        where schedules.id = given.id`.execute(db);
    },

    /** Ticks that a newer one replaces. Those that are made up for stay. */
    replaceWaiting: async (ids: readonly string[], reason: string): Promise<void> => {
      await sql`update schedule_ticks set outcome = 'skipped', reason = ${reason}
        where schedule_id = any(${ids}::uuid[]) and outcome = 'due' and not made_up`.execute(db);
    },

    /**
     * Takes ticks that may be called now, the first of each schedule, and keeps other servers off them for a while. One
     * that has to wait for the call before is left.
     */
    takeDue: async (most: number): Promise<TakenTick[]> => {
      const { rows } = await sql<TakenTick>`
        with ready as (
          select ticks.schedule_id, ticks.at
          from schedule_ticks as ticks join schedules on schedules.id = ticks.schedule_id
          where ticks.outcome = 'due' and ticks.try_at <= clock_timestamp() and not schedules.paused
            and not exists (select from schedule_ticks as earlier where earlier.schedule_id = ticks.schedule_id
              and earlier.outcome = 'due' and earlier.at < ticks.at)
            and not ((schedules.overlap = 'queue' or ticks.made_up)
              and exists (select from calls where calls.schedule_id = ticks.schedule_id and calls.ended_at is null))
          order by ticks.try_at, ticks.at limit ${most} for update of ticks skip locked
        )
        update schedule_ticks as ticks
        set try_at = clock_timestamp() + make_interval(secs => ${limits.lease / 1_000}), tries = ticks.tries + 1
        from ready, schedules
        where ticks.schedule_id = ready.schedule_id and ticks.at = ready.at and schedules.id = ready.schedule_id
        returning schedules.*, ticks.schedule_id, ticks.at, ticks.tries, ticks.made_up`.execute(db);
      return rows;
    },

    /** The call that a server made for a tick before it was killed. */
    findCall: async (scheduleId: string, at: Date): Promise<string | undefined> => {
      const row = await db
        .selectFrom("calls")
        .select("id")
        .where("schedule_id", "=", scheduleId)
        .where("idempotency_key", "=", tickKey(scheduleId, at))
        .executeTakeFirst();
      return row?.id;
    },

    alive: async (scheduleId: string): Promise<string[]> => {
      const rows = await db
        .selectFrom("calls")
        .select("id")
        .where("schedule_id", "=", scheduleId)
        .where("ended_at", "is", null)
        .execute();
      return rows.map(({ id }) => id);
    },

    mark: async (
      { schedule_id, at }: Pick<TakenTick, "schedule_id" | "at">,
      change: { outcome: ScheduleTick["outcome"]; reason?: string; call_id?: string; counted?: boolean },
    ): Promise<void> => {
      await db
        .updateTable("schedule_ticks")
        .set(change)
        .where("schedule_id", "=", schedule_id)
        .where("at", "=", at)
        .execute();
    },

    /** Tries it again later. */
    postpone: async ({ schedule_id, at }: TakenTick, pause: number, reason: string): Promise<void> => {
      await sql`update schedule_ticks
        set try_at = clock_timestamp() + make_interval(secs => ${pause / 1_000}), reason = ${reason}
        where schedule_id = ${schedule_id} and at = ${at} and outcome = 'due'`.execute(db);
    },

    /** Inside a transaction. Calls that have ended and were not counted, in the order of their times. */
    takeEnded: async (most: number): Promise<EndedTick[]> => {
      const { rows } = await sql<EndedTick>`
        select ticks.schedule_id, ticks.at, ticks.call_id, calls.state, calls.reason,
          calls.began_at is not null as ran
        from schedule_ticks as ticks join calls on calls.id = ticks.call_id
        where ticks.outcome = 'called' and not ticks.counted and calls.ended_at is not null
        order by ticks.schedule_id, ticks.at limit ${most} for update of ticks skip locked`.execute(db);
      return rows;
    },

    markCounted: async (ticks: readonly Pick<EndedTick, "schedule_id" | "at">[]): Promise<void> => {
      const rows = JSON.stringify(ticks.map(({ schedule_id, at }) => ({ schedule_id, at })));
      await sql`update schedule_ticks as ticks set counted = true
        from jsonb_to_recordset(${rows}::jsonb) as given(schedule_id uuid, at timestamptz)
        where ticks.schedule_id = given.schedule_id and ticks.at = given.at`.execute(db);
    },

    /** Inside a transaction, with its lock until that ends. */
    lockFailing: async (id: string): Promise<FailingSchedule | undefined> => {
      const { rows } = await sql<FailingSchedule>`
        select schedules.*, deployments.title, deployments.owner_id, graphs.project_id
        from schedules join deployments on deployments.id = schedules.deployment_id
          join graphs on graphs.id = deployments.graph_id
        where schedules.id = ${id} for update of schedules`.execute(db);
      return rows[0];
    },

    /** Those of the accounts, and with `editors` also of the people who may change a project, who may read it. */
    peopleOf: async (
      access: Expression<string | null>,
      { project_id, ids, editors }: { project_id: string; ids: readonly string[]; editors: boolean },
    ): Promise<string[]> => {
      const isEditor = editors ? sql<SqlBool>`${access} in ('owner', 'editor')` : sql<SqlBool>`false`;
      const { rows } = await sql<{ id: string }>`
        select accounts.id from accounts, projects
        where projects.id = ${project_id} and accounts.deleted_at is null and accounts.disabled_at is null
          and ${access} is not null
          and (accounts.id = any(${ids}::uuid[])
            or (accounts.id in (select account_id from project_people where project_id = projects.id
              union select projects.owner_id) and ${isEditor}))
        order by accounts.id limit ${limits.toldMax}`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}
