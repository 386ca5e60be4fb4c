import { type Expression, sql, type SqlBool } from "kysely";

import { housekeeping } from "../../limits.ts";
import type { Tables } from "../../tables/tables.ts";
import type { Db } from "./database.ts";

/**
 * Deletes the rows that meet a condition, a batch at a time. Rows that somebody else has locked are left for the next
 * time: two servers that delete at once must not wait for each other.
 */
export async function* deleteInBatches(
  db: Db,
  table: keyof Tables,
  condition: Expression<SqlBool>,
  batch: number = housekeeping.rows,
): AsyncGenerator<void> {
  for (let deleted = batch; deleted >= batch;) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${batch} for update skip locked))`.execute(db);
    deleted = Number(numAffectedRows ?? 0);
    yield;
  }
}
