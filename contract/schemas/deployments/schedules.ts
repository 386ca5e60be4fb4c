import { z } from "zod";

import { formText, schedule as limits } from "../../limits.ts";
import { CommitAuthor } from "../code.ts";
import { formJson, Id, jsonLength, numberBetween, oneOf, optionalText, requiredText, yesOrNo } from "../forms.ts";
import { PageKeyQuery } from "../pages.ts";
import { CallState } from "./calls.ts";
import { Channel } from "./deployments.ts";

// Calls a deployment at times.

const overlaps = ["skip", "queue", "cancel"] as const;
/** What happens when the call before has not ended: this tick is skipped, waits, or cancels the older call. */
export const Overlap = z.enum(overlaps);
export type Overlap = z.infer<typeof Overlap>;

const missedRules = ["skip", "latest", "all"] as const;
/** Which of the ticks are made up for that the server missed while it was down. */
export const MissedRule = z.enum(missedRules);
export type MissedRule = z.infer<typeof MissedRule>;

const told = ["nobody", "creator", "owner", "editors"] as const;
/** Who is told of failures. */
export const ScheduleTold = z.enum(told);
export type ScheduleTold = z.infer<typeof ScheduleTold>;

export const Schedule = z.object({
  id: z.string(),
  deployment_id: z.string(),
  name: z.string(),
  /** Either a cron expression with five fields, or minutes. */
  cron: z.string().nullable(),
  every_minutes: z.number().nullable(),
  timezone: z.string(),
  /** The times in a sentence. */
  sentence: z.string(),
  inputs: z.record(z.string(), z.unknown()),
  channel: Channel,
  overlap: Overlap,
  missed: MissedRule,
  paused: z.boolean(),
  /** Why the server paused it; empty when a person did. */
  paused_reason: z.string(),
  /** Calls that failed in a row, and after how many it pauses itself. 0: never. */
  failures: z.number(),
  failures_max: z.number(),
  told: ScheduleTold,
  by: CommitAuthor.nullable(),
  /** The next five times; none while it is paused. */
  next: z.array(z.string()),
  last: z.object({ call_id: z.string(), state: CallState, time: z.string() }).nullable(),
  time_created: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

const Inputs = formJson(
  z
    .record(z.string(), z.unknown())
    .refine(
      (given) => jsonLength(given) <= limits.inputsMax,
      `The values can have at most ${limits.inputsMax} characters.`,
    ),
);

/** Nothing, which a form sends as an empty text. */
const None = z.union([z.null(), z.literal("").transform(() => null)]);

const timing = {
  cron: None.or(optionalText("Cron expression", limits.cronMax)),
  every_minutes: None.or(numberBetween("Minutes", { min: 1, max: limits.everyMinutesMax }, "whole")),
  timezone: requiredText("Time zone", 100),
};

export const ScheduleBody = z.object({
  name: requiredText("Name", formText.nameMax),
  cron: timing.cron.default(null),
  every_minutes: timing.every_minutes.default(null),
  timezone: timing.timezone.default("UTC"),
  inputs: Inputs.default({}),
  channel: oneOf("Channel", ["production", "staging"]).default("production"),
  overlap: oneOf("Overlap", overlaps).default("skip"),
  missed: oneOf("Missed", missedRules).default("latest"),
  failures_max: numberBetween("Failures", { min: 0, max: 1_000 }, "whole").default(5),
  told: oneOf("Who is told", told).default("creator"),
});
export type ScheduleBody = z.infer<typeof ScheduleBody>;

export const SchedulePatch = z
  .object({
    name: requiredText("Name", formText.nameMax),
    ...timing,
    inputs: Inputs,
    channel: oneOf("Channel", ["production", "staging"]),
    overlap: oneOf("Overlap", overlaps),
    missed: oneOf("Missed", missedRules),
    failures_max: numberBetween("Failures", { min: 0, max: 1_000 }, "whole"),
    told: oneOf("Who is told", told),
    paused: yesOrNo("paused"),
  })
  .partial();
export type SchedulePatch = z.infer<typeof SchedulePatch>;

export const ScheduleList = z.array(Schedule);
export type ScheduleList = z.infer<typeof ScheduleList>;

/** Says when a schedule would run, before it is saved. */
export const SchedulePreviewBody = z.object({
  cron: timing.cron.default(null),
  every_minutes: timing.every_minutes.default(null),
  timezone: timing.timezone.default("UTC"),
});
export type SchedulePreviewBody = z.infer<typeof SchedulePreviewBody>;

export const SchedulePreview = z.object({ sentence: z.string(), next: z.array(z.string()) });
export type SchedulePreview = z.infer<typeof SchedulePreview>;

/** One time at which a schedule was due. */
export const ScheduleTick = z.object({
  time: z.string(),
  /** `called`, or why there was no call. */
  outcome: z.enum(["due", "called", "skipped", "missed", "refused"]),
  reason: z.string(),
  call: z.object({ id: z.string(), state: CallState }).nullable(),
});
export type ScheduleTick = z.infer<typeof ScheduleTick>;

export const ScheduleTickPage = z.object({ ticks: z.array(ScheduleTick), next: z.string().nullable() });
export type ScheduleTickPage = z.infer<typeof ScheduleTickPage>;

export const ScheduleTicksQuery = PageKeyQuery.omit({ after: true }).extend({
  after: optionalText("after", 40).optional(),
});
export type ScheduleTicksQuery = z.infer<typeof ScheduleTicksQuery>;

export const ScheduleParams = z.object({ graphId: Id, scheduleId: Id });
export type ScheduleParams = z.infer<typeof ScheduleParams>;
