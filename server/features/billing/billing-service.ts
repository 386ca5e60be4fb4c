import { getCredits, type Nano, sumCredits, writeCredits } from "@miranda/contract/billing/credits.ts";

import type { Db } from "../../platform/database/database.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import { charge, type ChargedJob, insertSamples, mergeSessions, type Owed, type Paid } from "./billing-queries.ts";
import { checkBudgets, type FullBudget } from "./budgets/check-budgets.ts";
import { priceQueries } from "./prices/prices-queries.ts";
import { costOf, type EffectivePrices } from "./prices/sample-cost.ts";

/** Who pays for samples, who caused them, and by what. */
export interface Booking {
  /** Null: the account of the session. */
  payerId: string | null;
  personId: string | null;
  source: "session" | "call" | "schedule";
}

/** What samples cost. */
export interface Charge {
  cost: Nano;
  /** What each sample cost, by its number. */
  ofSamples: Map<number, Nano>;
  /** What the samples of each run cost, by its number. Other samples are left out. */
  ofRuns: Map<number, Used>;
  /** What the accounts have to pay. */
  owed: readonly Owed[];
  /** Running costs nobody anything: nothing stops for lack of credits. */
  isFree: boolean;
}

/** What accounts have left after a charge. */
export interface Balance {
  /** What the session's account has, or the purse that pays for it. Infinite when it paid nothing. */
  credits: number;
  /** Other accounts that paid and have nothing left. */
  broke: string[];
  /** Budgets that are used up and stop what runs. */
  full: FullBudget[];
  /** Whether people have to be told about a budget. */
  isWarned: boolean;
}

export interface Used {
  cost: Nano;
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
  /** How many seconds ago it ended. Left out: when the samples after it began. */
  age?: number | undefined;
}

export type Billing = ReturnType<typeof createBilling>;

const nothing: EffectivePrices = { coreHour: 0, ramGbHour: 0, hour: 0, from: Number.NEGATIVE_INFINITY };

/** `prices` apply until an administrator sets others. */
export function createBilling({ prices: fromSettings }: Pick<ProcessorSettings, "prices">) {
  const always: EffectivePrices = { ...fromSettings, from: Number.NEGATIVE_INFINITY };

  /** What each sample cost, by its number, at the prices that applied while it was measured. */
  async function price(trx: Db, samples: readonly Sample[]): Promise<{ costs: Map<number, Nano>; isFree: boolean }> {
    const { now, prices, is_free } = await priceQueries.findEffective(trx);
    const effective = is_free ? [nothing] : [always, ...prices];
    let later = 0;
    const costs = samples.toReversed().map((sample): [number, Nano] => {
      const cost = costOf(sample, now - (sample.age ?? later) * 1_000, effective);
      later = (sample.age ?? later) + sample.seconds;
      return [sample.number, cost];
    });
    return { costs: new Map(costs), isFree: is_free };
  }

  return {
    /** Stores samples with what they cost. */
    async store(
      trx: Db,
      job: ChargedJob,
      samples: readonly Sample[],
      bookingOf: (run: number) => Booking,
    ): Promise<Charge> {
      const { costs: ofSamples, isFree } = await price(trx, samples);
      const given = samples.map((sample) => {
        const { payerId, personId, source } = bookingOf(sample.run);
        return {
          number: sample.number,
          account_id: payerId ?? job.account_id,
          person_id: personId,
          source,
          seconds: sample.seconds,
          cpu_seconds: sample.cpuSeconds,
          ram_gb: sample.ramGb,
          cost: writeCredits(ofSamples.get(sample.number) ?? 0n),
          received_bytes: sample.network?.receivedBytes ?? null,
          sent_bytes: sample.network?.sentBytes ?? null,
        };
      });
      const owed = await insertSamples(trx, job.id, given);
      const ofRuns = new Map<number, Used>();
      for (const sample of samples) {
        const used = ofRuns.get(sample.run) ?? { cost: 0n, cpuSeconds: 0, ramGbSeconds: 0 };
        used.cost += ofSamples.get(sample.number) ?? 0n;
        used.cpuSeconds += sample.cpuSeconds;
        used.ramGbSeconds += sample.ramGb * sample.seconds;
        if (sample.run > 0) ofRuns.set(sample.run, used);
      }
      return { cost: sumCredits(owed.map(({ cost }) => getCredits(cost))), ofSamples, ofRuns, owed, isFree };
    },

    /**
     * Charges accounts in the transaction that stored the samples: both or neither. Late in it, because all sessions of an
     * account wait for each other from here to the end of the transaction.
     */
    async charge(trx: Db, job: ChargedJob, { owed, isFree }: Charge): Promise<Balance> {
      const paid: (Paid & { purseId: string | null })[] = [];
      // Accounts in order, then the purse: otherwise two sessions whose owners call each other's apps would deadlock.
      const payers = [...Map.groupBy(owed, ({ account_id }) => account_id)].map(([accountId, ofAccount]) => ({
        ...{ accountId, owed: ofAccount, purseId: accountId === job.account_id ? job.purse_id : null },
      }));
      for (const payer of payers.toSorted(byAccountThenPurse)) {
        const left = await charge(trx, job, payer);
        if (left) paid.push({ ...left, purseId: payer.purseId });
      }
      const own = paid.find(({ account_id }) => account_id === job.account_id);
      const limited = paid.filter(({ has_budget }) => has_budget);
      const accountIds = limited.filter(({ purseId }) => purseId === null).map(({ account_id }) => account_id);
      return {
        credits: isFree ? Number.POSITIVE_INFINITY : (own?.credits ?? Number.POSITIVE_INFINITY),
        broke: isFree ? [] : paid.filter((one) => one !== own && one.credits <= 0).map(({ account_id }) => account_id),
        ...(limited.length > 0 ? await checkBudgets(trx, accountIds, job.project_id) : { full: [], isWarned: false }),
      };
    },

    /** For sessions that are removed: keeps how much was spent, and on what. */
    keepSums: mergeSessions,
  };
}

interface Payer {
  accountId: string;
  purseId: string | null;
}

function byAccountThenPurse(a: Payer, b: Payer): number {
  if ((a.purseId === null) !== (b.purseId === null)) return a.purseId === null ? -1 : 1;
  return a.accountId < b.accountId ? -1 : 1;
}
