import { z } from "zod";

import { formText, secondFactor as limits } from "../../limits.ts";
import type { AuthResponse } from "../auth.ts";
import { formJson, requiredText } from "../forms.ts";

// The second step of a sign-in, and passkeys.

/** The second factors that somebody can sign in with. */
export const SecondFactorMethod = z.enum(["code", "recovery_code", "passkey"]);
export type SecondFactorMethod = z.infer<typeof SecondFactorMethod>;

/** The answer to the first step of an account with a second factor. A cookie remembers who it is for ten minutes. */
export const SecondFactorNeeded = z.object({ second_factor: z.array(SecondFactorMethod) });
export type SecondFactorNeeded = z.infer<typeof SecondFactorNeeded>;

/** The answer of a call that signs people in. */
export type SignInAnswer = AuthResponse | SecondFactorNeeded;

/** Empty for somebody who has just proved who they are with a passkey, or at a provider. */
const Password = z
  .string({ error: "Password must be text." })
  .max(formText.passwordMax, "That password is too long.")
  .default("");

export const ReauthBody = z.object({ password: Password });
export type ReauthBody = z.infer<typeof ReauthBody>;

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  time_created: z.string(),
  last_used: z.string().nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

/** What the owner of an account sees of it. */
export const SecondFactors = z.object({
  app: z.object({ time_created: z.string(), last_used: z.string().nullable() }).nullable(),
  passkeys: z.array(Passkey),
  recovery_codes_left: z.number(),
});
export type SecondFactors = z.infer<typeof SecondFactors>;

/** What administrators see of somebody's second factors. */
export const FactorsOfPerson = SecondFactors.pick({ recovery_codes_left: true }).extend({
  has_app: z.boolean(),
  passkeys: z.number(),
});
export type FactorsOfPerson = z.infer<typeof FactorsOfPerson>;

/** A new authenticator app that is not confirmed yet. `address` is for its QR code. */
export const NewApp = z.object({ key: z.string(), address: z.string() });
export type NewApp = z.infer<typeof NewApp>;

/** Spaces do not matter: apps show "123 456". */
const Code = z
  .string({ error: "Enter the code." })
  .transform((text) => text.replaceAll(/\s/g, ""))
  .pipe(z.string().regex(/^\d{6}$/, `A code has ${limits.codeDigits} digits.`));

export const ConfirmAppBody = z.object({ code: Code });
export type ConfirmAppBody = z.infer<typeof ConfirmAppBody>;

/** Shown once. Null: the codes that there are stay as they are. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()).nullable() });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

export const SecondStepBody = z.union(
  [
    z.object({ code: Code }),
    z.object({ recovery_code: z.string().trim().min(1).max(100, "That is not a recovery code.") }),
  ],
  "Enter the code of your app, or a recovery code.",
);
export type SecondStepBody = z.infer<typeof SecondStepBody>;

// What browsers send. The library that verifies it reads the rest.
const Encoded = z.string().max(limits.passkeyTextMax);
const Credential = { id: Encoded, rawId: Encoded, type: z.literal("public-key") };
const Attachment = z.enum(["platform", "cross-platform"]);
const Extensions = z.object({}).catch({});

const PasskeyResponse = z.object({
  ...Credential,
  response: z.object({
    clientDataJSON: Encoded,
    authenticatorData: Encoded,
    signature: Encoded,
    userHandle: Encoded.optional(),
  }),
  authenticatorAttachment: Attachment.optional().catch(undefined),
  clientExtensionResults: Extensions,
});
export type PasskeyResponse = z.infer<typeof PasskeyResponse>;

const NewPasskeyResponse = z.object({
  ...Credential,
  response: z.object({
    clientDataJSON: Encoded,
    attestationObject: Encoded,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
  authenticatorAttachment: Attachment.optional().catch(undefined),
  clientExtensionResults: Extensions,
});

const notPasskey = "That is not the response of a passkey.";
const Ticket = z.string({ error: notPasskey }).max(100, notPasskey);
const PasskeyName = requiredText("Name", formText.shortTextMax);

/** A challenge for a passkey: `options` go to the browser as they are. */
export const PasskeyChallenge = z.object({ ticket: z.string(), options: z.looseObject({ challenge: z.string() }) });
export type PasskeyChallenge = z.infer<typeof PasskeyChallenge>;

export const PasskeyResponseBody = z.object({ ticket: Ticket, response: formJson(PasskeyResponse, notPasskey) });
export type PasskeyResponseBody = z.infer<typeof PasskeyResponseBody>;

export const AddPasskeyBody = z.object({
  ticket: Ticket,
  name: PasskeyName,
  response: formJson(NewPasskeyResponse, notPasskey),
});
export type AddPasskeyBody = z.infer<typeof AddPasskeyBody>;

export const PasskeyNameBody = z.object({ name: PasskeyName });
export type PasskeyNameBody = z.infer<typeof PasskeyNameBody>;
