import { z } from "zod";

import { administration } from "../../admin-limits.ts";
import { AccountQuotas, SeenVersion } from "../admin.ts";
import { formJson, Id, numberBetween, oneOf, optionalText, yesOrNo } from "../forms.ts";

/** An account as administrators see it. */
export const Person = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  avatar: z.string().nullable(),
  is_admin: z.boolean(),
  /** Null: it can sign in. */
  time_disabled: z.string().nullable(),
  last_seen: z.string().nullable(),
  time_created: z.string(),
  credits: z.number(),
  trial: z.boolean(),
  trial_end: z.string().nullable(),
  subscribed: z.boolean(),
  has_second_factor: z.boolean(),
  /** Projects that the account owns. */
  projects: z.number(),
  /** Processor sessions that the account started and that are alive. */
  running: z.number(),
  quotas: AccountQuotas,
  /** Grows with each change by an administrator. */
  version: z.number(),
});
export type Person = z.infer<typeof Person>;

const kinds = ["all", "admins", "disabled"] as const;

export const PeopleQuery = z.object({
  query: optionalText("query", 200).default(""),
  kind: oneOf("kind", kinds).default("all"),
  limit: numberBetween("limit", { min: 1, max: 200 }, "whole").default(administration.peoplePage),
  after: Id.optional(),
});
export type PeopleQuery = z.infer<typeof PeopleQuery>;

const dateWords = "Trial until must be a date such as 2030-01-31.";
/** The last day of a trial. An empty text ends the trial now. */
const TrialDay = z.string(dateWords).transform((text, context): Date | null => {
  const day = text.trim();
  if (day === "") return null;
  const end = new Date(`${day}T23:59:59Z`);
  const isDay = z.iso.date().safeParse(day).success && end.getUTCFullYear() < 2_100;
  if (isDay && end.getTime() > Date.now()) return end;
  const message = isDay ? "A trial can only be extended to a day that is not over." : dateWords;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** What an administrator changes about an account, and the version that the administrator saw. */
export const PersonPatch = z.object({
  version: SeenVersion,
  is_admin: yesOrNo("is_admin").optional(),
  disabled: yesOrNo("disabled").optional(),
  /** With `disabled`: also stops what runs. */
  stop_sessions: yesOrNo("stop_sessions").default(false),
  subscribed: yesOrNo("subscribed").optional(),
  trial_until: TrialDay.optional(),
  quotas: formJson(AccountQuotas, "Limits must be numbers.").optional(),
});
export type PersonPatch = z.infer<typeof PersonPatch>;

/** Shown once: only the hash of its token is stored. */
export const PasswordLink = z.object({ address: z.string(), time_expires: z.string() });
export type PasswordLink = z.infer<typeof PasswordLink>;

export const NewPerson = z.object({ person: Person, link: PasswordLink });
export type NewPerson = z.infer<typeof NewPerson>;
