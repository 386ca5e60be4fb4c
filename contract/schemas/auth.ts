import { z } from "zod";

import { accessToken, forceStop, formText } from "../limits.ts";
import { numberBetween, oneOf, OptionalId, optionalText, requiredText, yesOrNo } from "./forms.ts";

const Flag = z.union([z.literal(0), z.literal(1)]);

export const Account = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  /** The person has not shown yet that mails to the address reach them. False where no mails are sent. */
  email_unconfirmed: z.boolean(),
  /** False for an account that a provider made, until somebody sets one. */
  has_password: z.boolean(),
  has_passkey: z.boolean(),
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
  /** After how many seconds an interrupt stops by force what does not end. 0: never. */
  force_stop_after: z.number(),
  /** A sample workflow of this account that was not opened yet. */
  sample: z.object({ project_id: z.string(), graph_id: z.string() }).nullable(),
});
export type Account = z.infer<typeof Account>;

/** The answer of GET /api/v3/auth/ for somebody who is signed in. */
export const AuthResponse = z.object({
  username: z.string(),
  account: Account,
  needs_onboarding: z.boolean(),
  /** Nothing else works before a second factor is set up. */
  needs_second_factor: z.boolean(),
});
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

export const NewPassword = z
  .string({ error: "Password is required." })
  .min(formText.passwordMin, `Password needs at least ${formText.passwordMin} characters.`)
  .max(formText.passwordMax, `Password can have at most ${formText.passwordMax} characters.`);

const FirstName = requiredText("First name", formText.personNameMax);
const LastName = requiredText("Last name", formText.personNameMax);
const GivenPassword = z
  .string({ error: "Password is required." })
  .min(1, "Password is required.")
  .max(formText.passwordMax, "That password is too long.");

/** Empty for somebody who has just proved who they are with a passkey, or at a provider. */
const CurrentPassword = z
  .string({ error: "Password is required." })
  .max(formText.passwordMax, "That password is too long.")
  .default("");

/** In the order of the form: that is the order in which a person reads what is wrong. */
export const RegisterBody = z.object({
  first_name: FirstName,
  last_name: LastName,
  username: Username,
  email: Email,
  password: NewPassword,
  /** The secret part of an invitation's link. */
  invitation: optionalText("Invitation", formText.shortTextMax).optional(),
});
export type RegisterBody = z.infer<typeof RegisterBody>;

/** An account that an administrator creates. Its owner sets the password with a link. */
export const NewPersonBody = RegisterBody.pick({
  username: true,
  email: true,
  first_name: true,
  last_name: true,
}).extend({
  is_admin: yesOrNo("is_admin").default(false),
});
export type NewPersonBody = z.infer<typeof NewPersonBody>;

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
    force_stop_after: z.coerce
      .number("Choose one of the times.")
      .refine((seconds) => forceStop.choices.some((one) => one === seconds), "Choose one of the times."),
    /**
     * The current password. Without it, somebody at a signed-in browser could take over the account by changing the
     * e-mail.
     */
    password: z.string({ error: "Password must be text." }).max(formText.passwordMax, "That password is too long."),
  })
  .partial();
export type AccountPatch = z.infer<typeof AccountPatch>;

export const PasswordBody = z.object({ current_password: CurrentPassword, new_password: NewPassword });
export type PasswordBody = z.infer<typeof PasswordBody>;

/** What a token may do. `all`: everything that a token could do before there were scopes. */
export const TokenScope = oneOf("Scope", ["all", "read", "run", "write"]);
export type TokenScope = z.infer<typeof TokenScope>;

export const AccessTokenBody = z
  .object({
    web_password: CurrentPassword,
    name: optionalText("Name", formText.shortTextMax).default(""),
    scope: TokenScope.optional(),
    /** The only project, or the only deployment, that it can use. */
    project_id: OptionalId,
    deployment_id: OptionalId,
    /** Without it, the token ends only when it is not used. */
    expires_days: z
      .union([
        z.literal("").transform(() => undefined),
        numberBetween("Days", { min: 1, max: accessToken.expiryDaysMax }, "whole"),
      ])
      .optional(),
  })
  .refine(
    ({ project_id, deployment_id }) => !project_id || !deployment_id,
    "Choose one project or one deployment, not both.",
  )
  .refine(({ scope, project_id }) => !project_id || scope !== "all", "A token of one project may read, run or write.")
  .refine(
    ({ scope, deployment_id }) => !deployment_id || scope === undefined || scope === "read" || scope === "run",
    "A token of one deployment may read or run.",
  );
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
  scope: TokenScope,
  /** The only project or deployment that it can use, by the name it had when the token was made. */
  limited_to: z.object({ kind: z.enum(["project", "deployment"]), id: z.string(), name: z.string() }).nullable(),
  expires: z.string().nullable(),
  time_created: z.string(),
  last_used: z.string(),
});
export type AccessToken = z.infer<typeof AccessToken>;

/** A browser that is signed in, as its person sees it. */
export const SignedInBrowser = z.object({
  id: z.string(),
  /** Browser and system, in words. */
  browser: z.string(),
  address: z.string(),
  since: z.string(),
  last_seen: z.string(),
  /** The one that asks. */
  current: z.boolean(),
});
export type SignedInBrowser = z.infer<typeof SignedInBrowser>;
