import type { SecondFactorMethod } from "@miranda/contract/schemas/account/sign-in.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

const now = sql<Date>`now()`;

/** The second factors that an account can sign in with. Empty: it has none. */
export async function findSecondFactorMethods(db: Db, accountId: string): Promise<SecondFactorMethod[]> {
  const row = await db
    .selectFrom("accounts")
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("authenticator_apps")
            .select("account_id")
            .whereRef("account_id", "=", "accounts.id")
            .where("confirmed_at", "is not", null),
        )
        .as("code"),
      eb.exists(eb.selectFrom("passkeys").select("id").whereRef("account_id", "=", "accounts.id")).as("passkey"),
      eb
        .exists(
          eb
            .selectFrom("recovery_codes")
            .select("account_id")
            .whereRef("account_id", "=", "accounts.id")
            .where("used_at", "is", null),
        )
        .as("recovery_code"),
    ])
    .where("id", "=", accountId)
    .where("has_second_factor", "=", true)
    .executeTakeFirst();
  return (["code", "passkey", "recovery_code"] as const).filter((method) => row?.[method]);
}

export function createSecondFactorQueries(db: Db) {
  const accountOf = (accountId: string) =>
    db
      .selectFrom("accounts")
      .select(["id", "username", "first_name", "last_name", "password_hash", "generated_password_hash"])
      .select(["is_admin", "has_second_factor"])
      .where("id", "=", accountId)
      .where("deleted_at", "is", null);

  return {
    findAccount: (accountId: string) => accountOf(accountId).executeTakeFirst(),

    /** One change of an account's factors at a time. */
    lockAccount: (accountId: string) => accountOf(accountId).forNoKeyUpdate().executeTakeFirst(),

    findApp: (accountId: string) =>
      db.selectFrom("authenticator_apps").selectAll().where("account_id", "=", accountId).executeTakeFirst(),

    /** Replaces one that was not confirmed. False when there is a confirmed one. */
    beginApp: async (accountId: string, secret: Buffer): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("authenticator_apps")
        .values({ account_id: accountId, secret })
        .onConflict((conflict) =>
          conflict
            .column("account_id")
            .doUpdateSet({ secret, last_step: 0 })
            .where("authenticator_apps.confirmed_at", "is", null),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    confirmApp: async (accountId: string, step: number): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("authenticator_apps")
        .set({ confirmed_at: now, last_step: step })
        .where("account_id", "=", accountId)
        .where("confirmed_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /** False when this code, or a newer one, was used before. Of two at once, one gets true. */
    useStep: async (accountId: string, step: number): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("authenticator_apps")
        .set({ last_step: step, last_used_at: now })
        .where("account_id", "=", accountId)
        .where("confirmed_at", "is not", null)
        .where("last_step", "<", step)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    deleteApp: async (accountId: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom("authenticator_apps")
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Of two at once, one gets true. */
    useRecoveryCode: async (accountId: string, hash: Buffer): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("recovery_codes")
        .set({ used_at: now })
        .where("account_id", "=", accountId)
        .where("code_hash", "=", hash)
        .where("used_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    countRecoveryCodes: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("recovery_codes")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("used_at", "is", null)
        .executeTakeFirstOrThrow();
      return count;
    },

    replaceRecoveryCodes: async (accountId: string, hashes: Buffer[]): Promise<void> => {
      await db.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
      if (hashes.length === 0) return;
      await db
        .insertInto("recovery_codes")
        .values(hashes.map((code_hash) => ({ account_id: accountId, code_hash })))
        .execute();
    },

    setHasFactor: (accountId: string, has_second_factor: boolean) =>
      db.updateTable("accounts").set({ has_second_factor }).where("id", "=", accountId).execute(),

    /** A sign-in without the new factor must not outlive its setting up. */
    keepOneSession: async (accountId: string, tokenHash: Buffer): Promise<void> => {
      await db
        .deleteFrom("sessions")
        .where("account_id", "=", accountId)
        .where("token_hash", "<>", tokenHash)
        .execute();
      await db.updateTable("sessions").set({ has_two_factors: true }).where("token_hash", "=", tokenHash).execute();
    },

    markReauthenticated: (tokenHash: Buffer) =>
      db.updateTable("sessions").set({ reauthenticated_at: now }).where("token_hash", "=", tokenHash).execute(),

    /** `providers`: those that the installation has. Nobody can sign in with one that was taken out of its settings. */
    hasProvider: async (accountId: string, providers: readonly string[]): Promise<boolean> => {
      if (providers.length === 0) return false;
      const found = await db
        .selectFrom("account_identities")
        .select("provider")
        .where("account_id", "=", accountId)
        .where("provider", "in", providers)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}
