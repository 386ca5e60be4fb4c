import { accessToken as limits } from "@miranda/contract/limits.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { sql } from "kysely";

import { hashToken, newId, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Proved } from "./proved-account.ts";
import { idleSince } from "./idle-tokens-queries.ts";

export function createAccessTokenQueries(db: Db) {
  return {
    count: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("access_tokens")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("automatic", "=", false)
        .where("last_used_at", ">", idleSince)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The automatic execution token. Its hash is of a secret that is forgotten at once. */
    giveAutomatic: async (accountId: string): Promise<void> => {
      await db
        .insertInto("access_tokens")
        .values({
          id: newId(),
          account_id: accountId,
          name: limits.automaticName,
          hint: "",
          token_hash: hashToken(randomToken()),
          automatic: true,
        })
        .onConflict((conflict) =>
          conflict
            .column("account_id")
            .where(sql<boolean>`automatic`)
            .doUpdateSet({ last_used_at: sql<Date>`now()` }),
        )
        .execute();
      await db.updateTable("accounts").set({ token_revoked: false }).where("id", "=", accountId).execute();
    },

    /** A token that expired by idling stays so: the person is asked first. */
    keepAutomatic: async (accountId: string): Promise<void> => {
      await db
        .updateTable("access_tokens")
        .set({ last_used_at: sql<Date>`now()` })
        .where("account_id", "=", accountId)
        .where("automatic", "=", true)
        .where("last_used_at", ">", idleSince)
        .execute();
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

    listLive: (accountId: string, { after, limit }: PageKeyQuery) =>
      db
        .selectFrom("access_tokens")
        .select(["id", "name", "hint", "automatic", "created_at", "last_used_at"])
        .where("account_id", "=", accountId)
        .where("last_used_at", ">", idleSince)
        .$if(after !== undefined, (list) => list.where("id", "<", after ?? ""))
        .orderBy("id", "desc")
        .limit(limit)
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

    /** Without `accountId` an administrator revokes anybody's token. */
    delete: async (id: string, accountId: string | undefined) => {
      let query = db.deleteFrom("access_tokens").where("id", "=", id);
      if (accountId) query = query.where("account_id", "=", accountId);
      const deleted = await query.returning("account_id").executeTakeFirst();
      return deleted?.account_id;
    },

    /** Records the reason, if it was the last token. */
    noteRevoked: async (accountId: string): Promise<void> => {
      await db
        .updateTable("accounts")
        .set({ token_revoked: true })
        .where("id", "=", accountId)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("access_tokens")
                .select("id")
                .where("account_id", "=", accountId)
                .where("last_used_at", ">", idleSince),
            ),
          ),
        )
        .execute();
    },
  };
}
