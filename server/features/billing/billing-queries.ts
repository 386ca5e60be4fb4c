import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** What an account owes for samples. */
export interface Owed {
  account_id: string;
  /** Who caused it. Null for visitors, and for a session that waits for calls. */
  person_id: string | null;
  source: string;
  cost: string;
}

/** What an account or a purse has left after a payment. */
export interface Paid {
  account_id: string;
  credits: number;
  /** Whether the account or the project has a budget for the month. */
  has_budget: boolean;
}

interface PricedSample {
  number: number;
  /** Who pays for it. */
  account_id: string;
  person_id: string | null;
  source: string;
  seconds: number;
  cpu_seconds: number;
  ram_gb: number;
  cost: string;
  received_bytes: number | null;
  sent_bytes: number | null;
}

/** A session that is charged for. */
export interface ChargedJob {
  id: string;
  account_id: string;
  graph_id: string | null;
  project_id: string | null;
  deployment_id: string | null;
  /** The project whose purse pays instead of the account. */
  purse_id: string | null;
  name: string;
}

/** Stores samples. Returns what is owed for those that are new: a sample's number is its key. */
export async function insertSamples(trx: Db, jobId: string, samples: readonly PricedSample[]): Promise<Owed[]> {
  const { rows } = await sql<Owed>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as given
        (number bigint, account_id uuid, person_id uuid, source text, seconds double precision, cpu_seconds double precision,
          ram_gb double precision, cost numeric(18, 9), received_bytes double precision, sent_bytes double precision)
    ), inserted as (
      insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes)
      select ${jobId}, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes from given
      on conflict do nothing
      returning number, cost
    )
    select given.account_id, given.person_id, given.source, coalesce(sum(inserted.cost), 0)::text as cost
    from given left join inserted using (number) group by given.account_id, given.person_id, given.source`.execute(trx);
  return rows;
}

/**
 * Books what an account owes, and takes it from its credits or from the purse. Undefined when that account or purse no
 * longer exists. A caller who pays for an app does not learn the name of its project, which may be private.
 */
export async function charge(
  trx: Db,
  job: ChargedJob,
  { accountId, purseId, owed }: { accountId: string; purseId: string | null; owed: readonly Owed[] },
): Promise<Paid | undefined> {
  const amount = sql`(select sum(cost) from given)`;
  const pay =
    purseId === null
      ? sql`update accounts set credits = credits - ${amount} where id = ${accountId} returning credits`
      : sql`update purses set balance = balance - ${amount}, updated_at = now() where project_id = ${purseId}
          returning balance as credits`;
  const { rows } = await sql<Paid>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(owed)}::jsonb) as given (person_id uuid, source text, cost numeric(18, 9))
    ), booked as (
      insert into ledger (account_id, kind, job_id, project_id, graph_id, deployment_id, purse_id, person_id, source,
        project_name, graph_name, amount)
      select ${accountId}::uuid, 'usage', ${job.id}::uuid, ${job.project_id}::uuid, ${job.graph_id}::uuid,
        ${job.deployment_id}::uuid, ${purseId}::uuid, person_id, source,
        coalesce((select name from projects where id = ${job.project_id}::uuid and ${accountId === job.account_id}), ''),
        ${job.name}, -cost
      from given
      on conflict (job_id, account_id, day, at, source, coalesce(person_id, '00000000-0000-0000-0000-000000000000'))
        where kind = 'usage'
      do update set amount = ledger.amount + excluded.amount, updated_at = now()
    ), paid as (${pay})
    select ${accountId}::uuid as account_id, credits, exists (select from budgets
      where (account_id = ${accountId} and ${purseId}::uuid is null) or project_id = ${job.project_id}::uuid) as has_budget
    from paid`.execute(trx);
  return rows[0];
}

/**
 * Replaces the entries of these sessions by one for each account, workflow, person and quarter of an hour. Otherwise the
 * ledger would keep entries for every session that ever ran. The caller must run only one such transaction at a time.
 */
export async function mergeSessions(trx: Db, jobIds: string[]): Promise<void> {
  const isSame = sql`same.account_id = sums.account_id and same.day = sums.day and same.at = sums.at and same.source = sums.source
    and same.project_id is not distinct from sums.project_id and same.graph_id is not distinct from sums.graph_id
    and same.person_id is not distinct from sums.person_id and same.purse_id is not distinct from sums.purse_id`;
  await sql`
    with gone as (
      delete from ledger where job_id = any(${jobIds}::uuid[]) and kind = 'usage' returning *
    ), sums as (
      select account_id, project_id, graph_id, person_id, source, purse_id, day, at, max(project_name) as project_name,
        max(graph_name) as graph_name, sum(amount) as amount, min(created_at) as created_at, max(updated_at) as updated_at
      from gone group by account_id, project_id, graph_id, person_id, source, purse_id, day, at
    ), added as (
      update ledger set amount = ledger.amount + sums.amount, updated_at = greatest(ledger.updated_at, sums.updated_at)
      from sums where ledger.id = (
        select min(id) from ledger as same where same.kind = 'usage' and same.job_id is null and ${isSame})
      returning ledger.*
    )
    insert into ledger (account_id, kind, project_id, graph_id, person_id, source, purse_id, day, at, project_name, graph_name,
      amount, created_at, updated_at)
    select account_id, 'usage', project_id, graph_id, person_id, source, purse_id, day, at, project_name, graph_name, amount,
      created_at, updated_at
    from sums where not exists (select 1 from added as same where ${isSame})`.execute(trx);
}
