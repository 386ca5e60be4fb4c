import { z } from "zod";

import { Payment, Registration, SecondFactorRule } from "./admin.ts";
import { Visibility } from "./projects.ts";
import { ProviderOffer } from "./account/providers.ts";

/** What an installation decides and the client has to know. */
export const Settings = z.object({
  /** The sign before every amount. */
  currency: z.string(),
  /** Where people look at running containers. Null: in Miranda itself. */
  processor_host: z.string().nullable(),
  /** Where the documentation is. Null: in Miranda itself, at /docs. */
  docs_url: z.string().nullable(),
  /** Who may register now. Before the first account: everybody. */
  registration: Registration,
  registration_domains: z.array(z.string()),
  default_visibility: Visibility,
  /** With `free`, nobody but administrators is shown credits, trials and prices. */
  payment: Payment,
  /** For so many days, what was deleted can be restored. */
  trash_days: z.number(),
  second_factor: SecondFactorRule,
  /** How people sign in besides with a password. `mail`: forgotten passwords can be replaced by mail. */
  sign_in: z.object({ providers: z.array(ProviderOffer), mail: z.boolean() }),
});
export type Settings = z.infer<typeof Settings>;

/** Something about the installation that its administrators should know and change. */
export const Warning = z.object({
  /** Identifies the warning: a person who dismissed it does not see it again. */
  code: z.string(),
  message: z.string(),
});
export type Warning = z.infer<typeof Warning>;

export const WarningList = z.object({ warnings: z.array(Warning) });
export type WarningList = z.infer<typeof WarningList>;
