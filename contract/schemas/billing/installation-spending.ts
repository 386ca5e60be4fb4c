import { z } from "zod";

import { paging, spending as limits } from "../../limits.ts";
import { numberBetween, oneOf, requiredText } from "../forms.ts";
import { Credits } from "./amounts.ts";
import { day } from "./spending.ts";

// What everybody on this installation has spent. For administrators.

const groupings = ["person", "project", "app", "month"] as const;
export type InstallationGrouping = (typeof groupings)[number];

const range = {
  zone: requiredText("zone", limits.zoneMax).default("UTC"),
  from: day("from").optional(),
  to: day("to").optional(),
};

/** By default the last 30 days. */
export const InstallationSpendingQuery = z.object({
  ...range,
  by: oneOf("by", groupings).default("person"),
  after: numberBetween("after", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").default(0),
  limit: numberBetween("limit", { min: 1, max: paging.pageMax }, "whole").default(paging.page),
});
export type InstallationSpendingQuery = z.infer<typeof InstallationSpendingQuery>;

export const InstallationSpendingFile = z.object(range);
export type InstallationSpendingFile = z.infer<typeof InstallationSpendingFile>;

export const InstallationSpending = z.object({
  from: z.string(),
  to: z.string(),
  total: Credits,
  /** The largest first, months in their order. The key is an id or a month; empty for what has none. */
  rows: z.array(z.object({ key: z.string(), name: z.string(), amount: Credits })),
  /** The `after` of the next page. */
  next: z.number().nullable(),
});
export type InstallationSpending = z.infer<typeof InstallationSpending>;
