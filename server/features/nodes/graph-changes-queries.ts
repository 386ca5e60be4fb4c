import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/**
 * Increments the revision of a graph and locks its row until the transaction ends. Undefined when there is none. What
 * the transaction changes from here on is noted as this account's edits.
 */
export async function countRevision(trx: Db, graphId: string, accountId: string): Promise<number | undefined> {
  const row = await trx
    .updateTable("graphs")
    .set({ revision: sql<number>`revision + 1`, updated_at: sql<Date>`now()` })
    .where("id", "=", graphId)
    .returning([
      "revision",
      sql`set_config('miranda.account', ${accountId}, true)`.as("account"),
      sql`set_config('miranda.revision', revision::text, true)`.as("counted"),
    ])
    .executeTakeFirst();
  return row?.revision;
}
