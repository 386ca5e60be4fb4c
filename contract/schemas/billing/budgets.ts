import { z } from "zod";

import { spending as limits } from "../../limits.ts";
import { oneOf, requiredText } from "../forms.ts";
import { Credits, creditsUpTo } from "./amounts.ts";

// What an account or a project may spend in a month.

const atFull = ["warn", "pause", "stop"] as const;

/** What happens when it is used up: only a warning; no new runs; or what runs is stopped too. */
export const AtFull = z.enum(atFull);
export type AtFull = z.infer<typeof AtFull>;

export const MonthBudget = z.object({
  amount: Credits,
  at_full: AtFull,
  /** The time zone whose months count, such as Europe/Zurich. */
  zone: z.string(),
  spent: Credits,
  /** The first day of the month. */
  month: z.string(),
});
export type MonthBudget = z.infer<typeof MonthBudget>;

export const MonthBudgetAnswer = z.object({ budget: MonthBudget.nullable() });
export type MonthBudgetAnswer = z.infer<typeof MonthBudgetAnswer>;

export const PutMonthBudgetBody = z.object({
  amount: creditsUpTo("The amount", limits.budgetMax),
  at_full: oneOf("at_full", atFull),
  zone: requiredText("zone", limits.zoneMax).default("UTC"),
});
export type PutMonthBudgetBody = z.infer<typeof PutMonthBudgetBody>;
