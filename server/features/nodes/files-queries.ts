import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";

export function fileQueries(db: Db) {
  return {
    has: async (hash: string): Promise<boolean> =>
      (await db.selectFrom("node_files").select("hash").where("hash", "=", hash).executeTakeFirst()) !== undefined,

    findContent: async (hash: string): Promise<Buffer | undefined> =>
      (await db.selectFrom("node_files").select("content").where("hash", "=", hash).executeTakeFirst())?.content,

    storedBy: async (accountId: string): Promise<number> => {
      const row = await db
        .selectFrom("node_files")
        .select(sql<number>`coalesce(sum(size), 0)`.as("bytes"))
        .where("created_by", "=", accountId)
        .executeTakeFirstOrThrow();
      return row.bytes;
    },

    insert: (hash: string, content: Buffer, accountId: string) =>
      db
        .insertInto("node_files")
        .values({ hash, content, size: content.length, created_by: accountId })
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .execute(),
  };
}
