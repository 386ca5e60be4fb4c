import { sql } from "kysely";

import type { Db } from "../platform/database/database.ts";

/** Deletes nodes with their edges, and keeps both for a while. */
export async function deleteNodes(db: Db, graphId: string, metadataIds: readonly number[]): Promise<void> {
  await sql`
    insert into deleted_nodes (metadata_id, graph_id, node, edges)
    select nodes.metadata_id, nodes.graph_id, to_jsonb(nodes), coalesce(
      (select jsonb_agg(to_jsonb(edges)) from edges
        where edges.source_id = nodes.metadata_id or edges.target_id = nodes.metadata_id), '[]')
    from nodes where graph_id = ${graphId} and metadata_id = any(${metadataIds}::bigint[])
    on conflict (metadata_id) do update set node = excluded.node, edges = excluded.edges, deleted_at = now()`.execute(
    db,
  );
  await db
    .deleteFrom("nodes")
    .where("graph_id", "=", graphId)
    .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
    .execute();
}
