import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { isInQueue } from "./jobs-queries.ts";

export interface QueuePlaceRow {
  /** From 1. */
  position: number;
  /** Sessions that have started: those of its account, and all. */
  own: number;
  all: number;
}

/**
 * Where a job is in the queue, in the order of `takeNext`: each account gets its next session only when the others have
 * as many. Undefined when it does not wait there.
 */
export async function findQueuePlace(db: Db, id: string): Promise<QueuePlaceRow | undefined> {
  const found = await sql<QueuePlaceRow>`
    with running as (
      select account_id, count(*) as count from jobs where ${isAliveSql()} and not ${isInQueue} group by account_id
    ), turns as (
      select id, account_id, coalesce(running.count, 0) as own,
        coalesce(running.count, 0) + row_number() over (partition by account_id order by id) as turn,
        (select max(started_at) from jobs as earlier where earlier.account_id = jobs.account_id) as last_start
      from jobs left join running using (account_id) where ${isInQueue} and state = 'QUEUED'
    ), places as (
      select id, own, row_number() over (order by turn, last_start nulls first, id) as position from turns
    )
    select position::int, own::int, (select coalesce(sum(count), 0) from running)::int as all
    from places where id = ${id}`.execute(db);
  return found.rows[0];
}
