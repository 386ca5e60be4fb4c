import { z } from "zod";

import { spending as limits } from "../../limits.ts";
import { OptionalId, optionalText, requiredText } from "../forms.ts";
import { Credits, creditsUpTo } from "./amounts.ts";

/** What an administrator gives an account, or the purse of a project. The same key grants once. */
export const GrantBody = z.object({
  key: requiredText("key", limits.keyMax),
  /** A username or an e-mail address. */
  account: optionalText("account", 320).optional(),
  project_id: OptionalId,
  amount: creditsUpTo("The amount", limits.grantMax),
  note: requiredText("A note", limits.noteMax),
});
export type GrantBody = z.infer<typeof GrantBody>;

export const Grant = z.object({
  key: z.string(),
  amount: Credits,
  note: z.string(),
  /** The username, when it was given to an account. */
  account: z.string().nullable(),
  project_id: z.string().nullable(),
  /** What the account or the purse has now. */
  balance: Credits,
  /** Whether this key was used before, so that nothing was granted now. */
  repeated: z.boolean(),
  time_granted: z.string(),
});
export type Grant = z.infer<typeof Grant>;

/** Takes back a grant by its key: all that is left of it, or an amount. The same key does it once. */
export const CorrectionBody = z.object({
  key: requiredText("key", limits.keyMax),
  grant: requiredText("grant", limits.keyMax),
  amount: creditsUpTo("The amount", limits.grantMax).optional(),
  reason: requiredText("A reason", limits.noteMax),
});
export type CorrectionBody = z.infer<typeof CorrectionBody>;

export const Correction = z.object({
  key: z.string(),
  /** The key of the grant. */
  grant: z.string(),
  /** What was taken back. */
  amount: Credits,
  reason: z.string(),
  /** The username, when it had been given to an account. */
  account: z.string().nullable(),
  project_id: z.string().nullable(),
  /** What the account or the purse has now. Below zero when it had spent it. */
  balance: Credits,
  /** Whether this key was used before, so that nothing was taken now. */
  repeated: z.boolean(),
  time_corrected: z.string(),
});
export type Correction = z.infer<typeof Correction>;

/** A grant as administrators see it. */
export const GivenGrant = z.object({
  key: z.string(),
  amount: Credits,
  /** What has not been taken back. */
  left: Credits,
  note: z.string(),
  /** Who granted it. Null for an account that is gone. */
  by: z.string().nullable(),
  time_granted: z.string(),
});
export type GivenGrant = z.infer<typeof GivenGrant>;
