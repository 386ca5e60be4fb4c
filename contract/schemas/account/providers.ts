import { z } from "zod";

import { formText } from "../../limits.ts";

/** A provider that people can sign in with. */
export const ProviderOffer = z.object({ id: z.string(), name: z.string() });
export type ProviderOffer = z.infer<typeof ProviderOffer>;

export const ProviderId = z.string().regex(/^[a-z0-9-]{1,40}$/, "That is not a provider.");

/** What somebody wants of a provider: to sign in, to connect their account with it, or to set a password. */
export const ProviderPurpose = z.enum(["sign_in", "connect", "password"]);
export type ProviderPurpose = z.infer<typeof ProviderPurpose>;

export const ProviderBody = z.object({
  purpose: ProviderPurpose.default("sign_in"),
  /** The path to go to afterwards. */
  next: z.string().max(4_000).default(""),
  /**
   * To connect an account that has one. Without it, somebody at a signed-in browser could take over the account with an
   * identity of their own.
   */
  password: z.string().max(formText.passwordMax).default(""),
  /** The token of an invitation, for somebody without an account. */
  invitation: z.string().max(200).default(""),
});
export type ProviderBody = z.infer<typeof ProviderBody>;

/** Where the browser goes now. */
export const ProviderAddress = z.object({ address: z.string() });
export type ProviderAddress = z.infer<typeof ProviderAddress>;

/** What the provider sends people back with. */
export const ProviderCallback = z.object({
  state: z.string().max(500).optional(),
  code: z.string().max(4_000).optional(),
  iss: z.string().max(1_000).optional(),
  error: z.string().max(200).optional(),
  error_description: z.string().max(2_000).optional(),
  session_state: z.string().max(1_000).optional(),
});

/** A provider that an account is connected with. */
export const Identity = z.object({
  provider: z.string(),
  name: z.string(),
  /** The address that the provider has of the person. */
  email: z.string(),
  time_created: z.string(),
  last_used: z.string(),
});
export type Identity = z.infer<typeof Identity>;

/** Where the person signs out of the provider, too. */
export const SignedOut = z.object({ address: z.string().optional() });
export type SignedOut = z.infer<typeof SignedOut>;
