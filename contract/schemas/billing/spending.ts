import { z } from "zod";

import { paging, spending as limits } from "../../limits.ts";
import { numberBetween, oneOf, OptionalId, requiredText } from "../forms.ts";
import { Credits } from "./amounts.ts";
import { MonthBudget } from "./budgets.ts";

// What an account or a project has spent: the ledger, and what it adds up to.

/** A day that there is, within years that every part of a sum can count: the database has no year 0. */
export function isDay(text: string): boolean {
  if (!/^(?:19|2\d)\d\d-\d\d-\d\d$/.test(text)) return false;
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}
export const day = (label: string) => z.string().refine(isDay, `${label} must be a day such as 2026-11-17.`);

const zone = requiredText("zone", limits.zoneMax).default("UTC");

export const SpendingQuery = z.object({ zone });
export type SpendingQuery = z.infer<typeof SpendingQuery>;

export const SpendingSummary = z.object({
  /** Of the account, or of the project's purse. Null for a project that has none. */
  balance: Credits.nullable(),
  /** In the time zone that was asked for. */
  today: z.string(),
  month: z.object({
    first_day: z.string(),
    spent: Credits,
    /** All of last month, and as much of it as has passed of this one. */
    last: Credits,
    last_until_now: Credits,
    /** What was spent so far, and for each day left the average of the last 7 days. */
    forecast: Credits,
  }),
  budget: MonthBudget.nullable(),
});
export type SpendingSummary = z.infer<typeof SpendingSummary>;

const groupings = ["project", "workflow", "person", "kind"] as const;
export type SpendingGrouping = (typeof groupings)[number];

const entryKinds = ["usage", "grant", "trial", "opening", "fill", "return", "correction"] as const;
export type EntryKind = (typeof entryKinds)[number];
const sources = ["session", "call", "schedule"] as const;

const filters = {
  zone,
  from: day("from").optional(),
  to: day("to").optional(),
  project: OptionalId,
  workflow: OptionalId,
  person: OptionalId,
  source: oneOf("source", sources).optional(),
};

/** By default the last 30 days. */
export const SpendingDaysQuery = z.object({ ...filters, by: oneOf("by", groupings).default("project") });
export type SpendingDaysQuery = z.infer<typeof SpendingDaysQuery>;

export const SpendingDays = z.object({
  from: z.string(),
  to: z.string(),
  total: Credits,
  /** The largest ones first, the rest together. The key is an id or a word; empty for what has none. */
  parts: z.array(z.object({ key: z.string(), name: z.string(), amount: Credits, isRest: z.boolean() })),
  /** Every day, with an amount for each part. */
  days: z.array(z.object({ day: z.string(), amounts: z.array(Credits) })),
});
export type SpendingDays = z.infer<typeof SpendingDays>;

/** Every project, workflow, person or kind that something was spent on, the largest first. `after` is the `next` of the page before. */
export const SpendingPartsQuery = z.object({
  ...filters,
  by: oneOf("by", groupings).default("project"),
  search: z.string().max(limits.searchMax, `search can have at most ${limits.searchMax} characters.`).default(""),
  after: numberBetween("after", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").default(0),
  limit: numberBetween("limit", { min: 1, max: paging.pageMax }, "whole").default(paging.page),
});
export type SpendingPartsQuery = z.infer<typeof SpendingPartsQuery>;

export const SpendingParts = z.object({
  parts: z.array(z.object({ key: z.string(), name: z.string(), amount: Credits })),
  next: z.number().nullable(),
});
export type SpendingParts = z.infer<typeof SpendingParts>;

/** Newest first. `after` is the `next` of the page before. */
export const LedgerQuery = z.object({
  ...filters,
  kind: oneOf("kind", entryKinds).optional(),
  after: z.string().max(limits.pageKeyMax, "That page key cannot be read.").optional(),
  limit: numberBetween("limit", { min: 1, max: paging.pageMax }, "whole").default(paging.page),
});
export type LedgerQuery = z.infer<typeof LedgerQuery>;

/** What a session cost on one day, or another change of the balance. */
export const LedgerEntry = z.object({
  key: z.string(),
  day: z.string(),
  time: z.string(),
  kind: z.enum(entryKinds),
  /** Empty for entries that are not usage. */
  source: z.string(),
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  workflow: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Who ran it, filled the purse or granted it. Empty when it is not known. */
  person: z.string(),
  /** Null when the session was removed. */
  session_id: z.string().nullable(),
  /** When its session began: two of one workflow and day differ in it. Null when it is not known. */
  time_started: z.string().nullable(),
  amount: Credits,
  /** Whether a purse paid. */
  purse: z.boolean(),
  note: z.string(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** What was spent, whoever paid, and what came into a purse and left it. All are zero or more. */
const LedgerTotals = z.object({ spent: Credits, purse_spent: Credits, purse_added: Credits, purse_returned: Credits });
export type LedgerTotals = z.infer<typeof LedgerTotals>;

export const LedgerPage = z.object({
  entries: z.array(LedgerEntry),
  /** Of an account: how much its balance changed. Of a project it also has what others paid; use the totals. */
  sum: Credits,
  totals: LedgerTotals,
  next: z.string().nullable(),
});
export type LedgerPage = z.infer<typeof LedgerPage>;

export const SpendingOfSession = z.object({
  id: z.string(),
  name: z.string(),
  project_name: z.string(),
  time_started: z.string().nullable(),
  time_ended: z.string().nullable(),
  /** What it cost, and what this account or project paid of it. What others paid is in neither. */
  cost: Credits,
  paid: Credits,
  /** What it cost while nothing ran. Null when others paid for some of it. */
  between: Credits.nullable(),
  /** All runs that this account or project paid for. `runs` has the newest 1,000. */
  run_count: z.number(),
  runs: z.array(
    z.object({
      id: z.string(),
      number: z.number(),
      person: z.string(),
      state: z.string(),
      time_began: z.string(),
      /** How long it took. Null while it is alive. */
      seconds: z.number().nullable(),
      cost: Credits,
      /** Each node has a share of the cost by the time that it ran. Empty for people who may not read the workflow. */
      nodes: z.array(z.object({ name: z.string(), seconds: z.number(), cost: Credits })),
    }),
  ),
  has_samples: z.boolean(),
});
export type SpendingOfSession = z.infer<typeof SpendingOfSession>;

export const SamplesQuery = z.object({
  after: numberBetween("after", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").default(0),
  limit: numberBetween("limit", { min: 1, max: limits.samplesMax }, "whole").default(limits.samples),
});
export type SamplesQuery = z.infer<typeof SamplesQuery>;

export const SamplePage = z.object({
  samples: z.array(
    z.object({
      number: z.number(),
      time: z.string(),
      seconds: z.number(),
      cpu_seconds: z.number(),
      ram_gb: z.number(),
      cost: Credits,
      /** The number of its run. Null between runs. */
      run: z.number().nullable(),
    }),
  ),
  next: z.number().nullable(),
});
export type SamplePage = z.infer<typeof SamplePage>;
