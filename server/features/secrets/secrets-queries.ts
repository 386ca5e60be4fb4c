import { sql, type SqlBool } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";

/** A secret belongs to a project or to a person. */
export type SecretOwner = { projectId: string } | { accountId: string };

export function createSecretQueries(db: Db) {
  return {
    /**
     * The number of an owner's secrets besides this key. Answers to questions are counted separately: they are deleted
     * when read, and must always have room.
     */
    countOthers: async (
      owner: { projectId: string } | { accountId: string },
      { key, temporary }: { key: string; temporary: boolean },
    ): Promise<number> => {
      const isProject = "projectId" in owner;
      const others = db
        .selectFrom("secrets")
        .select(sql<number>`count(*)`.as("count"))
        .where("key", "<>", key)
        .where("temporary", "=", temporary);
      const { count } = await (
        isProject
          ? others.where("project_id", "=", owner.projectId)
          : others.where("project_id", "is", null).where("account_id", "=", owner.accountId)
      ).executeTakeFirstOrThrow();
      return count;
    },

    save: async (row: {
      id: string;
      key: string;
      project_id: string | null;
      account_id: string;
      value: Buffer;
      temporary: boolean;
    }) => {
      await sql`
        insert into secrets (id, key, project_id, account_id, value, temporary)
        values (${row.id}, ${row.key}, ${row.project_id}, ${row.account_id}, ${row.value}, ${row.temporary})
        on conflict ${
          row.project_id
            ? sql`(project_id, key) where project_id is not null`
            : sql`(account_id, key) where project_id is null`
        }
        do update set value = excluded.value, temporary = excluded.temporary, updated_at = now()`.execute(db);
    },

    list: (owner: SecretOwner, { after, limit }: { after?: string | undefined; limit: number }) => {
      const list = db
        .selectFrom("secrets")
        .select(["key", "project_id", "temporary", "created_at", "updated_at"])
        .$if(after !== undefined, (rows) => rows.where("key", ">", after ?? ""))
        .orderBy("key")
        .limit(limit);
      return "projectId" in owner
        ? list.where("project_id", "=", owner.projectId).execute()
        : list.where("project_id", "is", null).where("account_id", "=", owner.accountId).execute();
    },

    remove: async (key: string, owner: SecretOwner) => {
      const removal = db.deleteFrom("secrets").where("key", "=", key);
      const result = await (
        "projectId" in owner
          ? removal.where("project_id", "=", owner.projectId)
          : removal.where("project_id", "is", null).where("account_id", "=", owner.accountId)
      ).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    find: (key: string, owner: SecretOwner) => {
      const found = db.selectFrom("secrets").select(["id", "value", "temporary"]).where("key", "=", key);
      return (
        "projectId" in owner
          ? found.where("project_id", "=", owner.projectId)
          : found.where("project_id", "is", null).where("account_id", "=", owner.accountId)
      ).executeTakeFirst();
    },

    removeById: (id: string) => db.deleteFrom("secrets").where("id", "=", id).execute(),

    sweep: () => deleteInBatches(db, "secrets", sql<SqlBool>`temporary and created_at < now() - interval '1 hour'`),
  };
}
