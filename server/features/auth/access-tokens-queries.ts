import { accessToken as limits } from "@miranda/contract/limits.ts";
import type { TokenScope } from "@miranda/contract/schemas/auth.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { sql } from "kysely";

import { hashToken, newId, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Proved } from "./proved-account.ts";
import { isLive } from "./idle-tokens-queries.ts";

export interface NewToken {
  id: string;
  name: string;
  hint: string;
  token_hash: Buffer;
  scope: TokenScope;
  project_id: string | null;
  deployment_id: string | null;
  limited_to: string;
  expires_days: number | null;
}

export function createAccessTokenQueries(db: Db) {
  return {
    count: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("access_tokens")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("automatic", "=", false)
        .where(isLive)
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
        .where(isLive)
        .execute();
    },

    /** False when the password was changed after it was checked. */
    insert: async (
      owner: Proved,
      { id, name, hint, token_hash, scope, project_id, deployment_id, limited_to, expires_days }: NewToken,
    ): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("access_tokens")
        .columns([
          ...(["id", "account_id", "name", "hint", "token_hash", "scope"] as const),
          ...(["project_id", "deployment_id", "limited_to", "expires_at"] as const),
        ])
        .expression((eb) =>
          eb
            .selectFrom("accounts")
            .select([sql<string>`${id}::uuid`.as("token_id"), "accounts.id", eb.val(name).as("name")])
            .select([eb.val(hint).as("hint"), eb.val(token_hash).as("token_hash"), eb.val(scope).as("scope")])
            .select([
              sql<string | null>`${project_id}::uuid`.as("only_project"),
              sql<string | null>`${deployment_id}::uuid`.as("only_deployment"),
              eb.val(limited_to).as("limited_to"),
              sql<Date | null>`now() + make_interval(days => ${expires_days}::integer)`.as("expires_at"),
            ])
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
        .select(["scope", "project_id", "deployment_id", "limited_to", "expires_at"])
        .where("account_id", "=", accountId)
        .where(isLive)
        .$if(after !== undefined, (list) => list.where("id", "<", after ?? ""))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),

    findLive: (tokenHash: Buffer) =>
      db
        .selectFrom("access_tokens")
        .innerJoin("accounts", "accounts.id", "access_tokens.account_id")
        .select(["accounts.id", "accounts.username", "accounts.is_admin", "access_tokens.last_used_at as seen_at"])
        .select("accounts.has_second_factor")
        .select([
          "access_tokens.name",
          "access_tokens.scope",
          "access_tokens.project_id",
          "access_tokens.deployment_id",
        ])
        .where("access_tokens.token_hash", "=", tokenHash)
        .where(isLive)
        .where("accounts.disabled_at", "is", null)
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
      return query.returning(["account_id", "name", "project_id"]).executeTakeFirst();
    },

    /** Records the reason, if it was the last token. */
    noteRevoked: async (accountId: string): Promise<void> => {
      await db
        .updateTable("accounts")
        .set({ token_revoked: true })
        .where("id", "=", accountId)
        .where((eb) =>
          eb.not(
            eb.exists(eb.selectFrom("access_tokens").select("id").where("account_id", "=", accountId).where(isLive)),
          ),
        )
        .execute();
    },
  };
}
