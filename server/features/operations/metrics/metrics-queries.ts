import { endedStates } from "@miranda/contract/processor.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

const ended = sql.join(endedStates.map((state) => sql.lit(state)));

export interface InstallationNumbers {
  sessions: Record<string, number>;
  waiting: number;
  oldest_wait: number;
  billing_lag: number;
  calls: number;
  backup_at: number | null;
}

export function createMetricsQueries(db: Db) {
  return {
    /** All of it by indexes of living sessions and open calls. */
    async read(): Promise<InstallationNumbers> {
      const { rows } = await sql<InstallationNumbers>`
        with alive as (select state, created_at, started_at, seen_at, id from jobs where state not in (${ended}))
        select
          coalesce((select jsonb_object_agg(state, many) from (select state, count(*) as many from alive group by state) as counted), '{}') as sessions,
          (select count(*) from alive where state = 'QUEUED')::int as waiting,
          coalesce((select extract(epoch from now() - min(created_at)) from alive where state = 'QUEUED'), 0)::float8 as oldest_wait,
          coalesce((select max(extract(epoch from now() - coalesce(charged.at, alive.started_at))) from alive
            left join lateral (select max(created_at) as at from usage_samples where job_id = alive.id) as charged on true
            where state in ('READY', 'RUNNING', 'RESUMEREADY') and started_at is not null), 0)::float8 as billing_lag,
          (select count(*) from calls where ended_at is null)::int as calls,
          (select extract(epoch from max(started_at)) from backups where state = 'DONE')::float8 as backup_at`.execute(
        db,
      );
      if (!rows[0]) throw new Error("The database gave no answer.");
      return rows[0];
    },
  };
}
