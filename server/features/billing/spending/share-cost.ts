import { type Nano, roundedCredits, sumCredits } from "@miranda/contract/billing/credits.ts";

/** Divides a cost by time. What rounding leaves over goes to the first ones, so that the shares add up to the cost. */
export function shareCost(cost: Nano, seconds: readonly number[]): Nano[] {
  const times = seconds.map(roundedCredits);
  const all = sumCredits(times);
  if (all === 0n) return times;
  const shares = times.map((time) => (cost * time) / all);
  let left = cost - sumCredits(shares);
  return shares.map((share) => {
    if (left <= 0n) return share;
    left -= 1n;
    return share + 1n;
  });
}
