import { secondFactor as limits } from "@miranda/contract/limits.ts";
import type {
  PasskeyResponseBody,
  PasskeyChallenge,
  SecondStepBody,
} from "@miranda/contract/schemas/account/sign-in.ts";
import { timingSafeEqual } from "node:crypto";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { Allowance, RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { Auth } from "../auth-service.ts";
import { type SignedIn, signInMethods } from "../sign-in.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { Passkeys } from "./passkeys-service.ts";
import { createSecondFactorQueries } from "./second-factor-queries.ts";
import type { SecondFactorsFeature } from "./second-factor-service.ts";
import { createTicketQueries } from "./tickets-queries.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "openSession">;
  rateLimits: RateLimits;
  factors: Pick<SecondFactorsFeature, "check">;
  passkeys: Pick<Passkeys, "makeChallenge" | "verify">;
}

export type SecondSteps = ReturnType<typeof createSecondSteps>;

/** The second step of a sign-in, for whoever has the ticket of the first one. */
export function createSecondSteps({ db, auth, rateLimits, factors, passkeys }: Dependencies) {
  const tickets = createTicketQueries(db);
  const queries = createSecondFactorQueries(db);

  async function getTicket(token: string | undefined) {
    const ticket = token ? await tickets.find(hashToken(token), "second_step") : undefined;
    if (!ticket?.account_id) throw new AppError("step_expired");
    return { ...ticket, account_id: ticket.account_id };
  }

  async function take(
    token: string | undefined,
    visitor: Visitor,
    check: (accountId: string) => Promise<void>,
  ): Promise<SignedIn> {
    const { account_id: id, token_hash: hash } = await getTicket(token);
    const { here, everywhere } = allowancesOf(id, visitor.address);
    // Strangers who guess from many addresses must not lock people out where they have signed in before.
    const isKnown = await rateLimits.remembers(["known", "account", id, visitor.address]);
    const own = isKnown ? [here] : [here, everywhere];
    await rateLimits.take(own);
    const ticket = await tickets.countTry(hash, limits.ticketTries);
    const account = await queries.findAccount(id);
    const fingerprint = hashToken(account?.password_hash ?? "");
    if (!ticket?.password_fingerprint || !account || !timingSafeEqual(ticket.password_fingerprint, fingerprint))
      throw new AppError("step_expired");
    try {
      await check(id);
    } catch (error) {
      if (error instanceof AppError)
        await recordAuditEvent(db, { kind: "second_factor.failed", actor: id, visitor, result: "refused" });
      throw error;
    }
    if (!(await tickets.take(hash, "second_step"))) throw new AppError("step_expired");
    await rateLimits.forgive(own);
    const method = signInMethods.find((one) => one === ticket.method) ?? "password";
    return auth.openSession(account, visitor, { hasTwoFactors: true, countsAsReauth: method === "oidc", method });
  }

  return {
    withCode: (token: string | undefined, body: SecondStepBody, visitor: Visitor) =>
      take(token, visitor, (accountId) => factors.check(accountId, body)),

    async challengePasskey(token: string | undefined, party: RelyingParty): Promise<PasskeyChallenge> {
      const { account_id } = await getTicket(token);
      return passkeys.makeChallenge("passkey_step", party, account_id);
    },

    withPasskey: (token: string | undefined, body: PasskeyResponseBody, party: RelyingParty, visitor: Visitor) =>
      take(token, visitor, async (accountId) => {
        await passkeys.verify("passkey_step", body, party, accountId);
      }),
  };
}

/** Whoever guesses here knows the password already. Three of a million codes are right at any time. */
function allowancesOf(accountId: string, address: string) {
  return {
    here: { key: ["second step", "here", accountId, address], most: 10, windowMinutes: 15 },
    everywhere: { key: ["second step", "everywhere", accountId], most: 30, windowMinutes: 60 },
  } satisfies Record<string, Allowance>;
}
