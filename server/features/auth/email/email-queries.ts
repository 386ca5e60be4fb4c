import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";

const now = sql<Date>`now()`;
const confirmationEnd = sql<Date>`now() + interval '3 days'`;

export function createEmailQueries(db: Db) {
  return {
    findUnconfirmed: (accountId: string) =>
      db
        .selectFrom("accounts")
        .select(["id", "email", "first_name"])
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .where("email_verified_at", "is", null)
        .executeTakeFirst(),

    /** A new link ends the older ones. */
    replaceConfirmation: (accountId: string, email: string, token_hash: Buffer) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("email_confirmations").where("account_id", "=", accountId).execute();
        await trx
          .insertInto("email_confirmations")
          .values({ token_hash, account_id: accountId, email, expires_at: confirmationEnd })
          .execute();
      }),

    findConfirmation: (tokenHash: Buffer) =>
      db.selectFrom("email_confirmations").select("account_id").where("token_hash", "=", tokenHash).executeTakeFirst(),

    takeConfirmation: (tokenHash: Buffer) =>
      db
        .deleteFrom("email_confirmations")
        .where("token_hash", "=", tokenHash)
        .where("expires_at", ">", now)
        .returning(["account_id", "email"])
        .executeTakeFirst(),

    /** False when the account has another address by now. */
    setVerified: async (accountId: string, email: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("accounts")
        .set({ email_verified_at: now, must_confirm_email: false })
        .where("id", "=", accountId)
        .where("email", "=", email)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    findByLogin: (login: string) =>
      db
        .selectFrom("accounts")
        .select(["id", "email", "first_name", "username"])
        .where("deleted_at", "is", null)
        .where("disabled_at", "is", null)
        .where((eb) =>
          eb.or([
            eb(eb.fn("lower", ["username"]), "=", login.toLowerCase()),
            eb(eb.fn("lower", ["email"]), "=", login.toLowerCase()),
          ]),
        )
        .executeTakeFirst(),

    /** False when the account has another address by now. Until the transaction ends, nobody changes it or mails another link. */
    lockAddress: async (accountId: string, email: string): Promise<boolean> => {
      const found = await db
        .selectFrom("accounts")
        .select("id")
        .where("id", "=", accountId)
        .where("email", "=", email)
        .where("disabled_at", "is", null)
        .where("deleted_at", "is", null)
        .forNoKeyUpdate()
        .executeTakeFirst();
      return found !== undefined;
    },

    sweep: () => deleteInBatches(db, "email_confirmations", sql<SqlBool>`expires_at < now()`),
  };
}
