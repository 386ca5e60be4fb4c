import { type Selectable, sql, type SqlBool, type Updateable } from "kysely";

import { webhookCalls as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";
import type { WebhookCallsTable, WebhooksTable } from "../../tables/run-tables.ts";

export type WebhookRow = Selectable<WebhooksTable>;
export type WebhookCallRow = Selectable<WebhookCallsTable>;

/** A call that is being made. */
export interface TakenCall {
  id: string;
  webhook_id: string;
  project_id: string;
  url: string;
  secret: Buffer;
  event: string;
  body: string;
  tries: number;
}

export interface TriedCall {
  tries: number;
  status: number | null;
  answer: string;
  seconds: number;
  /** Undefined: it arrived, or is given up. */
  pause: number | undefined;
}

const now = sql<Date>`now()`;

export function createWebhookQueries(db: Db) {
  return {
    list: (projectId: string): Promise<WebhookRow[]> =>
      db.selectFrom("webhooks").selectAll().where("project_id", "=", projectId).orderBy("id").execute(),

    find: (projectId: string, id: string): Promise<WebhookRow | undefined> =>
      db.selectFrom("webhooks").selectAll().where("id", "=", id).where("project_id", "=", projectId).executeTakeFirst(),

    count: async (projectId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("webhooks")
        .select(sql<number>`count(*)`.as("count"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: (row: {
      id: string;
      project_id: string;
      url: string;
      secret: Buffer;
      events: string[];
      created_by: string;
    }): Promise<WebhookRow> => db.insertInto("webhooks").values(row).returningAll().executeTakeFirstOrThrow(),

    update: (projectId: string, id: string, change: Updateable<WebhooksTable>): Promise<WebhookRow | undefined> =>
      db
        .updateTable("webhooks")
        .set(change)
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .returningAll()
        .executeTakeFirst(),

    /** A webhook that is turned off is told nothing more. */
    dropWaiting: async (id: string): Promise<void> => {
      await db
        .updateTable("webhook_calls")
        .set({ next_at: null, answer: "Not sent: the webhook was turned off." })
        .where("webhook_id", "=", id)
        .where("next_at", "is not", null)
        .execute();
    },

    remove: async (projectId: string, id: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom("webhooks")
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    calls: (webhookId: string, limit: number): Promise<WebhookCallRow[]> =>
      db
        .selectFrom("webhook_calls")
        .selectAll()
        .where("webhook_id", "=", webhookId)
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),

    findCall: (id: string): Promise<WebhookCallRow | undefined> =>
      db.selectFrom("webhook_calls").selectAll().where("id", "=", id).executeTakeFirst(),

    /** Those that want one of these events. */
    listeners: (projectId: string, events: readonly string[]) =>
      db
        .selectFrom("webhooks")
        .select(["id", "events"])
        .where("project_id", "=", projectId)
        .where("enabled", "=", true)
        .where(sql<SqlBool>`events && ${events}::text[]`)
        .execute(),

    countWaiting: async (projectId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("webhook_calls")
        .innerJoin("webhooks", "webhooks.id", "webhook_calls.webhook_id")
        .select(sql<number>`count(*)`.as("count"))
        .where("webhooks.project_id", "=", projectId)
        .where("webhook_calls.next_at", "is not", null)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** `waits`: it is sent as soon as possible. The others are stored only to be listed. */
    insertCall: async (
      row: { id: string; webhook_id: string; run_id: string | null; event: string; body: string; answer?: string },
      waits: boolean,
    ): Promise<void> => {
      await db
        .insertInto("webhook_calls")
        .values({ ...row, next_at: waits ? now : null })
        .execute();
    },

    /**
     * Takes calls that are due, one for each webhook that is not busy, and keeps other servers off them for a while. A
     * server that is killed meanwhile leaves them to the others.
     */
    take: async (most: number, busy: readonly string[]): Promise<TakenCall[]> => {
      const { rows } = await sql<TakenCall>`
        with due as (
          select id, next_at, row_number() over (partition by webhook_id order by next_at, id) as place
          from webhook_calls
          where next_at <= now() and webhook_id <> all(${busy}::uuid[])
        ), taken as (
          -- Who waits longest comes first: many webhooks that hang must not come before it again and again.
          select id from webhook_calls
          where id in (select id from due where place = 1 order by next_at, id limit ${most}) and next_at <= now()
          for update skip locked
        )
        update webhook_calls set next_at = now() + make_interval(secs => ${limits.lease / 1_000})
        from taken, webhooks
        where webhook_calls.id = taken.id and webhooks.id = webhook_calls.webhook_id
        returning webhook_calls.id, webhook_calls.webhook_id, webhooks.project_id, webhooks.url, webhooks.secret,
          webhook_calls.event, webhook_calls.body, webhook_calls.tries`.execute(db);
      return rows;
    },

    saveTry: async (id: string, { pause, ...tried }: TriedCall): Promise<void> => {
      // Somebody may have turned the webhook off meanwhile.
      const isOn = sql`(select enabled from webhooks where webhooks.id = webhook_calls.webhook_id)`;
      const next =
        pause === undefined
          ? null
          : sql<Date | null>`case when ${isOn} then now() + make_interval(secs => ${pause / 1_000}) end`;
      await db
        .updateTable("webhook_calls")
        .set({ ...tried, answered_at: now, next_at: next })
        .where("id", "=", id)
        .execute();
    },

    arrived: async (id: string): Promise<void> => {
      await db
        .updateTable("webhooks")
        .set({ failing_since: null, failure_told: false })
        .where("id", "=", id)
        .where("failing_since", "is not", null)
        .execute();
    },

    failed: async (id: string): Promise<void> => {
      await db
        .updateTable("webhooks")
        .set({ failing_since: now })
        .where("id", "=", id)
        .where("failing_since", "is", null)
        .execute();
    },

    /** Inside a transaction, with its lock until that ends. */
    lock: async (id: string) => {
      const { rows } = await sql<
        WebhookRow & { failing_seconds: number; owner_id: string | null; project_name: string }
      >`
        select webhooks.*, extract(epoch from now() - failing_since)::double precision as failing_seconds,
          projects.owner_id, projects.name as project_name
        from webhooks join projects on projects.id = webhooks.project_id
        where webhooks.id = ${id} for update of webhooks`.execute(db);
      return rows[0];
    },

    /** Calls that are done. The newest of each webhook are kept. */
    sweep: () =>
      deleteInBatches(
        db,
        "webhook_calls",
        sql<SqlBool>`next_at is null and (created_at < now() - make_interval(days => ${limits.keptDays})
          or id < (select newer.id from webhook_calls as newer where newer.webhook_id = webhook_calls.webhook_id
            order by newer.id desc offset ${limits.keptPerWebhook} limit 1))`,
      ),
  };
}
