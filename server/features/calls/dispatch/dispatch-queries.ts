import type { CallVia } from "@miranda/contract/schemas/deployments/calls.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import { sql } from "kysely";

import { callDispatch as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import type { JobRow } from "../../processors/jobs/jobs-queries.ts";
import { isOwned } from "../../deployments/deployment-access-queries.ts";
import { isMonthSpent, isSpent } from "../calls-queries.ts";
import { isFree } from "../../../platform/installation/installation-queries.ts";

/** A call that waits, and a session that is free for it. Another server may see the same pair. */
export interface Pair {
  job_id: string;
  call_id: string;
  release_id: string;
  inputs: Record<string, unknown>;
  account_id: string | null;
  payer_id: string | null;
  via: CallVia;
  schedule_id: string | null;
  /** Whether other calls wait too. */
  has_others: boolean;
}

/** What decides how many sessions a deployment should have. */
export interface Fleet {
  deployment: {
    id: string;
    graph_id: string;
    owner_id: string | null;
    title: string;
    paused: boolean;
    /** Whether its owner may still let it run. */
    is_owned: boolean;
    at_once: number;
    warm: number;
    idle_minutes: number;
    production_id: string | null;
    staging_id: string | null;
    compute: { cpu: number; ram_gb: number } | null;
    /** Whether what it may cost today is used up. */
    is_spent: boolean;
    /** Whether it is the budget for the month. */
    is_month_spent: boolean;
    /** The project whose purse pays for new sessions. */
    purse_id: string | null;
  };
  /** Whether its owner can pay for another session. */
  can_pay: boolean;
  sessions: {
    id: string;
    release_id: string;
    /** Who pays for it. */
    account_id: string;
    purse_id: string | null;
    state: WorkflowState;
    idle: number;
    runs: number;
  }[];
  /** Waiting calls by release, those of the oldest call first. */
  queued: { release_id: string; count: number; waited: number }[];
  /** Sessions that ended with an error before they had served a call, in the last minutes. */
  failures: { release_id: string; count: number; ago: number }[];
}

/** The project whose purse pays for new sessions. For queries that have `deployments`. */
const purseOf = sql<string | null>`(select purses.project_id from graphs as workflow
  join purses on purses.project_id = workflow.project_id and purses.in_use where workflow.id = deployments.graph_id)`;

export const dispatchQueries = {
  /**
   * The oldest waiting call that a free session can serve. Of the free sessions the one that was used last, and none of a
   * former owner. None when nobody may pay for it; calls whose payer may spend no more this month are left out.
   */
  pick: async (db: Db, deploymentId: string): Promise<Pair | undefined> => {
    const { rows } = await sql<Pair>`
      with serving as materialized (
        select owner_id from deployments where id = ${deploymentId} and ${isOwned} and not ${isSpent}
      ), free as (
        select jobs.id, release_id, jobs.account_id as owner_id, jobs.purse_id from jobs join serving on serving.owner_id = jobs.account_id
        where deployment_id = ${deploymentId} and state = 'READY' and exists (
          select from calls where calls.deployment_id = ${deploymentId} and calls.state = 'queued'
            and calls.release_id = jobs.release_id)
        order by state_at desc limit 1
      )
      select free.id as job_id, next.*, exists (
        select from calls where deployment_id = ${deploymentId} and state = 'queued' and id <> next.call_id) as has_others
      from free cross join lateral (
        select id as call_id, release_id, inputs, account_id, payer_id, via, schedule_id from calls
        where deployment_id = ${deploymentId} and state = 'queued' and release_id = free.release_id
          and ((free.purse_id is not null and coalesce(payer_id, free.owner_id) = free.owner_id)
            or not is_month_spent(coalesce(payer_id, free.owner_id), null))
        order by calls.id limit 1) as next`.execute(db);
    return rows[0];
  },

  /**
   * Gives the call to the session: its command, and the run, which a trigger of the database links to the call. Undefined
   * when the call waits no more or was moved to another release, or the session is no longer free.
   */
  order: async (db: Db, pair: Pair, versionId: string, command: string): Promise<JobRow | undefined> => {
    const source = pair.schedule_id === null ? "deployment" : "schedule";
    const { rows } = await sql<JobRow>`
      with waiting as materialized (
        select id, created_at from calls where id = ${pair.call_id}::uuid and state = 'queued'
          and release_id = ${pair.release_id}::uuid for update
      ), moved as (
        update jobs set state = 'RUNNING', state_at = now(), ends_at = null, runs = runs + 1,
          last_command = last_command + 1, state_command = last_command + 1, last_run_id = ${pair.call_id}::uuid,
          last_run_state = 'running'
        where id = ${pair.job_id} and state = 'READY' and exists (select from waiting) returning *
      ), ordered as (
        insert into job_commands (job_id, number, command)
        select id, last_command, ${command}::jsonb || jsonb_build_object('run', runs) from moved
      ), begun as (
        insert into runs (id, graph_id, account_id, payer_id, job_id, session_tag, session_name, number, command, mode,
          source, version_id, graph_revision, budget, first_sample, first_line, waited_seconds, told_at)
        select ${pair.call_id}::uuid, moved.graph_id, ${pair.account_id}::uuid, ${pair.payer_id}::uuid, moved.id, moved.tag,
          moved.name, moved.runs, moved.last_command, 'call', ${source}, version.id, version.revision,
          least(deployments.call_budget, projects.run_budget), moved.last_sample, moved.last_line + 1,
          (select extract(epoch from now() - created_at)::double precision from waiting), now()
        from moved join graph_versions as version on version.id = ${versionId}
          join deployments on deployments.id = moved.deployment_id join projects on projects.id = moved.project_id
      )
      select * from moved`.execute(db);
    return rows[0];
  },

  /** Locks the deployment, so that two servers do not both start sessions for the same calls. */
  fleet: async (trx: Db, deploymentId: string, startCredits: number): Promise<Fleet | undefined> => {
    const { rows } = await sql<Fleet["deployment"]>`
      select id, graph_id, owner_id, title, paused, at_once, warm, idle_minutes, production_id, staging_id, compute,
        ${isOwned} as is_owned, ${isSpent} as is_spent, ${isMonthSpent} as is_month_spent, ${purseOf} as purse_id
      from deployments where id = ${deploymentId} for no key update`.execute(trx);
    const [deployment] = rows;
    if (!deployment) return undefined;
    const sessions = await sql<Fleet["sessions"][number]>`
      select id, release_id, account_id, purse_id, state, extract(epoch from now() - state_at)::double precision as idle, runs
      from jobs where deployment_id = ${deploymentId} and ${isAliveSql()} order by id`.execute(trx);
    const queued = await sql<Fleet["queued"][number]>`
      select release_id, count(*)::integer as count,
        max(extract(epoch from now() - created_at))::double precision as waited
      from calls where deployment_id = ${deploymentId} and state = 'queued' group by release_id order by min(id::text)`.execute(
      trx,
    );
    const failures = await sql<Fleet["failures"][number]>`
      select release_id, count(*)::integer as count,
        min(extract(epoch from now() - ended_at))::double precision as ago
      from jobs where deployment_id = ${deploymentId} and state = 'ERROR' and last_run_id is null
        and ended_at > now() - make_interval(secs => ${limits.failuresWithin / 1_000}) group by release_id`.execute(
      trx,
    );
    const paying = await sql<{ can_pay: boolean }>`
      select not token_revoked and disabled_at is null and (${isFree} or subscribed or (trial and (trial_end is null or trial_end > now())))
        and ${
          deployment.purse_id === null
            ? sql`(${isFree} or credits > ${startCredits} * (select count(*) from jobs
                where account_id = accounts.id and purse_id is null and ${isAliveSql()})) and not is_month_spent(id, null)`
            : sql`(${isFree} or (select balance from purses where project_id = ${deployment.purse_id}) > ${startCredits} * (
                select count(*) from jobs where purse_id = ${deployment.purse_id} and ${isAliveSql()}))`
        } as can_pay
      from accounts where id = ${deployment.owner_id} and deleted_at is null`.execute(trx);
    return {
      deployment,
      can_pay: paying.rows[0]?.can_pay ?? false,
      sessions: sessions.rows,
      queued: queued.rows,
      failures: failures.rows,
    };
  },

  /** The deployments where a session may have to be started or ended, or a call waits. */
  listRestless: async (db: Db): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select distinct deployment_id as id from calls where state = 'queued'
      union select deployments.id from deployments where warm > 0 and not paused and production_id is not null
        and ${isOwned}
        and least(warm, at_once) > (select count(*) from jobs where deployment_id = deployments.id
          and release_id = production_id and ${isAliveSql("jobs.state")} and jobs.state <> 'KILLING')
      union select deployments.id from jobs join deployments on deployments.id = jobs.deployment_id
        where jobs.deployment_id is not null and ${isAliveSql("jobs.state")} and jobs.state <> 'KILLING'
          and jobs.state <> 'RUNNING' and (deployments.paused or not ${isOwned}
            or jobs.account_id is distinct from deployments.owner_id or jobs.purse_id is distinct from ${purseOf}
            or (jobs.release_id is distinct from production_id and jobs.release_id is distinct from staging_id)
            or (jobs.state = 'READY' and jobs.runs = 0)
            or (jobs.state = 'READY' and jobs.state_at < now() - make_interval(mins => idle_minutes)) or ${isSpent})`.execute(
      db,
    );
    return rows.map(({ id }) => id);
  },

  /** Sessions whose deployment is deleted. */
  listAbandoned: async (db: Db): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select jobs.id from jobs left join deployments on deployments.id = jobs.deployment_id
      where jobs.deployment_id is not null and ${isAliveSql("jobs.state")} and jobs.state <> 'KILLING'
        and deployments.id is null`.execute(db);
    return rows.map(({ id }) => id);
  },

  /** Ends waiting calls whose payer may spend no more this month. The owner's are paid by the purse, if there is one. */
  endUnpaid: async (db: Db, deploymentId: string, reason: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      with payers as materialized (
        select waiting.payer_id from (
          select distinct coalesce(calls.payer_id, deployments.owner_id) as payer_id, deployments.owner_id,
            ${purseOf} as purse_id
          from calls join deployments on deployments.id = calls.deployment_id
          where calls.deployment_id = ${deploymentId} and calls.state = 'queued') as waiting
        where (waiting.purse_id is null or waiting.payer_id <> waiting.owner_id) and is_month_spent(waiting.payer_id, null)
      )
      update calls set state = 'lost', reason = ${reason}, ended_at = now() from payers, deployments
      where deployments.id = calls.deployment_id and calls.deployment_id = ${deploymentId} and calls.state = 'queued'
        and coalesce(calls.payer_id, deployments.owner_id) = payers.payer_id returning calls.id`.execute(db);
    return rows.map(({ id }) => id);
  },

  /** Ends calls that no session will serve. Returns their ids. */
  endQueued: async (trx: Db, deploymentId: string, releaseId: string, reason: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      update calls set state = 'lost', reason = ${reason}, ended_at = now()
      where deployment_id = ${deploymentId} and release_id = ${releaseId} and state = 'queued' returning id`.execute(
      trx,
    );
    return rows.map(({ id }) => id);
  },
};
