import { z } from "zod";

import { formText } from "../../limits.ts";
import { requiredText } from "../forms.ts";

/** Somebody who forgot their password. */
export const ForgotBody = z.object({ username: requiredText("Username or e-mail", formText.emailMax) });
export type ForgotBody = z.infer<typeof ForgotBody>;

/** The token of a link in a mail. */
export const ConfirmBody = z.object({ token: z.string().min(1).max(200) });
export type ConfirmBody = z.infer<typeof ConfirmBody>;
