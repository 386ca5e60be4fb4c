import { z } from "zod";

import { administration } from "../admin-limits.ts";
import { formJson, numberBetween, oneOf, optionalText } from "./forms.ts";
import { Visibility } from "./projects.ts";

const registrations = ["open", "invitation", "domains", "closed"] as const;
export const Registration = z.enum(registrations);
export type Registration = z.infer<typeof Registration>;

const secondFactorRules = ["optional", "admins", "everybody"] as const;
export const SecondFactorRule = z.enum(secondFactorRules);
export type SecondFactorRule = z.infer<typeof SecondFactorRule>;

const payments = ["credits", "free"] as const;
/** `free`: running costs nobody anything. `credits`: it costs credits, which new accounts have for their trial. */
export const Payment = z.enum(payments);
export type Payment = z.infer<typeof Payment>;

const firstStarts = ["open", "later", "done"] as const;
/** Whether the administrator of a new installation has answered what is asked first, or has put it off. */
export const FirstStart = z.enum(firstStarts);
export type FirstStart = z.infer<typeof FirstStart>;

/** Null: the limit of the environment, or of the installation. */
const limit = (label: string, min: 0 | 1 = 0) => {
  const number = numberBetween(label, { min, max: administration.limitMax }, "whole");
  return z.preprocess((value) => (value === "" ? null : value), number.nullable());
};

/** Limits that hold for every account. */
export const InstallationLimits = z.object({
  projects: limit("Projects of one account").default(null),
  templates: limit("Templates of one account").default(null),
  tokens: limit("Access tokens of one account").default(null),
  processors: limit("Sessions of one account", 1).default(null),
  processors_in_all: limit("Sessions in all", 1).default(null),
});
export type InstallationLimits = z.infer<typeof InstallationLimits>;

/** Limits of one account. */
export const AccountQuotas = InstallationLimits.omit({ processors_in_all: true });
export type AccountQuotas = z.infer<typeof AccountQuotas>;

/** What administrators decide without a restart. */
export const InstallationSettings = z.object({
  registration: Registration,
  /** Whose people may register, when registration is by e-mail domain. */
  registration_domains: z.array(z.string()),
  default_visibility: Visibility,
  second_factor: SecondFactorRule,
  payment: Payment,
  /** Of new accounts. */
  trial_days: z.number(),
  trial_credits: z.number(),
  /** The address by which people reach the server, used from the next start on. Null: nobody has said it. */
  public_url: z.string().nullable(),
  first_start: FirstStart,
  /** Shown to everybody who is signed in. Empty: nothing. */
  announcement: z.string(),
  /** The last day that it is shown, in UTC. Empty: until somebody removes it. */
  announcement_until: z.string(),
  limits: InstallationLimits,
  /** Grows with each change. */
  version: z.number(),
  changed_by: z.string().nullable(),
  time_changed: z.string().nullable(),
});
export type InstallationSettings = z.infer<typeof InstallationSettings>;

/** With the limits that hold where the settings say nothing. */
export const AdminSettings = InstallationSettings.extend({
  default_limits: z.record(z.string(), z.number()),
  /** The address that this server uses now, and whether PUBLIC_URL says it: then it cannot be changed here. */
  address: z.object({ now: z.string().nullable(), fixed: z.boolean() }),
});
export type AdminSettings = z.infer<typeof AdminSettings>;

const domainWords = "E-mail domains must be names such as example.org.";
const Domain = z
  .string(domainWords)
  .trim()
  .toLowerCase()
  .max(administration.domainLength, domainWords)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, domainWords);

/** The version that the administrator saw. Another one means that somebody was faster. */
export const SeenVersion = numberBetween("version", { min: 1, max: 2_000_000_000 }, "whole");

const addressWords =
  "The address must begin with http:// or https:// and have no path, such as https://miranda.example.org.";
/** Empty: nobody has said it. */
const PublicUrl = z
  .string(addressWords)
  .trim()
  .max(500, addressWords)
  .transform((text) => (text === "" ? null : originOf(text)))
  .refine((origin) => origin !== undefined, addressWords);

function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : undefined;
}

const dayWords = "The end of the announcement must be a day such as 2026-12-31, or empty.";

export const SettingsBody = z.object({
  version: SeenVersion,
  registration: oneOf("Registration", registrations).optional(),
  registration_domains: formJson(
    z.array(Domain, domainWords).max(administration.domainsMax, `At most ${administration.domainsMax} domains.`),
    domainWords,
  ).optional(),
  default_visibility: Visibility.optional(),
  second_factor: oneOf("Second factor", secondFactorRules).optional(),
  payment: oneOf("Payment", payments).optional(),
  trial_days: numberBetween("The days of the trial", { min: 1, max: administration.trialDaysMax }, "whole").optional(),
  trial_credits: numberBetween("The credits of the trial", { min: 0, max: administration.trialCreditsMax }).optional(),
  public_url: PublicUrl.optional(),
  first_start: oneOf("First start", firstStarts).optional(),
  announcement: optionalText("Announcement", administration.announcementMax).optional(),
  announcement_until: z
    .string(dayWords)
    .refine((day) => day === "" || z.iso.date().safeParse(day).success, dayWords)
    .optional(),
  limits: formJson(InstallationLimits, "Limits must be numbers.").optional(),
});
export type SettingsBody = z.infer<typeof SettingsBody>;

export const Announcement = z.object({ text: z.string() });
export type Announcement = z.infer<typeof Announcement>;
