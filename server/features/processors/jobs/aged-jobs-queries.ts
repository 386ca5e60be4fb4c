import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";

export type AgedJob = Awaited<ReturnType<typeof listAged>>[number];

/** The launched living jobs, with ages in seconds. By the database's clock alone: two clocks would differ. */
export function listAged(db: Db) {
  return (
    db
      .selectFrom("jobs")
      .select(["id", "state", "engine_ref", "graph_id"])
      .select([
        sql<number>`extract(epoch from now() - coalesce(seen_at, created_at))`.as("silence"),
        sql<number>`extract(epoch from now() - state_at)`.as("age"),
        sql<number | null>`extract(epoch from now() - engine_away_since)`.as("away"),
      ])
      .where(isAliveSql())
      // A launched job may still wait for its engine, or for a machine with room.
      .where((eb) =>
        eb.or([eb("state", "<>", "QUEUED"), eb("engine_ref", "is not", null), eb("engine_away_since", "is not", null)]),
      )
      .execute()
  );
}

/**
 * Living sessions whose starter may no longer change the graph, and queued ones of disabled accounts. Each one's project and account are looked up: joined,
 * PostgreSQL would read every account, every few seconds.
 */
export async function listUnentitled(db: Db, accessOfAccounts: Expression<ProjectAccess | null>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select jobs.id from jobs cross join lateral (
      select ${accessOfAccounts} as access, accounts.disabled_at from projects cross join accounts
      where projects.id = jobs.project_id and accounts.id = jobs.account_id limit 1) as starter
    where ${isAliveSql("jobs.state")} and jobs.state <> 'KILLING' and (coalesce(starter.access, 'viewer') = 'viewer' or (jobs.state = 'QUEUED' and starter.disabled_at is not null))`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
