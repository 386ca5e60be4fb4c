import { sql, type SqlBool } from "kysely";

import type { Db } from "../database/database.ts";
import { deleteInBatches } from "../database/delete-batches-queries.ts";

const now = sql<Date>`now()`;

export function createRateLimitQueries(db: Db) {
  return {
    list: (keys: string[]) =>
      db
        .selectFrom("attempts")
        .select(["key", "count", "expires_at"])
        .where("key", "in", keys)
        .where("expires_at", ">=", now)
        .execute(),

    /** Adds one. A count whose window is over starts again. */
    count: (key: string, windowMinutes: number) => {
      const expiry = sql<Date>`now() + make_interval(mins => ${windowMinutes})`;
      return db
        .insertInto("attempts")
        .values({ key, count: 1, expires_at: expiry })
        .onConflict((conflict) =>
          conflict.column("key").doUpdateSet({
            count: sql<number>`case when attempts.expires_at < now() then 1 else attempts.count + 1 end`,
            expires_at: sql<Date>`case when attempts.expires_at < now() then ${expiry} else attempts.expires_at end`,
          }),
        )
        .returning(["count", "expires_at"])
        .executeTakeFirstOrThrow();
    },

    reset: (keys: string[]) => db.deleteFrom("attempts").where("key", "in", keys).execute(),

    takeBack: (keys: string[]) =>
      db
        .updateTable("attempts")
        .set({ count: sql<number>`greatest(count - 1, 0)` })
        .where("key", "in", keys)
        .execute(),

    remember: (key: string, days: number) => {
      const expires_at = sql<Date>`now() + make_interval(days => ${days})`;
      return db
        .insertInto("attempts")
        .values({ key, count: 1, expires_at })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ expires_at }))
        .execute();
    },

    removeExpired: () => deleteInBatches(db, "attempts", sql<SqlBool>`expires_at < now()`),
  };
}
