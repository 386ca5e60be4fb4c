import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";
import type { ProcessorSettings } from "../../platform/processor-settings.ts";

/** What a processor used between two samples. The time is the agent's own, measured by a clock that nobody can set. */
export interface Sample {
  number: number;
  seconds: number;
  cpuSeconds: number;
  ramGb: number;
}

export interface Charge {
  cost: number;
  /** What the account has left. */
  credits: number;
}

export type Billing = ReturnType<typeof createBilling>;

const secondsPerHour = 3_600;

export function createBilling({ prices }: Pick<ProcessorSettings, "prices">) {
  const costOf = ({ seconds, cpuSeconds, ramGb }: Sample): number =>
    (cpuSeconds * prices.coreHour + ramGb * seconds * prices.ramGbHour + seconds * prices.hour) / secondsPerHour;

  return {
    /** Charges samples in the transaction that stores them: both are there or neither. */
    async charge(
      trx: Db,
      job: { id: string; account_id: string; project_id: string | null },
      samples: Sample[],
    ): Promise<Charge> {
      const rows = samples.map((sample) => ({
        job_id: job.id,
        number: sample.number,
        seconds: sample.seconds,
        cpu_seconds: sample.cpuSeconds,
        ram_gb: sample.ramGb,
        cost: costOf(sample),
      }));
      // The key of a sample is its number: what was charged once is refused here whatever went wrong elsewhere.
      const inserted = await trx
        .insertInto("usage_samples")
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning("cost")
        .execute();
      const cost = inserted.reduce((sum, row) => sum + row.cost, 0);
      await sql`
        insert into ledger (account_id, kind, job_id, project_id, amount)
        values (${job.account_id}, 'usage', ${job.id}, ${job.project_id}, ${-cost})
        on conflict (job_id, day) where kind = 'usage'
        do update set amount = ledger.amount + excluded.amount, updated_at = now()`.execute(trx);
      const account = await trx
        .updateTable("accounts")
        .set({ credits: sql<number>`credits - ${cost}` })
        .where("id", "=", job.account_id)
        .returning("credits")
        .executeTakeFirst();
      return { cost, credits: account?.credits ?? 0 };
    },
  };
}
