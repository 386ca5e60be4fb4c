import { sql, type SqlBool } from "kysely";

import { notificationStore as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";

export interface NotificationRow {
  id: string;
  account_id: string;
  kind: string;
  run_id: string | null;
  project_id: string | null;
  model_id: string | null;
  thread_id: string | null;
  title: string;
  body: string;
}

const now = sql<Date>`now()`;

export function createNotificationQueries(db: Db) {
  return {
    /**
     * An account keeps its newest ones, and all that are about its security: nobody may push those out. Undefined when
     * the account is deleted.
     */
    insert: async (row: NotificationRow) => {
      const { rows } = await sql<{ created_at: Date }>`
        insert into notifications (id, account_id, kind, run_id, project_id, model_id, thread_id, title, body)
        select ${row.id}, id, ${row.kind}, ${row.run_id}, ${row.project_id}, ${row.model_id}, ${row.thread_id},
          ${row.title}, ${row.body}
        from accounts where id = ${row.account_id} and deleted_at is null
        returning created_at`.execute(db);
      await sql`delete from notifications where account_id = ${row.account_id} and kind <> 'account_security' and id <= (
        select id from notifications where account_id = ${row.account_id} and kind <> 'account_security'
        order by id desc offset ${limits.perAccount} limit 1)`.execute(db);
      return rows[0];
    },

    rewriteThread: (threadId: string, before: string, after: string) =>
      sql`update notifications set body = ${after} where thread_id = ${threadId} and body = ${before}`.execute(db),

    list: (accountId: string, { after, limit }: { after?: string | undefined; limit: number }) =>
      db
        .selectFrom("notifications")
        .select(["id", "kind", "title", "body", "run_id", "project_id", "model_id", "thread_id"])
        .select(["created_at", "read_at"])
        .where("account_id", "=", accountId)
        .$if(after !== undefined, (rows) => rows.where("id", "<", after ?? ""))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),

    countUnread: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("notifications")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("read_at", "is", null)
        .executeTakeFirstOrThrow();
      return count;
    },

    exists: async (accountId: string, id: string): Promise<boolean> => {
      const found = await db
        .selectFrom("notifications")
        .select("id")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return found !== undefined;
    },

    markRead: async (accountId: string, id: string | undefined): Promise<void> => {
      await db
        .updateTable("notifications")
        .set({ read_at: now })
        .where("account_id", "=", accountId)
        .where("read_at", "is", null)
        .$if(id !== undefined, (rows) => rows.where("id", "=", id ?? ""))
        .execute();
    },

    /** Undefined when the account is deleted. */
    settings: async (accountId: string): Promise<Record<string, unknown> | undefined> => {
      const row = await db
        .selectFrom("accounts")
        .select("notification_settings")
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return row?.notification_settings;
    },

    saveSettings: async (accountId: string, settings: string): Promise<void> => {
      await db.updateTable("accounts").set({ notification_settings: settings }).where("id", "=", accountId).execute();
    },

    sweep: () =>
      deleteInBatches(db, "notifications", sql<SqlBool>`created_at < now() - make_interval(days => ${limits.days})`),
  };
}
