import type { Version } from "@miranda/contract/schemas/versions.ts";

import { authorOf } from "../auth/auth-service.ts";
import type { VersionRow } from "./versions-queries.ts";

export function toVersion(row: Omit<VersionRow, "parts" | "left_out">): Version {
  return {
    id: row.id,
    graph_id: row.graph_id,
    number: row.number,
    reason: row.reason,
    name: row.name,
    message: row.message,
    author: authorOf(row),
    revision: row.revision,
    nodes: row.node_count,
    edges: row.edge_count,
    runs: row.runs,
    time_last_run: row.last_run_at?.toISOString() ?? null,
    time_created: row.created_at.toISOString(),
    time_published: row.published_at?.toISOString() ?? null,
  };
}

/** Whether a version is the whole workflow at this revision. */
export function isWhole(row: VersionRow | undefined, revision: number): row is VersionRow {
  return row?.revision === revision && Object.keys(row.left_out).length === 0;
}
