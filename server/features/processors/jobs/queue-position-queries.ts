import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { limitSql, processorsInAllSql } from "../../../platform/limits/account-limits-queries.ts";
import { isInQueue, type Limits } from "./jobs-queries.ts";

export interface QueuePositionRow {
  /** From 1. */
  position: number;
  /** Sessions that have started: those of its account, and all. */
  own: number;
  all: number;
  /** How many there may be. */
  own_most: number;
  all_most: number;
}

/** Everything in the queue in the order of `takeNext`: each account gets its next session only when the others have as many. */
const positionsWithin = (limits: Limits) => sql`
  with running as (
    select account_id, count(*) as count from jobs where ${isAliveSql()} and not ${isInQueue} group by account_id
  ), turns as (
    select id, account_id, coalesce(running.count, 0) as own,
      coalesce(running.count, 0) + row_number() over (partition by account_id order by id) as turn,
      (select max(started_at) from jobs as earlier where earlier.account_id = jobs.account_id) as last_start
    from jobs left join running using (account_id) where ${isInQueue} and state = 'QUEUED'
      and exists (select from accounts where accounts.id = jobs.account_id and accounts.disabled_at is null)
  ), positions as (
    select id, account_id, own, row_number() over (order by turn, last_start nulls first, id) as position from turns
  )
  select positions.id, position::int, own::int, (select coalesce(sum(count), 0) from running)::int as all,
    ${limitSql("processors", sql.ref("positions.account_id"), limits.mostPerAccount)} as own_most,
    ${processorsInAllSql(limits.most)} as all_most
  from positions`;

/** Where a job is in the queue. Undefined when it does not wait there. */
export async function findQueuePosition(db: Db, id: string, limits: Limits): Promise<QueuePositionRow | undefined> {
  const found = await sql<QueuePositionRow>`${positionsWithin(limits)} where positions.id = ${id}`.execute(db);
  return found.rows[0];
}

/** The first ones of the queue. */
export async function listQueuePositions(
  db: Db,
  limits: Limits,
  most: number,
): Promise<(QueuePositionRow & { id: string })[]> {
  const found = await sql<
    QueuePositionRow & { id: string }
  >`${positionsWithin(limits)} order by position limit ${most}`.execute(db);
  return found.rows;
}

/** Whether every machine that was heard of lately is closed to new sessions. */
export async function areAllClosed(db: Db): Promise<boolean> {
  const { rows } = await sql<{ closed: boolean | null }>`select bool_and(closed_at is not null) as closed from machines
    where state = 'ready' and seen_at > now() - interval '1 minute'`.execute(db);
  return rows[0]?.closed ?? false;
}
