import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "./database.ts";

/** How many of the newest rows a search without trigrams reads. */
export const newestSearched = 5_000;

/** Whether names contain the text, in any case. */
export function contains(name: Expression<string> | RawBuilder<string>, text: string) {
  return sql<SqlBool>`${name} like lower(${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`})`;
}

/** The index of parts of names knows sequences of three letters or digits. A text without one needs another way. */
export function hasTrigram(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

/**
 * Runs a search. PostgreSQL would read a whole table when it expects many rows, and a plan made for one text would be
 * used for all.
 */
export function searchByIndex<Result>(db: Db, run: (trx: Db) => Promise<Result>): Promise<Result> {
  return db
    .transaction()
    .setAccessMode("read only")
    .execute(async (trx) => {
      await sql`select set_config('enable_seqscan', 'off', true),
        set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(trx);
      return run(trx);
    });
}
