import { z } from "zod";

import { formText } from "../limits.ts";
import { optionalText, requiredText } from "./forms.ts";

const Flag = z.union([z.literal(0), z.literal(1)]);

export const Account = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  is_admin: Flag,
  industry: z.string(),
  role: z.string(),
  phone: z.string(),
  avatar: z.string().nullable(),
  has_exec_token: z.boolean(),
  /** Why there is no token. */
  exec_token_ended: z.enum(["revoked", "idle"]).nullable(),
  subscribed: Flag,
  trial: Flag,
  trial_end: z.string().nullable(),
  credits: z.number(),
  /** A sample workflow of this account that was not opened yet. */
  sample: z.object({ project_id: z.string(), graph_id: z.string() }).nullable(),
});
export type Account = z.infer<typeof Account>;

/** The answer of GET /api/v3/auth/ for somebody who is signed in. */
export const AuthResponse = z.object({ username: z.string(), account: Account, needs_onboarding: z.boolean() });
export type AuthResponse = z.infer<typeof AuthResponse>;

/** The answer of the same call for a caller who is not signed in. */
export const AuthRefusal = z.object({ detail: z.string() });
export type AuthRefusal = z.infer<typeof AuthRefusal>;

const Username = requiredText("Username", formText.usernameMax)
  .min(formText.usernameMin, `Username needs at least ${formText.usernameMin} characters.`)
  .regex(
    /^[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?$/,
    "Username can have letters, digits, dots, dashes and underscores, and starts and ends with a letter or digit.",
  );

const Email = requiredText("E-mail", formText.emailMax).pipe(z.email("That is not an e-mail address we can write to."));

const NewPassword = z
  .string({ error: "Password is required." })
  .min(formText.passwordMin, `Password needs at least ${formText.passwordMin} characters.`)
  .max(formText.passwordMax, `Password can have at most ${formText.passwordMax} characters.`);

const FirstName = requiredText("First name", formText.personNameMax);
const LastName = requiredText("Last name", formText.personNameMax);
const GivenPassword = z
  .string({ error: "Password is required." })
  .min(1, "Password is required.")
  .max(formText.passwordMax, "That password is too long.");

export const RegisterBody = z.object({
  username: Username,
  email: Email,
  first_name: FirstName,
  last_name: LastName,
  password: NewPassword,
});
export type RegisterBody = z.infer<typeof RegisterBody>;

export const LoginBody = z.object({
  username: requiredText("Username or e-mail", formText.emailMax),
  password: GivenPassword,
});
export type LoginBody = z.infer<typeof LoginBody>;

export const OnboardingBody = z.object({
  industry: optionalText("Industry", formText.shortTextMax).default(""),
  role: optionalText("Role", formText.shortTextMax).default(""),
  phone: optionalText("Phone", formText.phoneMax)
    .regex(/^[+()\d\s./-]*$/, "Phone can have digits, spaces and + ( ) . / - only.")
    .default(""),
});
export type OnboardingBody = z.infer<typeof OnboardingBody>;

export const AccountPatch = z
  .object({
    first_name: FirstName,
    last_name: LastName,
    email: Email,
    industry: OnboardingBody.shape.industry.unwrap(),
    role: OnboardingBody.shape.role.unwrap(),
    phone: OnboardingBody.shape.phone.unwrap(),
    /**
     * The current password. Without it, somebody at a signed-in browser could take over the account by changing the
     * e-mail.
     */
    password: z.string({ error: "Password must be text." }).max(formText.passwordMax, "That password is too long."),
  })
  .partial();
export type AccountPatch = z.infer<typeof AccountPatch>;

export const PasswordBody = z.object({ current_password: GivenPassword, new_password: NewPassword });
export type PasswordBody = z.infer<typeof PasswordBody>;

export const AccessTokenBody = z.object({
  web_password: GivenPassword,
  name: optionalText("Name", formText.shortTextMax).default(""),
});
export type AccessTokenBody = z.infer<typeof AccessTokenBody>;

export const AccessTokenResponse = z.object({ token: z.string() });
export type AccessTokenResponse = z.infer<typeof AccessTokenResponse>;

/** A token as its owner sees it later: without its secret. */
export const AccessToken = z.object({
  id: z.string(),
  name: z.string(),
  /** Its last characters; empty for the automatic one, which has no secret. */
  hint: z.string(),
  /** Created with the account, and kept alive by using a signed-in browser. */
  automatic: z.boolean(),
  time_created: z.string(),
  last_used: z.string(),
});
export type AccessToken = z.infer<typeof AccessToken>;
