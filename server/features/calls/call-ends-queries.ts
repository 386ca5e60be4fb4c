import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { spentToday } from "./calls-queries.ts";

/** What a day may cost and has cost. Null: no limit. */
export interface Days {
  own: number | null;
  own_spent: number;
  project: number | null;
  project_spent: number;
}

export const callEnds = {
  /** Locks the session of a call that runs. */
  lockSessionOf: async (trx: Db, runId: string): Promise<{ job_id: string; command: number } | undefined> => {
    const { rows } = await sql<{ job_id: string; command: number }>`
      select runs.job_id, runs.command from runs join jobs on jobs.id = runs.job_id
      where runs.id = ${runId} and runs.ended_at is null and jobs.state in ('RUNNING', 'RESUMEREADY')
      for update of jobs`.execute(trx);
    return rows[0];
  },

  /** False when it has ended, or is being ended. */
  markEnding: async (trx: Db, callId: string, reason: string): Promise<boolean> => {
    const { numAffectedRows } = await sql`update calls set ending = ${reason}, ending_at = now()
      where id = ${callId} and ended_at is null and ending is null`.execute(trx);
    return numAffectedRows === 1n;
  },

  daysOf: async (trx: Db, deploymentId: string): Promise<Days | undefined> => {
    const { rows } = await sql<Days>`
      select deployments.day_budget as own,
        case when deployments.day_budget is null then 0 else ${spentToday(sql.ref("deployments.id"))} end as own_spent,
        projects.day_budget as project,
        case when projects.day_budget is null then 0 else (
          select coalesce(-sum(amount), 0)::double precision from ledger
          where ledger.project_id = projects.id and day = current_date and kind = 'usage') end as project_spent
      from deployments join graphs on graphs.id = deployments.graph_id join projects on projects.id = graphs.project_id
      where deployments.id = ${deploymentId}`.execute(trx);
    return rows[0];
  },

  lockUnended: async (trx: Db, runId: string): Promise<boolean> => {
    const { rows } = await sql`select from runs where id = ${runId} and ended_at is null for update`.execute(trx);
    return rows.length > 0;
  },

  listLate: async (db: Db): Promise<{ id: string; most: number }[]> => {
    const { rows } = await sql<{ id: string; most: number }>`
      select calls.id, deployments.call_seconds as most
      from calls join deployments on deployments.id = calls.deployment_id
      where calls.ended_at is null and calls.job_id is not null and calls.ending is null
        and calls.began_at < now() - make_interval(secs => deployments.call_seconds)`.execute(db);
    return rows;
  },

  /** Whether a session that is free could not install the packages of its release, and another one serves the same. */
  isReplaceable: async (trx: Db, jobId: string, noPackages: string): Promise<boolean> => {
    const { rows } = await sql`
      select from jobs join runs on runs.id = jobs.last_run_id
      where jobs.id = ${jobId} and jobs.state = 'READY' and runs.state = 'failed' and starts_with(runs.reason, ${noPackages})
        and exists (select from jobs as other where other.deployment_id = jobs.deployment_id
          and other.release_id = jobs.release_id and other.id <> jobs.id and other.state in ('READY', 'RUNNING')
          and other.runs > 0)
      for update of jobs`.execute(trx);
    return rows.length > 0;
  },

  /** Calls that were interrupted at least this many seconds ago, and have not ended. */
  listStubborn: async (db: Db, seconds: number): Promise<{ id: string; job_id: string; ending: string }[]> => {
    const { rows } = await sql<{ id: string; job_id: string; ending: string }>`
      select calls.id, calls.job_id, calls.ending from calls join jobs on jobs.id = calls.job_id
      where calls.ended_at is null and calls.job_id is not null and calls.ending is not null
        and calls.ending_at < now() - make_interval(secs => ${seconds})
        and jobs.state in ('RUNNING', 'RESUMEREADY')`.execute(db);
    return rows;
  },
};
