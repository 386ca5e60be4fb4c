import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export function fileQueries(db: Db) {
  return {
    /** Whether the file is stored. If so, it is kept for another day. */
    renew: async (hash: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("node_files")
        .set({ unused_since: null })
        .where("hash", "=", hash)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** The content of a file that the graph may read. */
    findContent: async (graphId: string, hash: string): Promise<Buffer | undefined> => {
      const row = await db
        .selectFrom("graph_files")
        .innerJoin("node_files", "node_files.hash", "graph_files.hash")
        .select("content")
        .where("graph_id", "=", graphId)
        .where("graph_files.hash", "=", hash)
        .executeTakeFirst();
      return row?.content;
    },

    /** How much an account has stored, and how much of it is in use. */
    bytesOf: async (accountId: string): Promise<{ used: number; stored: number }> => {
      return db
        .selectFrom("node_files")
        .select(sql<number>`coalesce(sum(size) filter (where unused_since is null), 0)`.as("used"))
        .select(sql<number>`coalesce(sum(size), 0)`.as("stored"))
        .where("created_by", "=", accountId)
        .executeTakeFirstOrThrow();
    },

    insert: (hash: string, content: Buffer, accountId: string) =>
      db
        .insertInto("node_files")
        .values({ hash, content, size: content.length, created_by: accountId })
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .execute(),

    /** Looks through everything that can name a file. A deleted node counts while the delete can be undone. */
    removeUnused: () =>
      db.transaction().execute(async (trx) => {
        if (!(await trx.selectFrom("node_files").select("hash").limit(1).executeTakeFirst())) return;
        await sql`
          with named as (
            select distinct (regexp_matches(text, '[0-9a-f]{64}', 'g'))[1] as hash from (
              select field_values::text as text from nodes where field_values::text like '%"file"%'
              union all select node::text from deleted_nodes
              union all select content::text from templates
            ) as texts
          )
          update node_files set unused_since = case when unused_since is null then now() end
          where (unused_since is null) <> (hash in (select hash from named))`.execute(trx);
        await trx
          .deleteFrom("node_files")
          .where("unused_since", "<", sql<Date>`now() - interval '1 day'`)
          .execute();
      }),
  };
}
