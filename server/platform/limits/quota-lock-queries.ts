import { sql } from "kysely";

import type { Db } from "../database/database.ts";

/** Takes a named lock on all servers of the database until the transaction ends. */
export async function lockUntilCommit(trx: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}
