import type { ErrorCode } from "@miranda/contract/errors.ts";
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

import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { RateLimits } from "../../platform/limits/rate-limits.ts";
import type { Visitor } from "../../platform/http/visitor.ts";
import type { Caller, Credentials } from "../../platform/http/caller.ts";
import { hashPassword, hashToken, newId, randomToken, verifyPassword } from "../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../platform/database/database.ts";
import { coalesceLookups } from "../../platform/coalesce-lookups.ts";
import type { Installation } from "../../platform/installation/installation.ts";
import { trialOf } from "../../platform/installation/trial-of.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import type { Admission } from "./admission.ts";
import { createAccessTokens, type WantedToken } from "./access-tokens-service.ts";
import { type AccountRow, createAuthQueries, endMailedLinksOf, type NewAccount } from "./auth-queries.ts";
import { hasPassword, type Proved } from "./proved-account.ts";
import { createSignIns, type SignedIn, type SignInResult } from "./sign-in.ts";
import { createSecondFactorRule } from "./second-factor/second-factor-rule.ts";
import { createTicketQueries } from "./second-factor/tickets-queries.ts";
import { nameHash, passwordAllowances } from "./password-allowances.ts";
import { redrawAvatar } from "./avatar-image.ts";
import { requireRegistration } from "./registration-rule.ts";
import { adminQueries } from "./admin-queries.ts";
import { deletedAccountQueries } from "./deleted-accounts-queries.ts";
import type { Emails } from "./email/email-service.ts";

export { isLive as isLiveToken } from "./idle-tokens-queries.ts";

export type Auth = ReturnType<typeof createAuth>;

const touchEvery = 5 * 60_000;
const lookupsPerHour = 100;
const emailChanges = { most: 5, windowMinutes: 60 };

interface Dependencies {
  db: Db;
  installation: Pick<Installation, "read" | "readNow">;
  rateLimits: RateLimits;
  registrationsPerHour: number;
  quotas: Pick<Quotas, "tokensPerAccount">;
  emails: Pick<Emails, "offered" | "askToConfirm">;
}

export function createAuth(deps: Dependencies) {
  const { rateLimits } = deps;
  const queries = createAuthQueries(deps.db);
  const tokens = createAccessTokens(deps.db, deps.quotas);
  const findSession = coalesceLookups(queries.findSessions);
  let admission: Admission | undefined;
  // Checked when there is no such account: an unknown name must take as long as a wrong password.
  const nobodysPassword = hashPassword(randomToken());

  const rule = createSecondFactorRule(deps.installation);

  /** `hasTwoFactors`: signed in with two factors, or let in without. */
  async function describe(accountId: string, { hasTwoFactors = true } = {}): Promise<AuthResponse> {
    const row = await queries.findAccount(accountId);
    if (!row) throw new AppError("not_signed_in");
    const response = toAuthResponse(row, deps.emails.offered);
    return { ...response, needs_second_factor: await rule.isMissing(row, hasTwoFactors) };
  }

  const { keepAutomatic } = tokens;
  const { openSession, finishSignIn } = createSignIns({ db: deps.db, rateLimits, describe, keepAutomatic });

  /**
   * Asks for the password again, counting wrong answers like failed logins. Without a password, somebody may have just
   * proved who they are in this browser with a passkey or at a provider.
   */
  async function confirmPassword(
    caller: Caller,
    password: string,
    visitor: Visitor,
    missing: ErrorCode = "reauth_needed",
  ): Promise<Proved> {
    const account = await queries.findAccount(caller.accountId);
    if (!account) throw new AppError("not_signed_in");
    if (password === "") {
      if (caller.via === "session" && (await queries.isJustReauthenticated(caller.credential))) return account;
      throw new AppError(hasPassword(account) ? missing : "no_password");
    }
    const { here, everywhere, shared } = passwordAllowances("password", ["account", account.id], visitor.address);
    await rateLimits.take([here, everywhere, shared]);
    if (!(await verifyPassword(password, account.password_hash))) {
      await recordAuditEvent(deps.db, { kind: "password.refused", actor: account.id, visitor, result: "refused" });
      throw new AppError("wrong_password");
    }
    await rateLimits.forgive([here, everywhere]);
    await rateLimits.refund([shared]);
    return account;
  }

  return {
    describe,
    confirmPassword,
    openSession,

    /** What lets invited people in when they register. */
    onInvited(given: Admission): void {
      admission = given;
    },
    /** Undefined for somebody without an invitation. */
    admissionFor: (invitation: string): Admission | undefined => (invitation === "" ? undefined : admission),
    finishSignIn,

    isOnlyAdmin: async ({ accountId, isAdmin }: Caller): Promise<boolean> =>
      isAdmin && !(await adminQueries(deps.db).hasOtherAdmin(accountId)),

    /** Ends every way to sign in and removes the name, inside a transaction that removes the rest. */
    async erase(trx: Db, proved: Proved): Promise<void> {
      const [inside, admins] = [deletedAccountQueries(trx), adminQueries(trx)];
      await admins.lockAdmins();
      const account = await inside.lock(proved);
      if (!account) throw new AppError("not_signed_in");
      if (account.is_admin && !(await admins.hasOtherAdmin(account.id))) throw new AppError("last_admin");
      await inside.erase(account.id, account.username);
    },

    nameOf: async (accountId: string): Promise<string> => (await queries.findAccount(accountId))?.username ?? "",

    /** The caller for a task that a person started earlier. */
    async callerFor(accountId: string): Promise<Caller> {
      const row = await queries.findAccount(accountId);
      if (!row) throw new AppError("account_not_found");
      if (row.disabled_at) throw new AppError("account_disabled");
      const { username, is_admin: isAdmin } = row;
      return { accountId, username, isAdmin, via: "token", credential: Buffer.alloc(0), onlyProject: null };
    },

    /**
     * An account that somebody names to share with. Misses are counted, so that nobody can probe who has an account.
     * Anybody can claim an address: where mails can be sent, only a confirmed one says who somebody is.
     */
    async getAccountByLogin(caller: Caller, login: string): Promise<{ id: string; username: string }> {
      const allowance = [{ key: ["lookup", caller.accountId], most: lookupsPerHour, windowMinutes: 60 }];
      await rateLimits.take(allowance);
      const account = await queries.findAccountByLogin(login);
      const isClaimed = login.includes("@") && deps.emails.offered && account?.email_verified_at === null;
      if (!account || isClaimed) throw new AppError("account_not_found");
      await rateLimits.refund(allowance);
      return { id: account.id, username: account.username };
    },

    async authenticate({ session, bearer }: Credentials): Promise<Caller | undefined> {
      if (bearer) return tokens.authenticate(bearer, rule.isMissing);
      if (!session) return undefined;
      const credential = hashToken(session);
      const found = await findSession(credential.toString("hex"));
      if (!found) return undefined;
      if (Date.now() - found.seen_at.getTime() > touchEvery) {
        await queries.touchSession(credential);
        await tokens.keepAutomatic(found.id);
        await queries.noteSeen(found.id);
      }
      const needsSecondFactor = await rule.isMissing(found, found.has_two_factors);
      const caller = {
        accountId: found.id,
        username: found.username,
        isAdmin: found.is_admin,
        credential,
        onlyProject: null,
      };
      return { ...caller, via: "session", needsSecondFactor };
    },

    async register(body: RegisterBody, visitor: Visitor): Promise<SignedIn> {
      await rateLimits.take([
        { key: ["register", visitor.address], most: deps.registrationsPerHour, windowMinutes: 60 },
      ]);
      const { password, invitation, ...person } = body;
      const invited = invitation ? admission : undefined;
      const address = await invited?.check(invitation ?? "", person.email, visitor);
      const id = newId();
      const password_hash = await hashPassword(password);
      const row: NewAccount = {
        ...{ ...person, id, password_hash, ...trialOf(await deps.installation.readNow()) },
        ...{ email_verified_at: address === "proved" ? new Date() : null, must_confirm_email: address === "needed" },
      };
      let afterwards: (() => Promise<void>) | undefined;
      try {
        await queries.insertAccount(
          row,
          async (trx) => {
            // An invitation is checked with its own rule, after the account is there.
            if (invited) return;
            const rule = await deps.installation.readNow(trx);
            requireRegistration(rule, person.email);
            // Anybody can write down an address of the domain. Only its owner gets the mail.
            row.must_confirm_email = rule.registration === "domains" && deps.emails.offered;
          },
          async (trx) => {
            await recordAuditEvent(trx, { kind: "account.register", actor: id, visitor });
            afterwards = await invited?.use(trx, invitation ?? "", { id, ...person }, visitor);
          },
        );
      } catch (error) {
        throw takenError(error);
      }
      await afterwards?.();
      deps.emails.askToConfirm(id);
      if (row.must_confirm_email) throw new AppError("confirm_email_first");
      return openSession({ id, password_hash }, visitor);
    },

    async login({ username, password }: LoginBody, visitor: Visitor): Promise<SignInResult> {
      const account = await queries.findAccountByLogin(username);
      const who = account ? ["account", account.id] : ["name", nameHash(username)];
      const { here, everywhere, shared } = passwordAllowances("login", who, visitor.address);
      // Strangers who guess from many addresses must not lock people out where they have signed in before.
      const isKnown = await rateLimits.remembers(["known", ...who, visitor.address]);
      const own = isKnown ? [here] : [here, everywhere];
      await rateLimits.take([...own, shared]);
      const matches = await verifyPassword(password, account?.password_hash ?? (await nobodysPassword));
      if (!account || !matches || account.disabled_at) {
        // An unknown name is not recorded: it may be a password that was typed into the wrong field.
        const subject = account && { kind: "account", id: account.id, name: account.username };
        await recordAuditEvent(deps.db, { kind: "sign_in.failed", actor: null, visitor, subject, result: "refused" });
        throw new AppError(account && matches ? "account_disabled" : "wrong_credentials");
      }
      await rateLimits.forgive(own);
      await rateLimits.refund([shared]);
      if (account.must_confirm_email) {
        deps.emails.askToConfirm(account.id);
        throw new AppError("confirm_email_first");
      }
      return finishSignIn(account, visitor, "password");
    },

    async logout(caller: Caller | undefined): Promise<void> {
      if (caller?.via !== "session") return;
      await deps.db.transaction().execute(async (trx) => {
        await createAuthQueries(trx).deleteSession(caller.credential);
        await recordAuditEvent(trx, { kind: "sign_out.own", ...actorOf(caller) });
      });
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
      const prove = () => confirmPassword(caller, password ?? "", visitor, "password_needed");
      const proved = changesEmail ? await prove() : undefined;
      // Every change sends a mail to an address that may be a stranger's, and tells whether it has an account.
      if (changesEmail) await rateLimits.take([{ key: ["change e-mail", caller.accountId], ...emailChanges }]);
      try {
        const change = changesEmail ? { ...given, email_verified_at: null } : given;
        await deps.db.transaction().execute(async (trx) => {
          const isChanged = await createAuthQueries(trx).updateAccount(caller.accountId, change, proved);
          if (!isChanged) throw new AppError("wrong_password");
          if (!changesEmail) return;
          // Whoever reads the old address must not set a password any more.
          await endMailedLinksOf(trx, caller.accountId);
          await recordAuditEvent(trx, { kind: "account.email", ...actorOf(caller) });
        });
      } catch (error) {
        throw takenError(error);
      }
      if (changesEmail) deps.emails.askToConfirm(caller.accountId);
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
      const event: AuditEvent = { kind: "password.change", ...actorOf(caller) };
      if (!(await queries.replacePassword(account, password_hash, event))) throw new AppError("wrong_password");
      // Whoever has a second factor has used it to get here.
      return openSession({ id: account.id, password_hash }, visitor, {
        hasTwoFactors: account.has_second_factor === true,
      });
    },

    async createToken(caller: Caller, password: string, wanted: WantedToken, visitor: Visitor): Promise<string> {
      return tokens.create(caller, await confirmPassword(caller, password, visitor), wanted);
    },

    listTokens: (caller: Caller, page: PageKeyQuery) => tokens.list(caller.accountId, page),
    revokeToken: (caller: Caller, id: string) => tokens.revoke(caller, id),

    async *sweep(): AsyncGenerator<void> {
      yield* queries.deleteExpired();
      yield* createTicketQueries(deps.db).sweep();
      yield* rateLimits.sweep();
    },
  };
}

/** Says in words what a unique index refused. */
export function takenError(error: unknown): unknown {
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

function toAuthResponse(row: AccountRow, sendsMails: boolean): Omit<AuthResponse, "needs_second_factor"> {
  return {
    username: row.username,
    account: {
      id: row.id,
      username: row.username,
      first_name: row.first_name,
      last_name: row.last_name,
      email: row.email,
      email_unconfirmed: sendsMails && row.email_verified_at === null,
      has_password: hasPassword(row),
      has_passkey: row.has_passkey,
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
      force_stop_after: row.force_stop_after,
      sample: row.sample,
    },
    needs_onboarding: row.onboarded_at === null,
  };
}
