import type { SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import type { SpendingFilters } from "../../api/billing/spending.ts";

/** A part of the chart that was clicked. The chart and the ledger show only what is in every chosen part. */
export interface ChosenPart {
  by: SpendingGrouping;
  key: string;
  name: string;
}

/** At most one part of each grouping: nothing is in two projects. */
export function addPart(chosen: readonly ChosenPart[], part: ChosenPart): ChosenPart[] {
  return [...withoutPart(chosen, part.by), part];
}

export function withoutPart(chosen: readonly ChosenPart[], by: SpendingGrouping): ChosenPart[] {
  return chosen.filter((part) => part.by !== by);
}

export function filtersOf(chosen: readonly ChosenPart[]): Omit<SpendingFilters, "from" | "to"> {
  const keyOf = (by: SpendingGrouping): string => chosen.find((part) => part.by === by)?.key ?? "";
  return { project: keyOf("project"), workflow: keyOf("workflow"), person: keyOf("person"), source: keyOf("kind") };
}
