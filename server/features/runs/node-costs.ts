import { roundedCredits, toNumber } from "@miranda/contract/billing/credits.ts";

import { shareCost } from "../billing/spending/share-cost.ts";

/** Each node's share of the cost of a run, by the time that it ran: to the last digit as billing has it. */
export function nodeCosts(cost: number, rows: readonly { node_id: number; seconds: number }[]): Map<number, number> {
  const ordered = rows.toSorted((one, other) => other.seconds - one.seconds || one.node_id - other.node_id);
  const shares = shareCost(
    roundedCredits(cost),
    ordered.map(({ seconds }) => seconds),
  );
  return new Map(ordered.map(({ node_id }, at) => [node_id, toNumber(shares[at] ?? 0n)]));
}
