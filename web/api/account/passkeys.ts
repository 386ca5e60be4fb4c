import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";

import type { PasskeyChallenge, RecoveryCodes } from "@miranda/contract/schemas/account/sign-in.ts";

import { call } from "../http.ts";
import { passkeyObstacle } from "./passkey-obstacle.ts";

export interface PasskeyCall {
  /** Offer passkeys among the usernames that the browser suggests, instead of in a dialog. */
  inSuggestions?: boolean;
}

export const canSuggestPasskeys = async (): Promise<boolean> =>
  passkeyObstacle() === undefined && (await browserSupportsWebAuthnAutofill());

/** Asks the browser for a passkey, and sends its response. */
export async function respondWithPasskey<Answer>(
  path: string,
  { inSuggestions = false }: PasskeyCall = {},
): Promise<Answer> {
  requirePasskeys();
  const { ticket, options } = await call<PasskeyChallenge>(`${path}/challenge`, { method: "POST" });
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: inSuggestions }).catch(inPlainWords);
  return call<Answer>(path, { method: "POST", body: { json: { ticket, response } } });
}

/** Shows who somebody is, before a sensitive act. Holds for five minutes in this browser. */
export const reauthWithPasskey = (): Promise<unknown> => respondWithPasskey("/api/v3/auth/reauth");

export async function makePasskey(name: string, password: string): Promise<RecoveryCodes> {
  requirePasskeys();
  const path = "/api/v3/auth/passkeys";
  const { ticket, options } = await call<PasskeyChallenge>(`${path}/challenge`, {
    method: "POST",
    fields: { password },
  });
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const response = await startRegistration({ optionsJSON }).catch(inPlainWords);
  return call(path, { method: "POST", body: { json: { ticket, name, response } } });
}

function requirePasskeys(): void {
  const obstacle = passkeyObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
}

/** Whether the person, or the browser, gave up. */
export function isGivenUp(cause: unknown): boolean {
  return cause instanceof Error && (cause.name === "NotAllowedError" || cause.name === "AbortError");
}

function inPlainWords(cause: unknown): never {
  if (!(cause instanceof Error)) throw cause;
  const words =
    cause.name === "InvalidStateError"
      ? "This device has a passkey for your account already."
      : "No passkey was used. Try again, or choose another way.";
  throw Object.assign(new Error(words, { cause }), { name: cause.name });
}
