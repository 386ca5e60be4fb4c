import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";

const now = sql<Date>`now()`;
const signInEnd = sql<Date>`now() + interval '10 minutes'`;

interface SignInKey {
  state_hash: Buffer;
  browser_hash: Buffer;
  provider: string;
}

export function createProviderQueries(db: Db) {
  return {
    insertSignIn: (row: SignInKey & { content: Buffer }) =>
      db
        .insertInto("provider_sign_ins")
        .values({ ...row, expires_at: signInEnd })
        .execute(),

    /** Each sign-in is taken once, by the browser that began it, from the provider that it was begun at. */
    takeSignIn: ({ state_hash, browser_hash, provider }: SignInKey) =>
      db
        .deleteFrom("provider_sign_ins")
        .where("state_hash", "=", state_hash)
        .where("browser_hash", "=", browser_hash)
        .where("provider", "=", provider)
        .where("expires_at", ">", now)
        .returning("content")
        .executeTakeFirst(),

    findIdentity: (provider: string, subject: string) =>
      db
        .selectFrom("account_identities")
        .innerJoin("accounts", "accounts.id", "account_identities.account_id")
        .select(["accounts.id", "accounts.username", "accounts.email", "accounts.password_hash", "accounts.is_admin"])
        .select("accounts.email_verified_at")
        .where("provider", "=", provider)
        .where("subject", "=", subject)
        .where("accounts.deleted_at", "is", null)
        .executeTakeFirst(),

    insertIdentity: (row: { provider: string; subject: string; account_id: string; email: string }) =>
      db.insertInto("account_identities").values(row).execute(),

    touchIdentity: (provider: string, subject: string, email: string) =>
      db
        .updateTable("account_identities")
        .set({ last_used_at: now, email })
        .where("provider", "=", provider)
        .where("subject", "=", subject)
        .execute(),

    listIdentities: (accountId: string) =>
      db
        .selectFrom("account_identities")
        .select(["provider", "email", "created_at", "last_used_at"])
        .where("account_id", "=", accountId)
        .orderBy("created_at")
        .execute(),

    /** Locks the account, so that two removals at once cannot leave it without any sign-in method. */
    lockAccount: (accountId: string) =>
      db
        .selectFrom("accounts")
        .select(["id", "username", "is_admin"])
        .select(sql<boolean>`password_hash is distinct from generated_password_hash`.as("has_password"))
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .forNoKeyUpdate()
        .executeTakeFirst(),

    deleteIdentity: async (accountId: string, provider: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom("account_identities")
        .where("account_id", "=", accountId)
        .where("provider", "=", provider)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    setAdmin: (accountId: string, isAdmin: boolean) =>
      db.updateTable("accounts").set({ is_admin: isAdmin, updated_at: now }).where("id", "=", accountId).execute(),

    noteVerified: (accountId: string, email: string) =>
      db
        .updateTable("accounts")
        .set({ email_verified_at: now, must_confirm_email: false })
        .where("id", "=", accountId)
        .where(sql<SqlBool>`lower(email) = lower(${email})`)
        .where("email_verified_at", "is", null)
        .execute(),

    sweep: () => deleteInBatches(db, "provider_sign_ins", sql<SqlBool>`expires_at < now()`),
  };
}
