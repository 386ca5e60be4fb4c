import { type Nano, roundedCredits } from "@miranda/contract/billing/credits.ts";

/** In credits per hour. */
export interface HourPrices {
  coreHour: number;
  ramGbHour: number;
  hour: number;
}

/** Prices and the time from which they apply, in milliseconds. */
export type EffectivePrices = HourPrices & { from: number };

interface Used {
  seconds: number;
  cpuSeconds: number;
  ramGb: number;
}

const secondsPerHour = 3_600;

/**
 * What a sample cost that ended at a moment. `prices`: oldest first; the first one has always applied. When a price
 * changed during the sample, each part of its time has its own price.
 */
export function costOf(used: Used, endedAt: number, prices: readonly EffectivePrices[]): Nano {
  const beganAt = endedAt - used.seconds * 1_000;
  let cost = 0;
  for (const [at, price] of prices.entries()) {
    const until = prices[at + 1]?.from ?? Number.POSITIVE_INFINITY;
    const share = shareBetween(price.from, until, { beganAt, endedAt });
    if (share > 0) cost += share * hourly(used, price);
  }
  return roundedCredits(cost / secondsPerHour);
}

function hourly({ seconds, cpuSeconds, ramGb }: Used, { coreHour, ramGbHour, hour }: HourPrices): number {
  return cpuSeconds * coreHour + ramGb * seconds * ramGbHour + seconds * hour;
}

/** Which share of a sample's time is between two moments. A sample without any time belongs to its end. */
function shareBetween(from: number, until: number, { beganAt, endedAt }: { beganAt: number; endedAt: number }): number {
  if (endedAt === beganAt) return from <= endedAt && endedAt < until ? 1 : 0;
  return Math.max(0, Math.min(endedAt, until) - Math.max(beganAt, from)) / (endedAt - beganAt);
}
