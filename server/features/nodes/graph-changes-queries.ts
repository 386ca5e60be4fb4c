import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Increments the revision of a graph and locks its row until the transaction ends. Undefined when there is none. */
export async function countRevision(trx: Db, graphId: string): Promise<number | undefined> {
  const row = await trx
    .updateTable("graphs")
    .set({ revision: sql<number>`revision + 1`, updated_at: sql<Date>`now()` })
    .where("id", "=", graphId)
    .returning("revision")
    .executeTakeFirst();
  return row?.revision;
}
