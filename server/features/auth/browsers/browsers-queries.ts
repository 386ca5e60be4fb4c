import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

const listed = 100;

/** The database or a transaction. */
export function browserQueries(db: Db) {
  const alive = (accountId: string) =>
    db
      .selectFrom("sessions")
      .where("account_id", "=", accountId)
      .where("expires_at", ">", sql<Date>`now()`);

  return {
    /** Those used last first. */
    list: (accountId: string) =>
      alive(accountId)
        .select(["id", "token_hash", "user_agent", "address", "created_at", "last_seen_at"])
        .orderBy("last_seen_at", "desc")
        .orderBy("id")
        .limit(listed)
        .execute(),

    end: (accountId: string, id: string) =>
      db
        .deleteFrom("sessions")
        .where("account_id", "=", accountId)
        .where("id", "=", id)
        .returning("user_agent")
        .executeTakeFirst(),

    endOthers: async (accountId: string, own: Buffer): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom("sessions")
        .where("account_id", "=", accountId)
        .where("token_hash", "<>", own)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
