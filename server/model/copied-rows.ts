import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";

import { copiedValues, type EdgeRow, type NodeRow } from "./graph-rows.ts";
import type { EdgeInsert, NodeInsert } from "./graph-inserts.ts";

/** What a copy of a node keeps. Secrets, git credentials and the link to its template are left out. */
export function copiedNode(
  row: NodeRow,
): Omit<NodeInsert, "ref" | "id" | "update_policy" | "template_id" | "template_ref" | "template_version"> {
  return {
    class: row.class,
    name: row.name,
    description: row.description,
    order: row.order,
    x: row.x,
    y: row.y,
    colour: row.colour,
    api: row.api,
    field_values: copiedValues(row),
    body: row.body,
    source_code: row.source_code,
    tags: row.tags,
    locked: row.locked,
    git: row.git && withoutCredentials(row.git),
    git_branch: row.git_branch,
  };
}

/** A copy of an edge between two nodes, named by their references. */
export function copiedEdge(row: EdgeRow, source: string, target: string): EdgeInsert {
  const { transmitter, receiver, segments, label } = row;
  return { source, transmitter, target, receiver, segments, label };
}
