import type { Db } from "../../platform/database/database.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import { charge, type ChargedJob, insertSamples, mergeIntoDays, type Owed, type Paid } from "./billing-queries.ts";

/** What samples cost. */
export interface Charge {
  cost: number;
  /** What the samples of each run cost, by its number. Other samples are left out. */
  ofRuns: Map<number, Used>;
  /** What the accounts have to pay. */
  owed: readonly Owed[];
}

/** What accounts have left after a charge. */
export interface Balance {
  /** Of the account of the session. Infinite when it paid nothing. */
  credits: number;
  /** Other accounts that paid and have nothing left. */
  broke: string[];
}

export interface Used {
  cost: number;
  cpuSeconds: number;
  ramGbSeconds: number;
}

/** The usage of a processor between two samples. The seconds are from the agent's monotonic clock. */
export interface Sample {
  number: number;
  seconds: number;
  cpuSeconds: number;
  ramGb: number;
  /** The number of its run; 0 for none. */
  run: number;
  /** Since the session began; left out when it is not measured. */
  network?: { receivedBytes: number; sentBytes: number } | undefined;
}

export type Billing = ReturnType<typeof createBilling>;

const secondsPerHour = 3_600;

export function createBilling({ prices }: Pick<ProcessorSettings, "prices">) {
  const costOf = ({ seconds, cpuSeconds, ramGb }: Sample): number =>
    (cpuSeconds * prices.coreHour + ramGb * seconds * prices.ramGbHour + seconds * prices.hour) / secondsPerHour;

  return {
    /**
     * Stores samples with what they cost. `payers`: who pays for a run, by its number. The account of the session pays for
     * everything else.
     */
    async store(
      trx: Db,
      job: ChargedJob,
      samples: readonly Sample[],
      payers: ReadonlyMap<number, string> = new Map(),
    ): Promise<Charge> {
      const given = samples.map((sample) => ({
        number: sample.number,
        account_id: payers.get(sample.run) ?? job.account_id,
        seconds: sample.seconds,
        cpu_seconds: sample.cpuSeconds,
        ram_gb: sample.ramGb,
        cost: costOf(sample),
        received_bytes: sample.network?.receivedBytes ?? null,
        sent_bytes: sample.network?.sentBytes ?? null,
      }));
      const owed = await insertSamples(trx, job.id, given);
      const ofRuns = new Map<number, Used>();
      for (const sample of samples) {
        const used = ofRuns.get(sample.run) ?? { cost: 0, cpuSeconds: 0, ramGbSeconds: 0 };
        used.cost += costOf(sample);
        used.cpuSeconds += sample.cpuSeconds;
        used.ramGbSeconds += sample.ramGb * sample.seconds;
        if (sample.run > 0) ofRuns.set(sample.run, used);
      }
      return { cost: owed.reduce((sum, { cost }) => sum + cost, 0), ofRuns, owed };
    },

    /**
     * Charges accounts in the transaction that stored the samples: both or neither. Late in it, because all sessions of an
     * account wait for each other from here to the end of the transaction.
     */
    async charge(trx: Db, job: ChargedJob, { owed }: Charge): Promise<Balance> {
      const paid: Paid[] = [];
      // In order: two sessions whose owners call each other would wait for each other.
      for (const one of owed.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1))) {
        const left = await charge(trx, job, one);
        if (left) paid.push(left);
      }
      const own = paid.find(({ account_id }) => account_id === job.account_id);
      return {
        credits: own?.credits ?? Number.POSITIVE_INFINITY,
        broke: paid.filter((one) => one !== own && one.credits <= 0).map(({ account_id }) => account_id),
      };
    },

    /** For sessions that are being removed: keeps what each project cost an account on each day. */
    keepSums: mergeIntoDays,
  };
}
