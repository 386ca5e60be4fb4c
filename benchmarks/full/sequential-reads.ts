import type pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";

// A table of this many rows is too large to be read whole for one call.
const rowsMax = 5_000;
// PostgreSQL hands on what a connection counted at most once a second.
const countedAfter = 1_100;

async function rowsRead(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ relname: string; read: string }>(
    "select relname, seq_tup_read as read from pg_stat_user_tables",
  );
  return new Map(rows.map(({ relname, read }) => [relname, Number(read)]));
}

/** The large tables that PostgreSQL reads from beginning to end for a call. */
export async function sequentialReads(pool: pg.Pool, call: () => Promise<unknown>): Promise<string[]> {
  const before = await rowsRead(pool);
  await sleep(countedAfter);
  await call();
  await sleep(100);
  const after = await rowsRead(pool);
  return [...after].filter(([table, read]) => read - (before.get(table) ?? 0) > rowsMax).map(([table]) => table);
}
