import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";
import { idleSince, type Proved } from "./auth-queries.ts";

export function createAccessTokenQueries(db: Db) {
  return {
    count: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("access_tokens")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("last_used_at", ">", idleSince)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** False when the password was changed after it was checked. */
    insert: async (
      owner: Proved,
      { id, name, hint, token_hash }: { id: string; name: string; hint: string; token_hash: Buffer },
    ): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("access_tokens")
        .columns(["id", "account_id", "name", "hint", "token_hash"])
        .expression((eb) =>
          eb
            .selectFrom("accounts")
            .select([sql<string>`${id}::uuid`.as("token_id"), "accounts.id", eb.val(name).as("name")])
            .select([eb.val(hint).as("hint"), eb.val(token_hash).as("token_hash")])
            .where("accounts.id", "=", owner.id)
            .where("password_hash", "=", owner.password_hash)
            .forShare(),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    listLive: (accountId: string) =>
      db
        .selectFrom("access_tokens")
        .select(["id", "name", "hint", "created_at", "last_used_at"])
        .where("account_id", "=", accountId)
        .where("last_used_at", ">", idleSince)
        .orderBy("created_at", "desc")
        .execute(),

    findLive: (tokenHash: Buffer) =>
      db
        .selectFrom("access_tokens")
        .innerJoin("accounts", "accounts.id", "access_tokens.account_id")
        .select(["accounts.id", "accounts.username", "accounts.is_admin", "access_tokens.last_used_at as seen_at"])
        .where("access_tokens.token_hash", "=", tokenHash)
        .where("access_tokens.last_used_at", ">", idleSince)
        .executeTakeFirst(),

    touch: (tokenHash: Buffer) =>
      db
        .updateTable("access_tokens")
        .set({ last_used_at: sql<Date>`now()` })
        .where("token_hash", "=", tokenHash)
        .execute(),

    /** `accountId` undefined: an administrator may revoke anybody's. */
    delete: async (id: string, accountId: string | undefined) => {
      let query = db.deleteFrom("access_tokens").where("id", "=", id);
      if (accountId) query = query.where("account_id", "=", accountId);
      const result = await query.executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}
