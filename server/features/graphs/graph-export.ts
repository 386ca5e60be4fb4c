import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import { copiedValues, type EdgeRow, type NodeRow } from "../../model/graph-rows.ts";
import { exportGraphml } from "./graphml/export.ts";
import type { ExportEdge, ExportNode } from "./graphml/types.ts";

/** The workflow as a GraphML file that other programs read and that comes back to us identical. */
export function exportGraph(
  { name, description }: { name: string; description: string },
  nodes: AsyncIterable<NodeRow[]>,
  edges: readonly EdgeRow[],
): AsyncIterable<string> {
  return exportGraphml({ name, description, nodes: converted(nodes), edges: edges.map(toExportEdge) });
}

async function* converted(parts: AsyncIterable<NodeRow[]>): AsyncGenerator<ExportNode[]> {
  for await (const rows of parts) yield mapInSlices(rows, toExportNode);
}

function toExportNode(row: NodeRow): ExportNode {
  return {
    key: row.metadata_id,
    class: row.class,
    name: row.name,
    description: row.description,
    position: { x: row.x, y: row.y },
    ...(row.colour && { colour: row.colour }),
    source_code: row.source_code,
    // Values are part of the file, except those of secret controls.
    api: { declared: row.api, values: copiedValues(row) },
    body: row.body ?? null,
    tags: row.tags,
    locked: row.locked,
    order: row.order,
    git: row.git && withoutCredentials(row.git),
    git_branch: row.git_branch,
  };
}

function toExportEdge(row: EdgeRow): ExportEdge {
  return {
    source: row.source_id,
    transmitter: row.transmitter,
    target: row.target_id,
    receiver: row.receiver,
    segments: row.segments,
    ...(row.label && { text: row.label }),
  };
}
