import type { EdgeEnds } from "../../schemas/nodes.ts";
import type { GraphContent } from "../content.ts";
import { changedPart, deletedNode } from "./undo.ts";
import type { Since, Skipped } from "./command.ts";

export function changedEdge(ends: EdgeEnds, content: GraphContent): Skipped {
  return changedPart({ type: "edge", ends }, endNames(ends, content));
}

export function deletedEdge(ends: EdgeEnds, { now, left }: Since): Skipped {
  const part = { type: "edge", ends } as const;
  return {
    part,
    why: "deleted",
    names: endNames(ends, { ...now, nodes: { ...left.nodes, ...now.nodes } }),
    differs: [part],
  };
}

/** The nodes at the ends of an edge that are gone. */
export function missingEnds({ source_wob_key, destination_wob_key }: EdgeEnds, since: Since): Skipped[] {
  return [...new Set([source_wob_key, destination_wob_key])]
    .filter((id) => !since.now.nodes[id])
    .map((id) => deletedNode(id, since));
}

function endNames({ source_wob_key, destination_wob_key }: EdgeEnds, { nodes }: GraphContent): string[] {
  return [source_wob_key, destination_wob_key].map((id) => nodes[id]?.name ?? "");
}
