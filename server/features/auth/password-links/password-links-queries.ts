import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { endSessionsOf } from "../auth-queries.ts";

export interface PasswordLinkRow {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
}

export function passwordLinkQueries(db: Db) {
  return {
    /** Replaces earlier links of the same kind, so that only the newest can be used. */
    insert: async (link: { tokenHash: Buffer; accountId: string; by: string | null; hours: number }): Promise<Date> => {
      await db
        .deleteFrom("password_links")
        .where("account_id", "=", link.accountId)
        .where("made_by", link.by === null ? "is" : "is not", null)
        .execute();
      const { expires_at } = await db
        .insertInto("password_links")
        .values({
          token_hash: link.tokenHash,
          account_id: link.accountId,
          made_by: link.by,
          expires_at: sql<Date>`now() + make_interval(hours => ${link.hours})`,
        })
        .returning("expires_at")
        .executeTakeFirstOrThrow();
      return expires_at;
    },

    find: (tokenHash: Buffer): Promise<PasswordLinkRow | undefined> =>
      db
        .selectFrom("password_links")
        .innerJoin("accounts", "accounts.id", "password_links.account_id")
        .select(["accounts.id", "username", "first_name", "last_name"])
        .where("token_hash", "=", tokenHash)
        .where("expires_at", ">", sql<Date>`now()`)
        .where("deleted_at", "is", null)
        .where("disabled_at", "is", null)
        .executeTakeFirst(),

    /** Of two who use a link at once, one gets the account. Every other link of the account ends too. */
    take: async (tokenHash: Buffer): Promise<string | undefined> => {
      const taken = await db
        .deleteFrom("password_links")
        .where("token_hash", "=", tokenHash)
        .where("expires_at", ">", sql<Date>`now()`)
        .returning("account_id")
        .executeTakeFirst();
      if (taken) await db.deleteFrom("password_links").where("account_id", "=", taken.account_id).execute();
      return taken?.account_id;
    },

    /** False when the account was disabled or deleted meanwhile. */
    setPassword: async (accountId: string, passwordHash: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("accounts")
        .set({ password_hash: passwordHash, updated_at: sql<Date>`now()` })
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .where("disabled_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    endSessionsAndTokens: async (accountId: string): Promise<void> => {
      await endSessionsOf(db, accountId);
      await db.deleteFrom("access_tokens").where("account_id", "=", accountId).execute();
    },
  };
}
