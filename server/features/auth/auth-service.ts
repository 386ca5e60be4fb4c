import { trial } from "@miranda/contract/limits.ts";
import type { CommitAuthor } from "@miranda/contract/schemas/code.ts";
import type {
  AccountPatch,
  AuthResponse,
  LoginBody,
  OnboardingBody,
  PasswordBody,
  RegisterBody,
} from "@miranda/contract/schemas/auth.ts";
import { createHash } from "node:crypto";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Allowance, RateLimits } from "../../platform/limits/rate-limits.ts";
import type { Visitor } from "../../platform/http/visitor.ts";
import type { Caller, Credentials } from "../../platform/http/caller.ts";
import { hashPassword, hashToken, newId, randomToken, verifyPassword } from "../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../platform/database/database.ts";
import { coalesceLookups } from "../../platform/coalesce-lookups.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import { createAccessTokens } from "./access-tokens-service.ts";
import { type AccountRow, createAuthQueries } from "./auth-queries.ts";
import type { Proved } from "./proved-account.ts";
import { redrawAvatar } from "./avatar-image.ts";
import { deletedAccountQueries } from "./deleted-accounts-queries.ts";

export { idleSince } from "./idle-tokens-queries.ts";

/** The result of signing in: the secret for the cookie, and the account. */
export interface SignedIn {
  sessionToken: string;
  response: AuthResponse;
}

export type Auth = ReturnType<typeof createAuth>;

const touchEvery = 5 * 60_000;
const lookupsPerHour = 100;
const knownAddressDays = 90;

interface Dependencies {
  db: Db;
  rateLimits: RateLimits;
  registrationsPerHour: number;
  quotas: Pick<Quotas, "tokensPerAccount">;
}

export function createAuth(deps: Dependencies) {
  const { rateLimits } = deps;
  const queries = createAuthQueries(deps.db);
  const tokens = createAccessTokens(deps.db, deps.quotas);
  const findSession = coalesceLookups(queries.findSessions);
  // Checked when there is no such account: an unknown name must take as long as a wrong password.
  const nobodysPassword = hashPassword(randomToken());

  async function openSession(account: Proved, visitor: Visitor): Promise<SignedIn> {
    const sessionToken = randomToken();
    const isOpen = await queries.insertSession(hashToken(sessionToken), account, visitor.userAgent.slice(0, 300));
    if (!isOpen) throw new AppError("wrong_credentials");
    await tokens.keepAutomatic(account.id);
    await rateLimits.remember(["known", "account", account.id, visitor.address], knownAddressDays);
    return { sessionToken, response: await describe(account.id) };
  }

  async function describe(accountId: string): Promise<AuthResponse> {
    const row = await queries.findAccount(accountId);
    if (!row) throw new AppError("not_signed_in");
    return toAuthResponse(row);
  }

  /** Asks for the password again, counting wrong answers like failed logins. */
  async function confirmPassword(caller: Caller, password: string, visitor: Visitor): Promise<Proved> {
    const account = await queries.findAccount(caller.accountId);
    if (!account) throw new AppError("not_signed_in");
    const { here, everywhere, shared } = passwordAllowances("password", ["account", account.id], visitor.address);
    await rateLimits.take([here, everywhere, shared]);
    if (!(await verifyPassword(password, account.password_hash))) throw new AppError("wrong_password");
    await rateLimits.forgive([here, everywhere]);
    await rateLimits.refund([shared]);
    return account;
  }

  return {
    describe,
    confirmPassword,

    isOnlyAdmin: async ({ accountId, isAdmin }: Caller): Promise<boolean> =>
      isAdmin && !(await deletedAccountQueries(deps.db).hasOtherAdmin(accountId)),

    /** Ends every way to sign in and removes the name, inside a transaction that removes the rest. */
    async erase(trx: Db, proved: Proved): Promise<void> {
      const inside = deletedAccountQueries(trx);
      await inside.lockAdmins();
      const account = await inside.lock(proved);
      if (!account) throw new AppError("not_signed_in");
      if (account.is_admin && !(await inside.hasOtherAdmin(account.id))) throw new AppError("last_admin");
      await inside.erase(account.id, account.username);
    },

    /** The caller for a task that a person started earlier. */
    async callerFor(accountId: string): Promise<Caller> {
      const row = await queries.findAccount(accountId);
      if (!row) throw new AppError("account_not_found");
      const { username, is_admin: isAdmin } = row;
      return { accountId, username, isAdmin, via: "token", credential: Buffer.alloc(0) };
    },

    /**
     * An account that somebody names to share with. Misses are counted, so that nobody can probe who has an account.
     */
    async getAccountByLogin(caller: Caller, login: string): Promise<{ id: string; username: string }> {
      const allowance = [{ key: ["lookup", caller.accountId], most: lookupsPerHour, windowMinutes: 60 }];
      await rateLimits.take(allowance);
      const account = await queries.findAccountByLogin(login);
      if (!account) throw new AppError("account_not_found");
      await rateLimits.refund(allowance);
      return { id: account.id, username: account.username };
    },

    async authenticate({ session, bearer }: Credentials): Promise<Caller | undefined> {
      if (bearer) return tokens.authenticate(bearer);
      if (!session) return undefined;
      const credential = hashToken(session);
      const found = await findSession(credential.toString("hex"));
      if (!found) return undefined;
      if (Date.now() - found.seen_at.getTime() > touchEvery) {
        await queries.touchSession(credential);
        await tokens.keepAutomatic(found.id);
      }
      return { accountId: found.id, username: found.username, isAdmin: found.is_admin, via: "session", credential };
    },

    async register(body: RegisterBody, visitor: Visitor): Promise<SignedIn> {
      await rateLimits.take([
        { key: ["register", visitor.address], most: deps.registrationsPerHour, windowMinutes: 60 },
      ]);
      const { password, ...person } = body;
      const id = newId();
      const password_hash = await hashPassword(password);
      try {
        await queries.insertAccount({
          ...person,
          id,
          password_hash,
          trial_end: new Date(Date.now() + trial.days * trial.dayLength),
          credits: trial.credits,
        });
      } catch (error) {
        throw takenError(error);
      }
      return openSession({ id, password_hash }, visitor);
    },

    async login({ username, password }: LoginBody, visitor: Visitor): Promise<SignedIn> {
      const account = await queries.findAccountByLogin(username);
      const who = account ? ["account", account.id] : ["name", nameHash(username)];
      const { here, everywhere, shared } = passwordAllowances("login", who, visitor.address);
      // Strangers who guess from many addresses must not lock people out where they have signed in before.
      const isKnown = await rateLimits.remembers(["known", ...who, visitor.address]);
      const own = isKnown ? [here] : [here, everywhere];
      await rateLimits.take([...own, shared]);
      const matches = await verifyPassword(password, account?.password_hash ?? (await nobodysPassword));
      if (!account || !matches) throw new AppError("wrong_credentials");
      await rateLimits.forgive(own);
      await rateLimits.refund([shared]);
      return openSession(account, visitor);
    },

    async logout(caller: Caller | undefined): Promise<void> {
      if (caller?.via === "session") await queries.deleteSession(caller.credential);
    },

    async onboard(caller: Caller, body: OnboardingBody): Promise<AuthResponse> {
      await queries.updateAccount(caller.accountId, { ...body, onboarded_at: new Date() });
      return describe(caller.accountId);
    },

    async patchAccount(caller: Caller, patch: AccountPatch, visitor: Visitor): Promise<AuthResponse> {
      const { password, ...rest } = patch;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const { account } = await describe(caller.accountId);
      const changesEmail = given["email"] !== undefined && given["email"] !== account.email;
      if (changesEmail && !password) throw new AppError("password_needed");
      const proved = changesEmail ? await confirmPassword(caller, password ?? "", visitor) : undefined;
      try {
        const isChanged = await queries.updateAccount(caller.accountId, given, proved);
        if (!isChanged) throw new AppError("wrong_password");
      } catch (error) {
        throw takenError(error);
      }
      return describe(caller.accountId);
    },

    async setAvatar(caller: Caller, file: Buffer): Promise<AuthResponse> {
      const image = await redrawAvatar(file);
      const version = createHash("sha256").update(image).digest("hex").slice(0, 16);
      await queries.saveAvatar(caller.accountId, version, image);
      return describe(caller.accountId);
    },

    async removeAvatar(caller: Caller): Promise<AuthResponse> {
      await queries.deleteAvatar(caller.accountId);
      return describe(caller.accountId);
    },

    async getAvatar(accountId: string): Promise<{ image: Buffer; version: string }> {
      const avatar = await queries.findAvatar(accountId);
      if (!avatar) throw new AppError("not_found");
      return avatar;
    },

    async changePassword(caller: Caller, body: PasswordBody, visitor: Visitor): Promise<SignedIn> {
      const account = await confirmPassword(caller, body.current_password, visitor);
      const password_hash = await hashPassword(body.new_password);
      if (!(await queries.replacePassword(account, password_hash))) throw new AppError("wrong_password");
      return openSession({ id: account.id, password_hash }, visitor);
    },

    async createToken(caller: Caller, password: string, name: string, visitor: Visitor): Promise<string> {
      return tokens.create(await confirmPassword(caller, password, visitor), name);
    },

    listTokens: (caller: Caller, page: PageKeyQuery) => tokens.list(caller.accountId, page),
    revokeToken: (caller: Caller, id: string) => tokens.revoke(caller, id),

    async *sweep(): AsyncGenerator<void> {
      yield* queries.deleteExpired();
      yield* rateLimits.sweep();
    },
  };
}

/**
 * Wrong passwords are counted three ways: one address against one account, many addresses against one account, one
 * address against many accounts. The first is the tightest, so that a stranger cannot quickly lock a person out. `who`
 * is an account's id, so that its username and e-mail share a counter, or the hash of an unknown name.
 */
function passwordAllowances(what: string, who: readonly string[], address: string) {
  return {
    here: { key: [what, "here", ...who, address], most: 10, windowMinutes: 15 },
    everywhere: { key: [what, "everywhere", ...who], most: 50, windowMinutes: 15 },
    shared: { key: [what, "address", address], most: 100, windowMinutes: 15 },
  } satisfies Record<string, Allowance>;
}

/** A name may have any length. Its hash is a short key that reveals nothing to a reader of the table. */
function nameHash(login: string): string {
  return createHash("sha256").update(login.normalize("NFKC").trim().toLowerCase()).digest("hex");
}

function takenError(error: unknown): unknown {
  const index = violatedUnique(error);
  if (index === "accounts_username") return new AppError("username_taken");
  if (index === "accounts_email") return new AppError("email_taken");
  return error;
}

export function avatarAddress(accountId: string, version: string | null): string | null {
  return version ? `/api/v3/accounts/${accountId}/avatar?v=${version}` : null;
}

/** The account that a row was joined with. */
interface AuthorRow {
  author_id: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
}

/** Who made something. Null when the account is gone. */
export function authorOf(row: AuthorRow): CommitAuthor | null {
  if (!row.author_id || !row.username) return null;
  return {
    id: row.author_id,
    username: row.username,
    first_name: row.first_name ?? "",
    last_name: row.last_name ?? "",
    avatar: avatarAddress(row.author_id, row.avatar_version),
  };
}

function toAuthResponse(row: AccountRow): AuthResponse {
  return {
    username: row.username,
    account: {
      id: row.id,
      username: row.username,
      first_name: row.first_name,
      last_name: row.last_name,
      email: row.email,
      is_admin: row.is_admin ? 1 : 0,
      industry: row.industry,
      role: row.role,
      phone: row.phone,
      avatar: avatarAddress(row.id, row.avatar_version),
      has_exec_token: row.has_exec_token,
      exec_token_ended: row.has_exec_token ? null : row.token_revoked ? "revoked" : "idle",
      subscribed: row.subscribed ? 1 : 0,
      trial: row.trial ? 1 : 0,
      trial_end: row.trial_end?.toISOString() ?? null,
      credits: row.credits,
      sample: row.sample,
    },
    needs_onboarding: row.onboarded_at === null,
  };
}
