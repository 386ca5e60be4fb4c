import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export interface Charge {
  cost: number;
  /** What the account has left. */
  credits: number;
}

interface PricedSample {
  number: number;
  seconds: number;
  cpu_seconds: number;
  ram_gb: number;
  cost: number;
  received_bytes: number | null;
  sent_bytes: number | null;
}

/** Stores samples and charges the account for those that are new. */
export async function charge(
  trx: Db,
  job: { id: string; account_id: string; project_id: string | null },
  samples: readonly PricedSample[],
): Promise<Charge> {
  // A sample's number is its key, so a sample is never charged twice.
  const { rows } = await sql<Charge>`
    with inserted as (
      insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes)
      select ${job.id}, number, seconds, cpu_seconds, ram_gb, cost, received_bytes, sent_bytes
      from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as given
        (number bigint, seconds double precision, cpu_seconds double precision, ram_gb double precision, cost numeric(18, 9),
          received_bytes double precision, sent_bytes double precision)
      on conflict do nothing
      returning cost
    ), total as (
      select coalesce(sum(cost), 0) as cost from inserted
    ), booked as (
      insert into ledger (account_id, kind, job_id, project_id, amount)
      select ${job.account_id}::uuid, 'usage', ${job.id}::uuid, ${job.project_id}::uuid, -cost from total
      on conflict (job_id, day) where kind = 'usage'
      do update set amount = ledger.amount + excluded.amount, updated_at = now()
    )
    update accounts set credits = credits - total.cost from total where id = ${job.account_id}
    returning total.cost, credits`.execute(trx);
  return rows[0] ?? { cost: 0, credits: 0 };
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
