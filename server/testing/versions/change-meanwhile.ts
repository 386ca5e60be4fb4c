import { sql } from "kysely";
import { expect } from "vitest";

import type { Db } from "../../platform/database/database.ts";
import type { Answer } from "../test-client.ts";

/** Renames a node of a graph after a request has read the graph and before it gets the graph's lock. */
export async function renameMeanwhile(
  db: Db,
  graphId: string,
  { from, to }: { from: string; to: string },
  request: () => Promise<Answer>,
): Promise<Answer> {
  const { answer } = await db.transaction().execute(async (trx) => {
    await sql`update graphs set revision = revision + 1 where id = ${graphId}`.execute(trx);
    await sql`update nodes set name = ${to} where graph_id = ${graphId} and name = ${from}`.execute(trx);
    const sent = request();
    // Awaited below, after this transaction.
    sent.catch(() => undefined);
    await expect.poll(() => isWaiting(db), { timeout: 20_000 }).toBe(true);
    return { answer: sent };
  });
  return answer;
}

async function isWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`select exists (select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(db);
  return rows[0]?.waits ?? false;
}
