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
