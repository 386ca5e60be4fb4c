import { z } from "zod";

import { budget as limits } from "../../limits.ts";
import { numberWords } from "../../number-rule.ts";
import { numberBetween } from "../forms.ts";

// What runs may cost, in credits.

const amount = (label: string) =>
  z.union(
    [z.literal("").transform(() => null), z.null(), numberBetween(label, limits)],
    numberWords(label, limits, "any"),
  );

/** The limits of a project. Null, or an empty field: none. */
export const ProjectBudgets = z.object({
  /** What one run may cost before it asks. */
  run_budget: z.number().nullable(),
  /** What all runs may cost in a day. */
  day_budget: z.number().nullable(),
  /** What the project has cost today. */
  spent_today: z.number(),
});
export type ProjectBudgets = z.infer<typeof ProjectBudgets>;

export const PutProjectBudgetsBody = z.object({ run_budget: amount("run_budget"), day_budget: amount("day_budget") });
export type PutProjectBudgetsBody = z.infer<typeof PutProjectBudgetsBody>;

/** What people are asked when a run has reached a limit. */
export const RunBudgetQuestion = z.object({
  /** Which limit: that of the run, or that of the project's day. */
  limit: z.enum(["run", "day"]),
  /** What the run or the day had cost, of what it may cost. */
  spent: z.number(),
  of: z.number(),
  time_asked: z.string(),
  /** When the session is stopped if nobody answers. */
  time_stops: z.string(),
});
export type RunBudgetQuestion = z.infer<typeof RunBudgetQuestion>;
