import { secondFactor as limits } from "@miranda/contract/limits.ts";
import type {
  AddPasskeyBody,
  PasskeyResponseBody,
  PasskeyChallenge,
  RecoveryCodes,
} from "@miranda/contract/schemas/account/sign-in.ts";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashToken, newId, randomToken } from "../../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { Auth } from "../auth-service.ts";
import type { SignInResult } from "../sign-in.ts";
import type { RelyingParty } from "./relying-party.ts";
import { hasPassword } from "../proved-account.ts";
import { createPasskeyQueries } from "./passkeys-queries.ts";
import { createSecondFactorQueries } from "./second-factor-queries.ts";
import type { SecondFactorsFeature } from "./second-factor-service.ts";
import { createTicketQueries, type TicketKind } from "./tickets-queries.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "confirmPassword" | "finishSignIn">;
  rateLimits: Pick<RateLimits, "take">;
  factors: Pick<SecondFactorsFeature, "factorAdded" | "factorRemoved">;
  /** The providers that people can sign in with. */
  providerIds: readonly string[];
}

const challengesPerQuarter = 300;
/** Ed25519, ECDSA with P-256, RSA: what passkeys use. */
const supportedAlgorithmIDs = [-8, -7, -257];

export type Passkeys = ReturnType<typeof createPasskeys>;

/** Passkeys (WebAuthn): a way to sign in without a password, and a second factor. */
export function createPasskeys({ db, auth, rateLimits, factors, providerIds }: Dependencies) {
  const queries = createPasskeyQueries(db);
  const accounts = createSecondFactorQueries(db);
  const tickets = createTicketQueries(db);

  /** Keeps the challenge for one response. Only its ticket can use it. */
  async function keepChallenge(kind: TicketKind, challenge: string, accountId: string | null): Promise<string> {
    const ticket = randomToken();
    const row = {
      token_hash: hashToken(ticket),
      kind,
      account_id: accountId,
      method: null,
      password_fingerprint: null,
    };
    await tickets.insert({ ...row, challenge, lifetime: limits.challengeLifetime });
    return ticket;
  }

  async function takeChallenge(kind: TicketKind, ticket: string, accountId: string | null): Promise<string> {
    const row = await tickets.take(hashToken(ticket), kind);
    if (!row?.challenge || row.account_id !== accountId) throw new AppError("passkey_expired");
    return row.challenge;
  }

  async function makeChallenge(
    kind: TicketKind,
    { rpId }: RelyingParty,
    accountId: string | null,
  ): Promise<PasskeyChallenge> {
    const own = accountId === null ? [] : await queries.list(accountId);
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      userVerification: "required",
      timeout: limits.challengeLifetime,
      allowCredentials: own.map(({ credential_id: id, transports }) => ({ id, transports })),
    });
    return { ticket: await keepChallenge(kind, options.challenge, accountId), options: { ...options } };
  }

  /** The passkey that responded. Without `accountId`: of any account. */
  async function verify(
    kind: TicketKind,
    { ticket, response }: PasskeyResponseBody,
    { origin, rpId }: RelyingParty,
    accountId: string | null,
  ) {
    const challenge = await takeChallenge(kind, ticket, accountId);
    const passkey = await queries.findByCredential(response.id);
    if (!passkey || (accountId !== null && passkey.account_id !== accountId)) throw new AppError("passkey_unknown");
    const { userHandle, ...rest } = response.response;
    if (userHandle && Buffer.from(userHandle, "base64url").toString() !== passkey.account_id)
      throw new AppError("passkey_refused");
    const { counter, credential_id: id, public_key } = passkey;
    const { authenticatorAttachment: attachment, ...given } = response;
    const verified = await verifyAuthenticationResponse({
      response: { ...given, response: rest, ...(attachment && { authenticatorAttachment: attachment }) },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(public_key), counter },
    }).catch(refused);
    if (!verified.verified) throw new AppError("passkey_refused");
    if (!(await queries.countUse(passkey.id, verified.authenticationInfo.newCounter)))
      throw new AppError("passkey_refused");
    return passkey;
  }

  /** An unknown passkey is not recorded: it is nobody's. */
  async function recordFailed({ response }: PasskeyResponseBody, visitor: Visitor): Promise<void> {
    const passkey = await queries.findByCredential(response.id);
    const account = passkey && (await accounts.findAccount(passkey.account_id));
    if (!account) return;
    const subject = { kind: "account", id: account.id, name: account.username };
    await recordAuditEvent(db, { kind: "sign_in.failed", actor: null, visitor, subject, result: "refused" });
  }

  return {
    makeChallenge,
    verify,

    /** For the sign-in page. Anybody can ask, so addresses have a limit. */
    async challengeToSignIn(party: RelyingParty, visitor: Visitor): Promise<PasskeyChallenge> {
      const key = ["passkey challenges", visitor.address];
      await rateLimits.take([{ key, most: challengesPerQuarter, windowMinutes: 15 }]);
      return makeChallenge("passkey_sign_in", party, null);
    },

    async signIn(body: PasskeyResponseBody, party: RelyingParty, visitor: Visitor): Promise<SignInResult> {
      try {
        const { account_id } = await verify("passkey_sign_in", body, party, null);
        const account = await accounts.findAccount(account_id);
        if (!account) throw new AppError("passkey_unknown");
        return await auth.finishSignIn(account, visitor, "passkey");
      } catch (error) {
        // Without a challenge nothing was tried. Challenges are limited, so nobody can fill the audit log.
        if (error instanceof AppError && error.code !== "passkey_expired") await recordFailed(body, visitor);
        throw error;
      }
    },

    challengeForReauth: ({ accountId }: Caller, party: RelyingParty) =>
      makeChallenge("passkey_reauth", party, accountId),

    /** Lets this browser do sensitive acts without a password, for some minutes. */
    async reauthenticate(
      { accountId, credential }: Caller,
      body: PasskeyResponseBody,
      party: RelyingParty,
    ): Promise<void> {
      await verify("passkey_reauth", body, party, accountId);
      await accounts.markReauthenticated(credential);
    },

    async challengeToAdd(
      caller: Caller,
      password: string,
      { rpId }: RelyingParty,
      visitor: Visitor,
    ): Promise<PasskeyChallenge> {
      await auth.confirmPassword(caller, password, visitor);
      const [account, own] = await Promise.all([
        accounts.findAccount(caller.accountId),
        queries.list(caller.accountId),
      ]);
      if (!account) throw new AppError("not_signed_in");
      if (own.length >= limits.passkeysMax) throw new AppError("too_many_passkeys");
      const options = await generateRegistrationOptions({
        rpName: "Miranda",
        rpID: rpId,
        userName: account.username,
        userDisplayName: `${account.first_name} ${account.last_name}`.trim(),
        userID: new Uint8Array(Buffer.from(account.id)),
        timeout: limits.challengeLifetime,
        attestationType: "none",
        supportedAlgorithmIDs,
        excludeCredentials: own.map(({ credential_id: id, transports }) => ({ id, transports })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      const ticket = await keepChallenge("passkey_add", options.challenge, caller.accountId);
      return { ticket, options: { ...options } };
    },

    async add(
      caller: Caller,
      { ticket, name, response: given }: AddPasskeyBody,
      { origin, rpId }: RelyingParty,
    ): Promise<RecoveryCodes> {
      const expectedChallenge = await takeChallenge("passkey_add", ticket, caller.accountId);
      const { authenticatorAttachment: attachment, response, ...credential } = given;
      const { transports = [], ...rest } = response;
      const verified = await verifyRegistrationResponse({
        response: { ...credential, response: rest, ...(attachment && { authenticatorAttachment: attachment }) },
        expectedChallenge,
        supportedAlgorithmIDs,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
      }).catch(refused);
      if (!verified.verified) throw new AppError("passkey_refused");
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      try {
        return await db.transaction().execute(async (trx) => {
          const account = await createSecondFactorQueries(trx).lockAccount(caller.accountId);
          if (!account) throw new AppError("not_signed_in");
          const inside = createPasskeyQueries(trx);
          if ((await inside.list(account.id)).length >= limits.passkeysMax) throw new AppError("too_many_passkeys");
          const row = { id: newId(), account_id: account.id, credential_id: id, public_key: Buffer.from(publicKey) };
          await inside.insert({ ...row, counter, transports, name });
          return factors.factorAdded(trx, caller, !account.has_second_factor, `passkey ${name}`);
        });
      } catch (error) {
        throw violatedUnique(error) === "passkeys_credential" ? new AppError("passkey_refused") : error;
      }
    },

    async rename({ accountId }: Caller, id: string, name: string): Promise<void> {
      if (!(await queries.rename(accountId, id, name))) throw new AppError("passkey_not_found");
    },

    async remove(caller: Caller, id: string, password: string, visitor: Visitor): Promise<void> {
      await auth.confirmPassword(caller, password, visitor);
      await db.transaction().execute(async (trx) => {
        const inside = createSecondFactorQueries(trx);
        const account = await inside.lockAccount(caller.accountId);
        const removed = await createPasskeyQueries(trx).delete(caller.accountId, id);
        if (!account || !removed) throw new AppError("passkey_not_found");
        const hasOtherMethod =
          hasPassword(account) ||
          (await createPasskeyQueries(trx).list(account.id)).length > 0 ||
          (await inside.hasProvider(account.id, providerIds));
        if (!hasOtherMethod) throw new AppError("last_sign_in_method");
        await factors.factorRemoved(trx, caller, `passkey ${removed.name}`);
      });
    },
  };
}

/** The library's words name what an attacker got wrong. They are not for the answer. */
function refused(): never {
  throw new AppError("passkey_refused");
}
