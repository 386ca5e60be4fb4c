import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** What an account owes for samples. */
export interface Owed {
  account_id: string;
  cost: number;
}

/** What an account has left. */
export interface Paid {
  account_id: string;
  credits: number;
}

interface PricedSample {
  number: number;
  /** Who pays for it. */
  account_id: string;
  seconds: number;
  cpu_seconds: number;
  ram_gb: number;
  cost: number;
  received_bytes: number | null;
  sent_bytes: number | null;
}

/** A session that is charged for. */
export interface ChargedJob {
  id: string;
  account_id: string;
  project_id: string | null;
  deployment_id: string | null;
}

/** Stores samples. Returns what each account owes for those that are new: a sample's number is its key. */
export async function insertSamples(trx: Db, jobId: string, samples: readonly PricedSample[]): Promise<Owed[]> {
  const { rows } = await sql<Owed>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as given
        (number bigint, account_id uuid, seconds double precision, cpu_seconds double precision, ram_gb double precision,
          cost numeric(18, 9), received_bytes double precision, sent_bytes double precision)
    ), inserted as (
      insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes)
      select ${jobId}, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes from given
      on conflict do nothing
      returning number, cost
    )
    select given.account_id, coalesce(sum(inserted.cost), 0) as cost
    from given left join inserted using (number) group by given.account_id`.execute(trx);
  return rows;
}

/** Charges an account. Undefined when there is none any more. */
export async function charge(trx: Db, job: ChargedJob, { account_id, cost }: Owed): Promise<Paid | undefined> {
  const { rows } = await sql<Paid>`
    with booked as (
      insert into ledger (account_id, kind, job_id, project_id, deployment_id, amount)
      values (${account_id}::uuid, 'usage', ${job.id}::uuid, ${job.project_id}::uuid, ${job.deployment_id}::uuid,
        -(${cost}::numeric(18, 9)))
      on conflict (job_id, account_id, day) where kind = 'usage'
      do update set amount = ledger.amount + excluded.amount, updated_at = now()
    )
    update accounts set credits = credits - ${cost}::numeric(18, 9) where id = ${account_id}
    returning id as account_id, credits`.execute(trx);
  return rows[0];
}

/**
 * Replaces the entries of these sessions by one for each account, project and day. Otherwise the ledger would have an entry
 * for every session there ever was. The caller lets one transaction do this at a time.
 */
export async function mergeIntoDays(trx: Db, jobIds: string[]): Promise<void> {
  await sql`
    with gone as (
      delete from ledger where job_id = any(${jobIds}::uuid[]) and kind = 'usage'
      returning account_id, project_id, day, amount, created_at, updated_at
    ), sums as (
      select account_id, project_id, day, sum(amount) as amount, min(created_at) as created_at, max(updated_at) as updated_at
      from gone group by account_id, project_id, day
    ), added as (
      update ledger set amount = ledger.amount + sums.amount, updated_at = greatest(ledger.updated_at, sums.updated_at)
      from sums where ledger.id = (
        select min(id) from ledger as same where same.account_id = sums.account_id and same.day = sums.day
          and same.kind = 'usage' and same.job_id is null and same.project_id is not distinct from sums.project_id)
      returning ledger.account_id, ledger.project_id, ledger.day
    )
    insert into ledger (account_id, kind, project_id, day, amount, created_at, updated_at)
    select account_id, 'usage', project_id, day, amount, created_at, updated_at from sums
    where not exists (select 1 from added where added.account_id = sums.account_id and added.day = sums.day
      and added.project_id is not distinct from sums.project_id)`.execute(trx);
}
