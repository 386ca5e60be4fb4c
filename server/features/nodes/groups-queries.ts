import { batch } from "@miranda/contract/limits.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import { sql } from "kysely";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";

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

    /** The groups that contain some of these nodes, and those with these ids. */
    async list(metadataIds: number[], groupIds: readonly string[] = []): Promise<NodeGroup[]> {
      const rows = await db
        .selectFrom("node_groups")
        .select(["id", "name", "colour", "collapsed", "members"])
        .where("graph_id", "=", graphId)
        .where(sql<boolean>`(members && ${metadataIds}::bigint[] or id = any(${groupIds}::uuid[]))`)
        .orderBy("id")
        .execute();
      const there = new Set(await present(rows.flatMap(({ members }) => members.map(Number))));
      return rows.map(({ members, ...row }) => ({
        ...row,
        metadata_ids: members.map(Number).filter((id) => there.has(id)),
      }));
    },

    /** Refuses more groups than a workflow may have. */
    async makeRoom(more: number): Promise<void> {
      const { count } = await db
        .selectFrom("node_groups")
        .select(sql<number>`count(*)`.as("count"))
        .where("graph_id", "=", graphId)
        .executeTakeFirstOrThrow();
      if (count + more > batch.groupsMax) throw new AppError("too_many_groups");
    },

    update: (id: string, change: { name?: string; colour?: string | null; collapsed?: boolean; members?: number[] }) =>
      db
        .updateTable("node_groups")
        // Find the row even when nothing changes.
        .set({ graph_id: graphId, ...change })
        .where("id", "=", id)
        .where("graph_id", "=", graphId)
        .returning(["id", "name", "colour", "collapsed", "members"])
        .executeTakeFirst(),

    /** An existing group stays as it is. */
    insertMany: (groups: readonly NodeGroup[]) =>
      db
        .insertInto("node_groups")
        .values(groups.map(({ metadata_ids, ...group }) => ({ ...group, graph_id: graphId, members: metadata_ids })))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),

    /** Those that existed. */
    async remove(ids: readonly string[]): Promise<string[]> {
      const rows = await db
        .deleteFrom("node_groups")
        .where(sql<boolean>`id = any(${ids}::uuid[])`)
        .where("graph_id", "=", graphId)
        .returning("id")
        .execute();
      return rows.map((row) => row.id);
    },
  };
}
