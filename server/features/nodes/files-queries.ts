import { type QueryResult, sql, type SqlBool } from "kysely";

import { housekeeping } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";

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

    /** Those of the files that the graph may read. */
    storedIn: async (graphId: string, hashes: readonly string[]): Promise<ReadonlySet<string>> => {
      const rows = await db
        .selectFrom("graph_files")
        .select("hash")
        .where("graph_id", "=", graphId)
        .where(sql<SqlBool>`hash = any(${hashes}::text[])`)
        .execute();
      return new Set(rows.map(({ hash }) => hash));
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

    /**
     * Marks the files that nothing names any more, and removes those that were marked a day ago. A file can be named only
     * in graphs, templates, calls and schedules that were given it. A deleted node counts while the delete can be
     * undone, and a version as long as it is kept.
     */
    async *removeUnused(): AsyncGenerator<void> {
      for (let last: string | null = ""; last !== null;) {
        const found: QueryResult<{ last: string | null }> = await sql<{ last: string | null }>`
          with part as (
            select hash from node_files where hash > ${last} order by hash limit ${housekeeping.files}
          ), graph as (
            select distinct graph_id as id from graph_files where hash in (select hash from part)
          ), named as (
            select distinct (regexp_matches(text, '[0-9a-f]{64}', 'g'))[1] as hash from (
              select field_values::text as text from nodes
              where graph_id in (select id from graph) and field_values::text like '%"file"%'
              union all select node::text from deleted_nodes where graph_id in (select id from graph)
              union all select content::text from templates
              where id in (select template_id from template_files where hash in (select hash from part))
            ) as texts
            union select unnest(files) from version_parts where files && array(select hash from part)
            union select hash from call_files where hash in (select hash from part)
            union select hash from schedule_files where hash in (select hash from part)
          ), marked as (
            update node_files set unused_since = case when unused_since is null then now() end
            where hash in (select hash from part) and (unused_since is null) <> (hash in (select hash from named))
          )
          select max(hash) as last from part`.execute(db);
        last = found.rows[0]?.last ?? null;
        yield;
      }
      yield* deleteInBatches(
        db,
        "node_files",
        sql<SqlBool>`unused_since < now() - interval '1 day'`,
        housekeeping.files,
      );
    },
  };
}
