import { secondFactor as limits } from "@miranda/contract/limits.ts";
import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { AuditDetails } from "@miranda/contract/schemas/audit.ts";
import type { SecondFactorMethod } from "@miranda/contract/schemas/account/sign-in.ts";

import { recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Visitor } from "../../platform/http/visitor.ts";
import { hashToken, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { RateLimits } from "../../platform/limits/rate-limits.ts";
import { createAuthQueries } from "./auth-queries.ts";
import type { Proved } from "./proved-account.ts";
import { createTicketQueries } from "./second-factor/tickets-queries.ts";
import { findSecondFactorMethods } from "./second-factor/second-factor-queries.ts";

/** How the first step of a sign-in was proved. */
export const signInMethods = ["password", "oidc", "passkey"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** A finished sign-in: the secret for the cookie, and the account. */
export interface SignedIn {
  sessionToken: string;
  response: AuthResponse;
}

/** A sign-in that waits for the second step: the secret for the cookie, and how the step can be taken. */
export interface SecondStep {
  ticket: string;
  methods: SecondFactorMethod[];
}

export type SignInResult = SignedIn | SecondStep;

interface Dependencies {
  db: Db;
  rateLimits: Pick<RateLimits, "remember">;
  describe(accountId: string, options: { hasTwoFactors: boolean }): Promise<AuthResponse>;
  keepAutomatic(accountId: string): Promise<void>;
}

interface Opening {
  hasTwoFactors?: boolean;
  countsAsReauth?: boolean;
  method?: SignInMethod;
  provider?: string;
}

const knownAddressDays = 90;

export type SignIns = ReturnType<typeof createSignIns>;

/** The end of every sign-in, whatever its method. */
export function createSignIns({ db, rateLimits, describe, keepAutomatic }: Dependencies) {
  const queries = createAuthQueries(db);
  const tickets = createTicketQueries(db);

  /**
   * `method`, `provider`: how the person signed in, for the audit log. `hasTwoFactors`: two factors were proved.
   * `countsAsReauth`: sensitive acts need no password for some minutes.
   */
  async function openSession(
    account: Proved,
    visitor: Visitor,
    { hasTwoFactors = false, countsAsReauth = false, method, provider = "" }: Opening = {},
  ): Promise<SignedIn> {
    const sessionToken = randomToken();
    await db.transaction().execute(async (trx) => {
      const own = { visitor, hasTwoFactors, countsAsReauth };
      const inside = createAuthQueries(trx);
      if (!(await inside.insertSession(hashToken(sessionToken), account, own)))
        throw new AppError((await inside.isDisabled(account.id)) ? "account_disabled" : "wrong_credentials");
      const details: AuditDetails = provider === "" ? {} : { provider };
      if (method) await recordAuditEvent(trx, { kind: `sign_in.${method}`, actor: account.id, visitor, details });
    });
    await keepAutomatic(account.id);
    await queries.noteSeen(account.id);
    await rateLimits.remember(["known", "account", account.id, visitor.address], knownAddressDays);
    return { sessionToken, response: await describe(account.id, { hasTwoFactors }) };
  }

  return {
    openSession,

    /**
     * Signs in an account whose first step was just proved, or asks for the second step. A passkey proves two factors:
     * the device, and the person who unlocked it. `providerUsedSecondFactor`: the OpenID provider says that it asked
     * for a second factor.
     */
    async finishSignIn(
      account: Proved,
      visitor: Visitor,
      method: SignInMethod,
      { providerUsedSecondFactor = false, provider = "" } = {},
    ): Promise<SignInResult> {
      const hasTwoFactors = method === "passkey" || providerUsedSecondFactor;
      const methods = hasTwoFactors ? [] : await findSecondFactorMethods(db, account.id);
      const countsAsReauth = method === "passkey" || method === "oidc";
      if (methods.length === 0)
        return openSession(account, visitor, { hasTwoFactors, countsAsReauth, method, provider });
      const ticket = randomToken();
      await tickets.insert({
        token_hash: hashToken(ticket),
        kind: "second_step",
        account_id: account.id,
        method,
        password_fingerprint: hashToken(account.password_hash),
        challenge: null,
        lifetime: limits.ticketLifetime,
      });
      return { ticket, methods };
    },
  };
}
