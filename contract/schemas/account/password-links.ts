import { z } from "zod";

import { NewPassword } from "../auth.ts";

const Token = z.string({ error: "token is required." }).min(1, "token is required.").max(200, "token is too long.");

/** The token is in the body: addresses are written to logs. */
export const PasswordLinkBody = z.object({ token: Token });
export type PasswordLinkBody = z.infer<typeof PasswordLinkBody>;

export const UsePasswordLinkBody = PasswordLinkBody.extend({ password: NewPassword });
export type UsePasswordLinkBody = z.infer<typeof UsePasswordLinkBody>;

/** Whose password a link sets. */
export const PasswordLinkOwner = z.object({ username: z.string(), first_name: z.string(), last_name: z.string() });
export type PasswordLinkOwner = z.infer<typeof PasswordLinkOwner>;
