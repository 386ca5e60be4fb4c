import { roundedCredits, toNumber } from "@miranda/contract/billing/credits.ts";

import { shareCost } from "../billing/spending/share-cost.ts";

interface SharedCost {
  nodes: Map<number, number>;
  /** What installing packages cost, which is no node's cost. */
  installing: number;
}

/** Each node's share of the cost of a run, by the time that it ran, and that of installing: to the last digit as billing has it. */
export function sharesOf(
  { cost, installing }: { cost: number; installing: number },
  rows: readonly { node_id: number; seconds: number }[],
): SharedCost {
  const ordered = rows.toSorted((one, other) => other.seconds - one.seconds || one.node_id - other.node_id);
  const shares = shareCost(roundedCredits(cost), [...ordered.map(({ seconds }) => seconds), installing]).map(toNumber);
  return {
    nodes: new Map(ordered.map(({ node_id }, at) => [node_id, shares[at] ?? 0])),
    installing: shares.at(-1) ?? 0,
  };
}
