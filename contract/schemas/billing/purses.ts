import { z } from "zod";

import { spending as limits } from "../../limits.ts";
import { OptionalId, yesOrNo } from "../forms.ts";
import { Credits, creditsUpTo } from "./amounts.ts";

/** The credits of a project. */
export const Purse = z.object({
  /** Whether it pays for new sessions. Otherwise whoever starts them pays. */
  in_use: z.boolean(),
  /** Null for people who are not members. */
  balance: Credits.nullable(),
  may_fill: z.boolean(),
  may_manage: z.boolean(),
});
export type Purse = z.infer<typeof Purse>;

/** Who pays for a workflow: for new sessions, and for the one that is open. */
export const PayerOfWorkflow = Purse.extend({
  /** Null without a session, and for people who are not members. The person is empty when the project pays. */
  session: z.object({ by_project: z.boolean(), person: z.string() }).nullable(),
});
export type PayerOfWorkflow = z.infer<typeof PayerOfWorkflow>;

export const PutPurseBody = z.object({ in_use: yesOrNo("in_use") });
export type PutPurseBody = z.infer<typeof PutPurseBody>;

/** A fill that is sent twice with the same key counts once. */
export const FillPurseBody = z.object({ amount: creditsUpTo("The amount", limits.grantMax), key: OptionalId });
export type FillPurseBody = z.infer<typeof FillPurseBody>;
