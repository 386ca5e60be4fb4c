import type { FactorsOfPerson } from "@miranda/contract/schemas/account/sign-in.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { NewNotification } from "../../notifications/notifications-service.ts";
import { endSessionsOf } from "../auth-queries.ts";
import { hasPassword } from "../proved-account.ts";
import { createPasskeyQueries } from "./passkeys-queries.ts";
import { createSecondFactorQueries } from "./second-factor-queries.ts";

interface Dependencies {
  db: Db;
  /** The providers that people can sign in with. */
  providerIds: readonly string[];
  notifications: { add(trx: Db, notification: NewNotification): Promise<(() => Promise<void>) | undefined> };
}

export type FactorRemoval = ReturnType<typeof createFactorRemoval>;

/** Lets an administrator help somebody who has lost phone, passkeys and recovery codes. */
export function createFactorRemoval({ db, notifications, providerIds }: Dependencies) {
  return {
    async describeOf(accountId: string): Promise<FactorsOfPerson> {
      const queries = createSecondFactorQueries(db);
      if (!(await queries.findAccount(accountId))) throw new AppError("account_not_found");
      const [app, keys, left] = await Promise.all([
        queries.findApp(accountId),
        createPasskeyQueries(db).list(accountId),
        queries.countRecoveryCodes(accountId),
      ]);
      return { has_app: Boolean(app?.confirmed_at), passkeys: keys.length, recovery_codes_left: left };
    },

    /** Ends the person's sessions too. They sign in with their password, and are told who did it. */
    async removeOf(admin: Caller, accountId: string): Promise<void> {
      const publish = await db.transaction().execute(async (trx) => {
        const inside = createSecondFactorQueries(trx);
        const account = await inside.lockAccount(accountId);
        if (!account) throw new AppError("account_not_found");
        if (!account.has_second_factor) throw new AppError("no_second_factor");
        const keys = createPasskeyQueries(trx);
        // A person who signs in with passkeys only would have no sign-in method left.
        if (hasPassword(account) || (await inside.hasProvider(accountId, providerIds))) await keys.deleteAll(accountId);
        else throw new AppError("only_passkeys");
        await inside.deleteApp(accountId);
        await inside.replaceRecoveryCodes(accountId, []);
        await inside.setHasFactor(accountId, false);
        await endSessionsOf(trx, accountId);
        const subject = { kind: "account", id: accountId, name: account.username };
        await recordAuditEvent(trx, { ...actorOf(admin), kind: "admin.second_factor_remove", subject });
        return notifications.add(trx, {
          accountId,
          kind: "account_security",
          title: "Two-step sign-in was turned off",
          body: `The administrator ${admin.username} removed your authenticator app, passkeys and recovery codes. Set it up again in your account.`,
        });
      });
      await publish?.();
    },
  };
}
