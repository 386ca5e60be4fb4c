import type { AccountQuotas } from "@miranda/contract/schemas/admin.ts";
import { type RawBuilder, sql } from "kysely";

import type { Db } from "../database/database.ts";

type LimitName = keyof AccountQuotas;

/**
 * The limit of an account: its own, else that of the installation, else that of the environment. As part of a query, so
 * that a change by an administrator holds at once on every server.
 */
export function limitSql(name: LimitName, accountId: RawBuilder<unknown>, fallback: number): RawBuilder<number> {
  return sql<number>`coalesce((select (quotas ->> ${name})::int from accounts where accounts.id = ${accountId}),
    (select (limits ->> ${name})::int from installation_settings), ${fallback}::int)`;
}

export async function findLimit(db: Db, name: LimitName, accountId: string, fallback: number): Promise<number> {
  const limit = limitSql(name, sql`${accountId}::uuid`, fallback);
  const { rows } = await sql<{ most: number }>`select ${limit} as most`.execute(db);
  return rows[0]?.most ?? fallback;
}

/** How many processors the whole installation runs at once. */
export function processorsInAllSql(fallback: number): RawBuilder<number> {
  return sql<number>`coalesce((select (limits ->> 'processors_in_all')::int from installation_settings), ${fallback}::int)`;
}
