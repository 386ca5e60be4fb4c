import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { exportGraphml } from "./graphml/export.ts";
import { copiedValues, type EdgeRow, type NodeRow } from "../../model/graph-rows.ts";

/** The workflow as a GraphML file that other programs read and that comes back to us identical. */
export function exportGraph(
  graph: { name: string; description: string },
  nodes: NodeRow[],
  edges: EdgeRow[],
): Iterable<string> {
  return exportGraphml({
    name: graph.name,
    description: graph.description,
    nodes: nodes.map((row) => ({
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
    })),
    edges: edges.map((row) => ({
      source: row.source_id,
      transmitter: row.transmitter,
      target: row.target_id,
      receiver: row.receiver,
      segments: row.segments,
      ...(row.label && { text: row.label }),
    })),
  });
}
