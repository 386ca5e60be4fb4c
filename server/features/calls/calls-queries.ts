import type { CallVia } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import { call as limits } from "@miranda/contract/limits.ts";
import { type Selectable, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import type { CallsTable, DeploymentsTable } from "../../tables/deployment-tables.ts";
import { isFree } from "../../platform/installation/installation-queries.ts";

export type CallRow = Selectable<CallsTable>;

/** What a call needs to know of its deployment. */
export type Called = Pick<
  Selectable<DeploymentsTable>,
  "id" | "owner_id" | "paused" | "payer" | "at_once" | "queue_max"
>;

/** Who a repeated key belongs to, as the index of keys has it. */
export interface KeyOwner {
  deploymentId: string;
  accountId: string | null;
  visitorHash: Buffer | null;
}

export interface InsertedCall {
  id: string;
  deployment_id: string;
  release_id: string;
  channel: Channel;
  via: CallVia;
  account_id: string | null;
  visitor_hash: Buffer | null;
  token_id: string | null;
  schedule_id: string | null;
  payer_id: string | null;
  inputs: string;
  idempotency_key: string | null;
  body_hash: Buffer | null;
}

/** What decides whether a call is accepted. */
export interface CallFacts {
  /** Calls that wait or run. */
  alive: number;
  /** Whether what it may cost today is used up. */
  is_spent: boolean;
  /** What the account that pays has, or the project's purse. */
  credits: number | null;
  /** Whether a budget for the month is used up: of the account that pays, or of the project. */
  is_account_spent: boolean;
  is_project_spent: boolean;
  may_run: boolean | null;
  trial_over: boolean | null;
}

const ownerKey = ({ accountId, visitorHash }: KeyOwner): string => accountId ?? visitorHash?.toString("hex") ?? "";

/** What the sessions of a deployment have cost since midnight by the clock of the database. */
export const spentToday = (deploymentId: unknown) =>
  sql<number>`(select coalesce(-sum(amount), 0)::double precision from ledger
    where ledger.deployment_id = ${deploymentId}::uuid and day = current_date and kind = 'usage')`;

/** Whether the budget of the project for the month is used up and lets nothing new start. For queries that have `deployments`. */
export const isMonthSpent = sql<boolean>`is_month_spent(null,
  (select workflow.project_id from graphs as workflow where workflow.id = deployments.graph_id))`;

/**
 * Whether a deployment or its project has cost what it may, today or in this month. For queries that have
 * `deployments`. The ledger is read only where there is a limit.
 */
export const isSpent = sql<boolean>`(
  case when deployments.day_budget is null then false
    else ${spentToday(sql.ref("deployments.id"))} >= deployments.day_budget end
  or coalesce((
    select case when home.day_budget is null then false else (
      select coalesce(-sum(amount), 0)::double precision from ledger
      where ledger.project_id = home.id and day = current_date and kind = 'usage') >= home.day_budget end
    from graphs as workflow join projects as home on home.id = workflow.project_id
    where workflow.id = deployments.graph_id), false)
  or ${isMonthSpent})`;

export function createCallQueries(db: Db) {
  return {
    find: (id: string): Promise<CallRow | undefined> =>
      db.selectFrom("calls").selectAll().where("id", "=", id).executeTakeFirst(),

    findAll: (ids: readonly string[]): Promise<CallRow[]> =>
      db
        .selectFrom("calls")
        .selectAll()
        .where("id", "=", sql<string>`any(${ids}::uuid[])`)
        .orderBy("id")
        .execute(),

    /** An earlier call with this key, as long as keys are remembered. */
    findByKey: async (owner: KeyOwner, key: string): Promise<CallRow | undefined> => {
      const { rows } = await sql<CallRow>`
        select * from calls where deployment_id = ${owner.deploymentId} and idempotency_key = ${key}
          and coalesce(account_id::text, encode(visitor_hash, 'hex'), '') = ${ownerKey(owner)}
          and created_at > now() - make_interval(hours => ${limits.keyHours})`.execute(db);
      return rows[0];
    },

    /** A key may be used again once it is forgotten. */
    forgetKey: async (owner: KeyOwner, key: string): Promise<void> => {
      await sql`
        update calls set idempotency_key = null where deployment_id = ${owner.deploymentId}
          and idempotency_key = ${key} and coalesce(account_id::text, encode(visitor_hash, 'hex'), '') = ${ownerKey(owner)}
          and created_at <= now() - make_interval(hours => ${limits.keyHours})`.execute(db);
    },

    facts: async (deploymentId: string, payerId: string): Promise<CallFacts> => {
      const { rows } = await sql<CallFacts>`
        select (select count(*)::integer from calls where deployment_id = ${deploymentId} and ended_at is null) as alive,
          coalesce((select ${isSpent} from deployments where deployments.id = ${deploymentId}), false) as is_spent,
          case when payer.id is null then null when ${isFree} then 'Infinity'::float8
            else coalesce(purse.balance, payer.credits) end as credits,
          purse.project_id is null and is_month_spent(${payerId}::uuid, null) as is_account_spent,
          is_month_spent(null, home.project_id) as is_project_spent,
          not payer.token_revoked and payer.disabled_at is null as may_run,
          not ${isFree} and not payer.subscribed and (not payer.trial or payer.trial_end < now()) as trial_over
        from (select 1) as one
          left join deployments as called on called.id = ${deploymentId}
          left join graphs as home on home.id = called.graph_id
          left join accounts as payer on payer.id = ${payerId} and payer.deleted_at is null
          left join purses as purse on purse.project_id = home.project_id and purse.in_use and called.owner_id = ${payerId}`.execute(
        db,
      );
      const [facts] = rows;
      if (!facts) throw new Error("A left join always has a row.");
      return facts;
    },

    /** With the files that were sent, which the session may read from then on, and the release that is served now. */
    insert: async (
      call: InsertedCall,
      files: readonly string[],
    ): Promise<{ made: CallRow; servedId: string | null }> => {
      const { rows } = await sql<CallRow & { served_id: string | null }>`
        with made as (
          insert into calls (id, deployment_id, release_id, channel, via, account_id, visitor_hash, token_id, schedule_id,
            payer_id, inputs, idempotency_key, body_hash)
          values (${call.id}, ${call.deployment_id}, ${call.release_id}, ${call.channel}, ${call.via}, ${call.account_id},
            ${call.visitor_hash}, ${call.token_id}, ${call.schedule_id}, ${call.payer_id}, ${call.inputs}::jsonb,
            ${call.idempotency_key}, ${call.body_hash})
          returning *
        ), given as (
          insert into call_files (call_id, hash) select made.id, hash from made, unnest(${files}::text[]) as hash
          on conflict do nothing
        ), used as (
          insert into deployment_marks (account_id, deployment_id, used_at)
          select account_id, deployment_id, now() from made where account_id is not null and schedule_id is null
          on conflict (account_id, deployment_id) do update set used_at = now()
            where deployment_marks.used_at is null or deployment_marks.used_at < now() - interval '1 minute'
        )
        select made.*, (select case when made.channel = 'production' then production_id else staging_id end
          from deployments where deployments.id = made.deployment_id) as served_id from made`.execute(db);
      const [row] = rows;
      if (!row) throw new Error("The call was not inserted.");
      const { served_id, ...made } = row;
      return { made, servedId: served_id };
    },

    /** How long the last calls took, in seconds. Null when there were none. */
    recentSeconds: async (deploymentId: string): Promise<number | null> => {
      const { rows } = await sql<{ seconds: number | null }>`
        select avg(extract(epoch from ended_at - began_at))::double precision as seconds from (
          select began_at, ended_at from calls where deployment_id = ${deploymentId} order by id desc limit 50
        ) as recent where ended_at is not null and began_at is not null`.execute(db);
      return rows[0]?.seconds ?? null;
    },

    /** How many calls are before each of these. Those that do not wait are left out. */
    positions: async (ids: readonly string[]): Promise<Map<string, number>> => {
      const { rows } = await sql<{ id: string; position: number }>`
        select id, (select count(*)::integer from calls as before
          where before.deployment_id = calls.deployment_id and before.state = 'queued' and before.id < calls.id) as position
        from calls where id = any(${ids}::uuid[]) and state = 'queued'`.execute(db);
      return new Map(rows.map(({ id, position }) => [id, position]));
    },

    /** Ends a call that waits. Undefined when it waits no more. */
    cancelQueued: (id: string): Promise<CallRow | undefined> =>
      db
        .updateTable("calls")
        .set({ state: "stopped", cancelled: true, ended_at: sql<Date>`now()` })
        .where("id", "=", id)
        .where("state", "=", "queued")
        .returningAll()
        .executeTakeFirst(),

    /** Notes that somebody wants a running call to end. Undefined when it has ended. */
    markCancelled: (id: string): Promise<CallRow | undefined> =>
      db
        .updateTable("calls")
        .set({ cancelled: true })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .returningAll()
        .executeTakeFirst(),
  };
}

export type CallQueries = ReturnType<typeof createCallQueries>;
