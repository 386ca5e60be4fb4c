import { sql } from "kysely";

import { adminLock } from "../../platform/database/advisory-locks.ts";
import type { Db } from "../../platform/database/database.ts";

export function adminQueries(db: Db) {
  return {
    /** One at a time: two administrators who leave at once must not each count on the other. */
    lockAdmins: () => sql`select pg_advisory_xact_lock(${adminLock})`.execute(db),

    hasOtherAdmin: async (id: string): Promise<boolean> => {
      const other = await db
        .selectFrom("accounts")
        .select("id")
        .where("is_admin", "=", true)
        .where("disabled_at", "is", null)
        .where("id", "<>", id)
        .limit(1)
        .executeTakeFirst();
      return other !== undefined;
    },
  };
}
