import type { Db } from "../../platform/database/database.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import { type Charge, charge, mergeIntoDays } from "./billing-queries.ts";

export type { Charge };

/** The usage of a processor between two samples. The seconds are from the agent's monotonic clock. */
export interface Sample {
  number: number;
  seconds: number;
  cpuSeconds: number;
  ramGb: number;
  /** Since the session began; left out when it is not measured. */
  network?: { receivedBytes: number; sentBytes: number } | undefined;
}

export type Billing = ReturnType<typeof createBilling>;

const secondsPerHour = 3_600;

export function createBilling({ prices }: Pick<ProcessorSettings, "prices">) {
  const costOf = ({ seconds, cpuSeconds, ramGb }: Sample): number =>
    (cpuSeconds * prices.coreHour + ramGb * seconds * prices.ramGbHour + seconds * prices.hour) / secondsPerHour;

  return {
    /** Charges samples in the transaction that stores them: both or neither. */
    async charge(
      trx: Db,
      job: { id: string; account_id: string; project_id: string | null },
      samples: Sample[],
    ): Promise<Charge> {
      const given = samples.map((sample) => ({
        number: sample.number,
        seconds: sample.seconds,
        cpu_seconds: sample.cpuSeconds,
        ram_gb: sample.ramGb,
        cost: costOf(sample),
        received_bytes: sample.network?.receivedBytes ?? null,
        sent_bytes: sample.network?.sentBytes ?? null,
      }));
      return charge(trx, job, given);
    },

    /** For sessions that are being removed: keeps what each project cost an account on each day. */
    keepSums: mergeIntoDays,
  };
}
