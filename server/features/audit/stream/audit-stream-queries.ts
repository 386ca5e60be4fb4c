import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { auditColumns } from "../audit-queries.ts";

export function createAuditStreamQueries(db: Db) {
  return {
    /** From now on every record waits for this target. */
    open: (target: string) =>
      db
        .insertInto("audit_stream")
        .values({ target })
        .onConflict((there) => there.column("is_one").doUpdateSet({ target }))
        .execute(),

    /** Nothing waits any more. */
    async end(): Promise<void> {
      const { numDeletedRows } = await db.deleteFrom("audit_stream").executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await db.deleteFrom("audit_unsent").execute();
    },

    /** Whether this server is the one that writes, for so many seconds. */
    async hold(holder: string, seconds: number): Promise<boolean> {
      const { rows } = await sql`
        update audit_stream set holder = ${holder}, held_until = now() + make_interval(secs => ${seconds})
        where holder = ${holder} or held_until < now() returning 1`.execute(db);
      return rows.length > 0;
    },

    /** The next server need not wait. */
    release: (holder: string) =>
      db
        .updateTable("audit_stream")
        .set({ held_until: sql`now()`, holder: null })
        .where("holder", "=", holder)
        .execute(),

    oldest: (limit: number) =>
      db
        .selectFrom("audit_unsent")
        .innerJoin("audit_log", "audit_log.id", "audit_unsent.id")
        .select(auditColumns)
        .orderBy("audit_unsent.id")
        .limit(limit)
        .execute(),

    markSent: (ids: number[]) => db.deleteFrom("audit_unsent").where("id", "in", ids).execute(),

    async count(): Promise<number> {
      const { count } = await db
        .selectFrom("audit_unsent")
        .select(sql<number>`count(*)`.as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
