import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";
import { idleSince } from "./auth-queries.ts";

export function createAccessTokenQueries(db: Db) {
  return {
    insert: (row: { id: string; account_id: string; name: string; hint: string; token_hash: Buffer }) =>
      db.insertInto("access_tokens").values(row).execute(),

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
