import type { SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import type { SpendingFilters } from "../../api/billing/spending.ts";

/** A part of the chart that was clicked. The chart and the ledger show only this part. */
export interface ChosenPart {
  by: SpendingGrouping;
  key: string;
  name: string;
}

export function filtersOf(chosen: ChosenPart | null): Omit<SpendingFilters, "from" | "to"> {
  const filters = { project: "", workflow: "", person: "", source: "" };
  return chosen === null ? filters : { ...filters, [chosen.by === "kind" ? "source" : chosen.by]: chosen.key };
}
