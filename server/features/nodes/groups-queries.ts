import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";

export function groupQueries(db: Db, graphId: string) {
  /** Those of the numbers that are nodes of the graph, each once. */
  async function present(metadataIds: number[]): Promise<number[]> {
    const rows = await db
      .selectFrom("nodes")
      .select("metadata_id")
      .where("graph_id", "=", graphId)
      .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
      .orderBy("metadata_id")
      .execute();
    return rows.map((row) => row.metadata_id);
  }

  return {
    present,

    /** The groups that some of these nodes are in. */
    async withMembers(metadataIds: number[]): Promise<NodeGroup[]> {
      const rows = await db
        .selectFrom("node_groups")
        .select(["id", "name", "colour", "collapsed", "members"])
        .where("graph_id", "=", graphId)
        .where(sql<boolean>`members && ${metadataIds}::bigint[]`)
        .orderBy("id")
        .execute();
      const groups: NodeGroup[] = [];
      for (const { members, ...row } of rows) groups.push({ ...row, metadata_ids: await present(members.map(Number)) });
      return groups;
    },

    async count(): Promise<number> {
      const row = await db
        .selectFrom("node_groups")
        .select(sql<number>`count(*)`.as("count"))
        .where("graph_id", "=", graphId)
        .executeTakeFirstOrThrow();
      return row.count;
    },

    insert: ({ metadata_ids, ...group }: NodeGroup) =>
      db
        .insertInto("node_groups")
        .values({ ...group, graph_id: graphId, members: metadata_ids })
        .execute(),

    update: (id: string, change: { name?: string; colour?: string | null; collapsed?: boolean; members?: number[] }) =>
      db
        .updateTable("node_groups")
        // With nothing to change the row still has to be found.
        .set({ graph_id: graphId, ...change })
        .where("id", "=", id)
        .where("graph_id", "=", graphId)
        .returning(["id", "name", "colour", "collapsed", "members"])
        .executeTakeFirst(),

    async remove(id: string): Promise<boolean> {
      const result = await db
        .deleteFrom("node_groups")
        .where("id", "=", id)
        .where("graph_id", "=", graphId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}
