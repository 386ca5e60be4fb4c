import type { RunUsage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";

import { runHistory } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";

interface Point {
  time: number;
  cpu: number | null;
  ram_gb: number;
  received: number | null;
  sent: number | null;
}

/**
 * What the session used while a run was alive, as a few hundred points. The samples count backwards from the newest: their
 * seconds are from the agent's clock, and only the newest has a time of the database.
 */
export async function readUsage(db: Db, runId: string): Promise<RunUsage | null> {
  const { rows } = await sql<Point>`
    with run as (
      select job_id, first_sample, last_sample, began_at from runs where id = ${runId}
    ), samples as (
      select number, seconds, cpu_seconds, ram_gb, created_at,
        received_bytes - lag(received_bytes) over (order by number) as received,
        sent_bytes - lag(sent_bytes) over (order by number) as sent
      from usage_samples, run
      where usage_samples.job_id = run.job_id and number between first_sample and coalesce(last_sample + 1, number)
    ), own as (
      select *, sum(seconds) over (order by number desc) - seconds as later,
        row_number() over (order by number) - 1 as at, count(*) over () as count
      from samples where number > (select first_sample from run)
    )
    select greatest(0, extract(epoch from (select max(created_at) from own) - (select began_at from run)) - min(later))::float8
        as time,
      (sum(cpu_seconds) / nullif(sum(seconds), 0))::float8 as cpu, max(ram_gb)::float8 as ram_gb,
      (greatest(0, sum(received)) / nullif(sum(seconds), 0))::float8 as received,
      (greatest(0, sum(sent)) / nullif(sum(seconds), 0))::float8 as sent
    from own group by at * least(${runHistory.usagePoints}, count) / count order by time`.execute(db);
  if (rows.length === 0) return null;
  const isMeasured = rows.some(({ received }) => received !== null);
  return {
    times: rows.map(({ time }) => time),
    cpu: rows.map(({ cpu }) => cpu ?? 0),
    ram_gb: rows.map(({ ram_gb }) => ram_gb),
    received: isMeasured ? rows.map(({ received }) => received ?? 0) : null,
    sent: isMeasured ? rows.map(({ sent }) => sent ?? 0) : null,
  };
}
