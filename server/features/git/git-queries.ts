import { type Insertable, sql } from "kysely";

import type { NodeGitTable } from "../../tables/code-tables.ts";
import type { Db } from "../../platform/database/database.ts";

/** For the whole database, or inside a transaction. */
export function gitQueries(db: Db) {
  return {
    /** Code blocks with a repository: one of them, or all of a graph. */
    nodes: (graphId: string, metadataId: number | undefined) =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "name", "git", "git_branch", "locked", "class"])
        .where("graph_id", "=", graphId)
        .$if(metadataId !== undefined, (query) => query.where("metadata_id", "=", metadataId ?? 0))
        .$if(metadataId === undefined, (query) => query.where("class", "=", "Code_block").where("git", "is not", null))
        .orderBy("metadata_id")
        .execute(),

    find: (metadataId: number) =>
      db.selectFrom("node_git").selectAll().where("metadata_id", "=", metadataId).executeTakeFirst(),

    save: async (row: Insertable<NodeGitTable>) => {
      const { metadata_id: _key, ...rest } = row;
      await db
        .insertInto("node_git")
        .values(row)
        .onConflict((conflict) => conflict.column("metadata_id").doUpdateSet({ ...rest, synced_at: sql<Date>`now()` }))
        .execute();
    },
  };
}
