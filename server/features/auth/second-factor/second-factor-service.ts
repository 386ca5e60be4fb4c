import type {
  NewApp,
  RecoveryCodes,
  SecondFactors,
  SecondStepBody,
} from "@miranda/contract/schemas/account/sign-in.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { Auth } from "../auth-service.ts";
import { createPasskeyQueries } from "./passkeys-queries.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import { createSecondFactorQueries } from "./second-factor-queries.ts";
import type { SecondFactorRule } from "./second-factor-rule.ts";
import { appAddress, newKey, stepOfCode } from "./totp.ts";

interface Dependencies {
  db: Db;
  cipher: Cipher;
  auth: Pick<Auth, "confirmPassword">;
  rule: SecondFactorRule;
}

export type SecondFactorsFeature = ReturnType<typeof createSecondFactors>;

/** Authenticator apps and recovery codes: the second factors besides passkeys. */
export function createSecondFactors({ db, cipher, auth, rule }: Dependencies) {
  const queries = createSecondFactorQueries(db);
  const passkeys = createPasskeyQueries(db);

  async function makeRecoveryCodes(trx: Db, accountId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    const hashes = codes.map((code) => hashRecoveryCode(accountId, code));
    await createSecondFactorQueries(trx).replaceRecoveryCodes(accountId, hashes);
    return codes;
  }

  /**
   * After a factor was added, inside its transaction. The first one comes with recovery codes, and signs the account out
   * everywhere else.
   */
  async function factorAdded(trx: Db, caller: Caller, isFirst: boolean, name: string): Promise<RecoveryCodes> {
    const inside = createSecondFactorQueries(trx);
    const subject = { kind: "second_factor", name };
    await recordAuditEvent(trx, { ...actorOf(caller), kind: "second_factor.add", subject });
    if (!isFirst) return { recovery_codes: null };
    await inside.setHasFactor(caller.accountId, true);
    await inside.keepOneSession(caller.accountId, caller.credential);
    return { recovery_codes: await makeRecoveryCodes(trx, caller.accountId) };
  }

  /** After a factor was removed, inside its transaction. The last one takes the recovery codes along. */
  async function factorRemoved(trx: Db, caller: Caller, name: string): Promise<void> {
    const inside = createSecondFactorQueries(trx);
    const [app, keys] = await Promise.all([
      inside.findApp(caller.accountId),
      createPasskeyQueries(trx).list(caller.accountId),
    ]);
    if (!app?.confirmed_at && keys.length === 0) {
      if (await rule.isRequiredOf(caller.isAdmin, trx)) throw new AppError("second_factor_required");
      await inside.replaceRecoveryCodes(caller.accountId, []);
      await inside.setHasFactor(caller.accountId, false);
    }
    const subject = { kind: "second_factor", name };
    await recordAuditEvent(trx, { ...actorOf(caller), kind: "second_factor.remove", subject });
  }

  return {
    factorAdded,
    factorRemoved,

    async describe({ accountId }: Caller): Promise<SecondFactors> {
      const [app, keys, left] = await Promise.all([
        queries.findApp(accountId),
        passkeys.list(accountId),
        queries.countRecoveryCodes(accountId),
      ]);
      return {
        app: app?.confirmed_at
          ? { time_created: app.confirmed_at.toISOString(), last_used: app.last_used_at?.toISOString() ?? null }
          : null,
        passkeys: keys.map(({ id, name, created_at, last_used_at }) => ({
          id,
          name,
          time_created: created_at.toISOString(),
          last_used: last_used_at?.toISOString() ?? null,
        })),
        recovery_codes_left: left,
      };
    },

    /** A key for an app. Nothing changes until one of its codes confirms it. */
    async beginApp(caller: Caller, password: string, visitor: Visitor, host: string): Promise<NewApp> {
      const proved = await auth.confirmPassword(caller, password, visitor);
      const key = newKey();
      if (!(await queries.beginApp(proved.id, cipher.encrypt(key)))) throw new AppError("app_exists");
      return { key, address: appAddress(key, caller.username, host) };
    },

    confirmApp: (caller: Caller, code: string): Promise<RecoveryCodes> =>
      db.transaction().execute(async (trx) => {
        const inside = createSecondFactorQueries(trx);
        const account = await inside.lockAccount(caller.accountId);
        const app = await inside.findApp(caller.accountId);
        if (!account || !app) throw new AppError("app_not_begun");
        if (app.confirmed_at) throw new AppError("app_exists");
        const step = stepOfCode(cipher.decrypt(app.secret), code, Date.now());
        if (step === undefined) throw new AppError("wrong_code");
        if (!(await inside.confirmApp(caller.accountId, step))) throw new AppError("app_not_begun");
        return factorAdded(trx, caller, !account.has_second_factor, "authenticator app");
      }),

    async removeApp(caller: Caller, password: string, visitor: Visitor): Promise<void> {
      await auth.confirmPassword(caller, password, visitor);
      await db.transaction().execute(async (trx) => {
        const inside = createSecondFactorQueries(trx);
        await inside.lockAccount(caller.accountId);
        const app = await inside.findApp(caller.accountId);
        if (!app?.confirmed_at) throw new AppError("not_found");
        await inside.deleteApp(caller.accountId);
        await factorRemoved(trx, caller, "authenticator app");
      });
    },

    async renewRecoveryCodes(caller: Caller, password: string, visitor: Visitor): Promise<RecoveryCodes> {
      await auth.confirmPassword(caller, password, visitor);
      return db.transaction().execute(async (trx) => {
        const account = await createSecondFactorQueries(trx).lockAccount(caller.accountId);
        if (!account?.has_second_factor) throw new AppError("app_not_begun");
        const subject = { kind: "second_factor", name: "recovery codes" };
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "second_factor.add", subject });
        return { recovery_codes: await makeRecoveryCodes(trx, caller.accountId) };
      });
    },

    /** Refuses a wrong code, and one that was used before. */
    async check(accountId: string, body: SecondStepBody): Promise<void> {
      if ("recovery_code" in body) {
        const isUsed = await queries.useRecoveryCode(accountId, hashRecoveryCode(accountId, body.recovery_code));
        if (!isUsed) throw new AppError("wrong_recovery_code");
        return;
      }
      const app = await queries.findApp(accountId);
      const step = app?.confirmed_at ? stepOfCode(cipher.decrypt(app.secret), body.code, Date.now()) : undefined;
      if (step === undefined) throw new AppError("wrong_code");
      if (!(await queries.useStep(accountId, step))) throw new AppError("code_used");
    },
  };
}
