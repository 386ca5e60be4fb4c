import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

const now = sql<Date>`now()`;

/** The database or a transaction. */
export function sharingQueries(db: Db) {
  return {
    listTokens: (deploymentId: string) =>
      db
        .selectFrom("deployment_tokens")
        .innerJoin("accounts", "accounts.id", "deployment_tokens.account_id")
        .select([
          "deployment_tokens.id",
          "deployment_tokens.name",
          "deployment_tokens.hint",
          "deployment_tokens.created_at",
          "deployment_tokens.used_at",
          "accounts.id as author_id",
          "accounts.username",
          "accounts.first_name",
          "accounts.last_name",
          "accounts.avatar_version",
        ])
        .where("deployment_id", "=", deploymentId)
        .orderBy("deployment_tokens.id", "desc")
        .execute(),

    countTokens: async (deploymentId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("deployment_tokens")
        .select(sql<number>`count(*)::integer`.as("count"))
        .where("deployment_id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      return count;
    },

    insertToken: async (row: {
      id: string;
      deployment_id: string;
      account_id: string;
      name: string;
      hint: string;
      token_hash: Buffer;
    }): Promise<void> => {
      await db.insertInto("deployment_tokens").values(row).execute();
    },

    /** The name of the removed token. */
    removeToken: async (deploymentId: string, id: string): Promise<string | undefined> => {
      const removed = await db
        .deleteFrom("deployment_tokens")
        .where("deployment_id", "=", deploymentId)
        .where("id", "=", id)
        .returning("name")
        .executeTakeFirst();
      return removed?.name;
    },

    findToken: (hash: Buffer) =>
      db
        .selectFrom("deployment_tokens")
        .innerJoin("accounts", "accounts.id", "deployment_tokens.account_id")
        .select([
          "deployment_tokens.id",
          "deployment_tokens.deployment_id",
          "deployment_tokens.used_at",
          "accounts.id as account_id",
          "accounts.username",
          "accounts.is_admin",
        ])
        .where("token_hash", "=", hash)
        .where("accounts.deleted_at", "is", null)
        .where("accounts.disabled_at", "is", null)
        .executeTakeFirst(),

    touchToken: async (id: string): Promise<void> => {
      await db.updateTable("deployment_tokens").set({ used_at: now }).where("id", "=", id).execute();
    },

    setLink: async (deploymentId: string, link: string | null): Promise<void> => {
      await db.updateTable("deployments").set({ link, changed_at: now }).where("id", "=", deploymentId).execute();
    },

    setHook: async (
      deploymentId: string,
      hook: { hash: Buffer; hint: string; secret: Buffer | null; field: string | null } | null,
    ): Promise<void> => {
      const { hash = null, hint = "", secret = null, field = null } = hook ?? {};
      await db
        .updateTable("deployments")
        .set({ hook_hash: hash, hook_hint: hint, hook_secret: secret, hook_field: field })
        .set({ hook_at: hook && now, changed_at: now })
        .where("id", "=", deploymentId)
        .execute();
    },

    setPicture: async (deploymentId: string, picture: { image: Buffer; version: string } | null): Promise<void> => {
      await db
        .updateTable("deployments")
        .set({ picture: picture?.image ?? null, picture_version: picture?.version ?? null, changed_at: now })
        .where("id", "=", deploymentId)
        .execute();
    },

    /** A picture by the part of its address that cannot be guessed. */
    findPicture: async (deploymentId: string, version: string): Promise<Buffer | undefined> => {
      const row = await db
        .selectFrom("deployments")
        .innerJoin("graphs", "graphs.id", "deployments.graph_id")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .select("picture")
        .where("deployments.id", "=", deploymentId)
        .where("picture_version", "=", version)
        .where("projects.owner_id", "is not", null)
        .executeTakeFirst();
      return row?.picture ?? undefined;
    },
  };
}
