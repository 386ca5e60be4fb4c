import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export interface EditRow {
  metadata_id: number;
  account_id: string;
  edited_at: Date | null;
  edited_revision: number | null;
  moved_at: Date | null;
  moved_revision: number | null;
  /** Null when the account is deleted. */
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
}

export interface NamedNode {
  metadata_id: number;
  lineage: string;
  name: string;
}

export function editQueries(db: Db) {
  return {
    /** Who changed a node of the graph after a revision. */
    since: (graphId: string, revision: number): Promise<EditRow[]> =>
      db
        .selectFrom("node_edits")
        .leftJoin("accounts", (join) =>
          join.onRef("accounts.id", "=", "node_edits.account_id").on("accounts.deleted_at", "is", null),
        )
        .select(["metadata_id", "account_id", "edited_at", "edited_revision", "moved_at", "moved_revision"])
        .select(["accounts.username", "accounts.first_name", "accounts.last_name", "accounts.avatar_version"])
        .where("graph_id", "=", graphId)
        .where(sql<boolean>`greatest(edited_revision, moved_revision) > ${revision}`)
        .orderBy("metadata_id")
        .orderBy(sql`greatest(edited_at, moved_at)`, "desc")
        .execute(),

    /** Nodes of the graph, also those that were deleted within a day. */
    names: async (graphId: string, metadataIds: readonly number[]): Promise<NamedNode[]> => {
      const { rows } = await sql<NamedNode>`
        select metadata_id, lineage::text as lineage, name from nodes
        where graph_id = ${graphId} and metadata_id = any(${metadataIds}::bigint[])
        union all
        select metadata_id, node->>'lineage', node->>'name' from deleted_nodes
        where graph_id = ${graphId} and metadata_id = any(${metadataIds}::bigint[])`.execute(db);
      return rows;
    },
  };
}
