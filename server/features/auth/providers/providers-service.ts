import type { Identity, ProviderBody, ProviderOffer } from "@miranda/contract/schemas/account/providers.ts";
import * as oidc from "openid-client";
import { z } from "zod";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import { hashToken, randomToken } from "../../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { Installation } from "../../../platform/installation/installation.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { ProviderSettings } from "../../../platform/settings/provider-settings.ts";
import type { Auth } from "../auth-service.ts";
import type { SignInResult } from "../sign-in.ts";
import { createProviderAccounts } from "./provider-accounts.ts";
import { createProviderClient, type ProviderClient } from "./provider-client.ts";
import type { ProviderPerson } from "./provider-person.ts";
import { createProviderQueries } from "./providers-queries.ts";

interface Dependencies {
  db: Db;
  cipher: Cipher;
  auth: Pick<Auth, "finishSignIn" | "confirmPassword" | "admissionFor">;
  rateLimits: RateLimits;
  providers: ProviderSettings[];
  publicUrl: string | undefined;
  askToConfirm: (accountId: string) => void;
  installation: Pick<Installation, "readNow">;
  /** A one-time address where the account gets a password. */
  passwordLink: (accountId: string) => Promise<string>;
  warn: (words: string, provider: string) => void;
}

/** What is remembered while the person is at the provider. */
const Begun = z.object({
  purpose: z.enum(["sign_in", "connect", "password"]),
  accountId: z.string().nullable(),
  next: z.string(),
  invitation: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});
type Begun = z.infer<typeof Begun>;

/** What a browser brings back from the provider. */
interface Return {
  query: URLSearchParams;
  /** The secret of the browser that began. */
  browser: string | undefined;
  caller: Caller | undefined;
  visitor: Visitor;
}

export interface Returned {
  /** Where the browser goes next. */
  next: string;
  signedIn?: SignInResult;
  /** For signing out later. */
  idToken?: string;
}

/** A refusal of the callback, and the page that shows it. */
export class ReturnRefused extends Error {
  readonly refusal: AppError;
  readonly page: "/login" | "/account";
  constructor(refusal: AppError, page: "/login" | "/account") {
    super(refusal.message);
    this.refusal = refusal;
    this.page = page;
  }
}

const startsPerQuarter = 60;
const returnsPerQuarter = 60;
const tokenLengthMax = 3_000;
const SignOut = z.object({ provider: z.string(), accountId: z.string(), idToken: z.string() });

export type Providers = ReturnType<typeof createProviders>;

/** Sign-in with OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function createProviders(deps: Dependencies) {
  const { db, cipher, rateLimits } = deps;
  const base = (deps.publicUrl ?? "").replace(/\/$/, "");
  const queries = createProviderQueries(db);
  const accounts = createProviderAccounts(deps);
  const clients = new Map<string, ProviderClient>(
    deps.providers.map((settings) => [settings.id, createProviderClient(settings, base, deps.warn)]),
  );

  function getClient(id: string): ProviderClient {
    const client = clients.get(id);
    if (!client) throw new AppError("provider_unknown");
    return client;
  }

  async function take(id: string, { query, browser }: Return): Promise<Begun> {
    const state = query.get("state");
    if (!state || !browser) throw new AppError("provider_state");
    const key = { state_hash: hashToken(state), browser_hash: hashToken(browser), provider: id };
    const row = await queries.takeSignIn(key);
    if (!row) throw new AppError("provider_state");
    return Begun.parse(JSON.parse(cipher.decrypt(row.content)));
  }

  async function complete(client: ProviderClient, begun: Begun, given: Return): Promise<Returned> {
    const { purpose, accountId } = begun;
    // The account that began must still be the one that is signed in, or a link could connect a stranger's identity.
    if (purpose !== "sign_in" && given.caller?.accountId !== accountId) throw new AppError("provider_state");
    const checks = { ...begun, state: given.query.get("state") ?? "", fresh: purpose === "password" };
    const { person, idToken } = await client.exchange(given.query, checks);
    if (purpose === "connect") return connect(client.settings, person, given);
    if (purpose === "password") return setPassword(client.settings, person, given);
    const { invitation } = begun;
    const { account, isNew } = await accounts.enter(client.settings, person, { invitation, ...given });
    const how = { providerUsedSecondFactor: person.usedSecondFactor, provider: client.settings.name };
    const signedIn = await deps.auth.finishSignIn(account, given.visitor, "oidc", how);
    // A new account has used the invitation. Somebody with an account decides on its page.
    const next = invitation !== "" && !isNew ? `/invitation/${encodeURIComponent(invitation)}` : begun.next;
    return { next, signedIn, idToken: sealForSignOut(client.settings.id, account.id, idToken) };
  }

  async function connect(provider: ProviderSettings, person: ProviderPerson, given: Return): Promise<Returned> {
    const account_id = given.caller?.accountId ?? "";
    try {
      await db.transaction().execute(async (trx) => {
        const inside = createProviderQueries(trx);
        if (!(await inside.lockAccount(account_id))) throw new AppError("not_signed_in");
        const { subject, email } = person;
        await inside.insertIdentity({ provider: provider.id, subject, account_id, email });
        if (person.isEmailVerified) await inside.noteVerified(account_id, email);
        const details = { provider: provider.name };
        await recordAuditEvent(trx, { kind: "identity.connect", actor: account_id, visitor: given.visitor, details });
      });
    } catch (error) {
      const index = violatedUnique(error);
      if (index === "account_identities_pkey") throw new AppError("provider_of_another");
      if (index !== undefined) throw new AppError("provider_connected");
      throw error;
    }
    return { next: "/account?connected=1" };
  }

  /** A person who has just signed in at the provider may set a password, as with a link in a mail. */
  async function setPassword(provider: ProviderSettings, person: ProviderPerson, given: Return): Promise<Returned> {
    const found = await queries.findIdentity(provider.id, person.subject);
    if (!found || found.id !== given.caller?.accountId) throw new AppError("provider_other_person");
    return { next: await deps.passwordLink(found.id) };
  }

  async function recordRefusal(id: string, { caller, visitor }: Return, { code }: AppError): Promise<void> {
    await recordAuditEvent(db, {
      ...{ kind: "sign_in.failed", actor: caller?.accountId ?? null, visitor },
      ...{ result: "refused", details: { provider: clients.get(id)?.settings.name ?? "", reason: code } },
    });
  }

  function sealForSignOut(provider: string, accountId: string, idToken: string): string {
    // A cookie has 4 kB. Without the token the provider asks the person whether to sign out.
    const kept = { provider, accountId, idToken: idToken.length > tokenLengthMax / 2 ? "" : idToken };
    return cipher.encrypt(JSON.stringify(kept)).toString("base64url");
  }

  function openSignOut(sealed: string): z.infer<typeof SignOut> | undefined {
    try {
      return SignOut.parse(JSON.parse(cipher.decrypt(Buffer.from(sealed.slice(0, tokenLengthMax), "base64url"))));
    } catch {
      return undefined;
    }
  }

  return {
    offers: (): ProviderOffer[] => deps.providers.map(({ id, name }) => ({ id, name })),

    /** Where the browser goes to sign in, and the secret that shows later that it is the same browser. */
    async begin(id: string, body: ProviderBody, { caller, visitor, browser: kept }: Omit<Return, "query">) {
      const client = getClient(id);
      const { purpose, invitation } = body;
      if (purpose !== "sign_in" && caller?.via !== "session") throw new AppError("not_signed_in");
      await rateLimits.take([{ key: ["provider", visitor.address], most: startsPerQuarter, windowMinutes: 15 }]);
      if (purpose === "connect" && caller)
        await deps.auth.confirmPassword(caller, body.password, visitor, "provider_password");
      // The same for all tabs of a browser, so that two sign-ins at once both work.
      const browser = kept && /^[\w-]{43}$/.test(kept) ? kept : randomToken();
      const state = randomToken();
      const begun: Begun = {
        ...{ purpose, invitation, next: safePath(body.next), nonce: oidc.randomNonce() },
        ...{ verifier: oidc.randomPKCECodeVerifier(), accountId: caller?.accountId ?? null },
      };
      const address = await client.signInAddress({ ...begun, state, fresh: purpose === "password" });
      await queries.insertSignIn({
        ...{ state_hash: hashToken(state), browser_hash: hashToken(browser), provider: id },
        content: cipher.encrypt(JSON.stringify(begun)),
      });
      return { address, browser };
    },

    /** The provider sent somebody back. Throws `ReturnRefused`; nothing is changed then. */
    async finish(id: string, given: Return): Promise<Returned> {
      const key = ["provider return", given.visitor.address];
      const allowance = [{ key, most: returnsPerQuarter, windowMinutes: 15 }];
      let begun: Begun | undefined;
      try {
        await rateLimits.take(allowance);
        const client = getClient(id);
        begun = await take(id, given);
        // Only returns that nobody began are counted: beginning has its own limit.
        await rateLimits.refund(allowance);
        return await complete(client, begun, given);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // Anybody can make up a return. Recording each would let strangers fill the audit log.
        if (begun) await recordRefusal(id, given, error);
        throw new ReturnRefused(error, begun && begun.purpose !== "sign_in" ? "/account" : "/login");
      }
    },

    async list(caller: Caller): Promise<Identity[]> {
      const rows = await queries.listIdentities(caller.accountId);
      return rows.map(({ provider, email, created_at, last_used_at }) => ({
        ...{ provider, email, name: clients.get(provider)?.settings.name ?? provider },
        ...{ time_created: created_at.toISOString(), last_used: last_used_at.toISOString() },
      }));
    },

    async disconnect(caller: Caller, provider: string, visitor: Visitor): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const inside = createProviderQueries(trx);
        const account = await inside.lockAccount(caller.accountId);
        if (!account) throw new AppError("not_signed_in");
        if (!(await inside.deleteIdentity(account.id, provider))) throw new AppError("provider_unknown");
        const usable = (await inside.listIdentities(account.id)).filter((one) => clients.has(one.provider));
        if (!account.has_password && usable.length === 0) throw new AppError("provider_last");
        const details = { provider: clients.get(provider)?.settings.name ?? provider };
        await recordAuditEvent(trx, { kind: "identity.disconnect", actor: account.id, visitor, details });
      });
    },

    /** Where somebody who signs out here signs out of the provider, too. */
    async signOutAddress(sealed: string | undefined, caller: Caller | undefined): Promise<string | undefined> {
      const kept = sealed === undefined ? undefined : openSignOut(sealed);
      if (!kept || kept.accountId !== caller?.accountId) return undefined;
      return clients.get(kept.provider)?.signOutAddress(kept.idToken, `${base}/login`);
    },

    sweep: queries.sweep,
  };
}

/** A path of this installation. Anything else could lead to another site. */
function safePath(next: string): string {
  const isPath = /^\/(?![/\\])[\u0021-\u007e]*$/.test(next);
  return isPath ? next : "/designer";
}
