import type { GraphChange } from "../schemas/changes.ts";
import type { GraphContent } from "./content.ts";
import {
  isWhole,
  putAttribute,
  putDisabled,
  putEdges,
  putGroup,
  putNodes,
  putPositions,
  removeEdges,
  removeGroup,
  removeNodes,
} from "./edit-content.ts";

/** Whether a change is the next one for a graph at this revision. */
export function orderOf(revision: number, change: GraphChange): "known" | "next" | "early" {
  if (change.revision <= revision) return "known";
  return change.revision === revision + 1 ? "next" : "early";
}

/**
 * Applies one change that the server made. Applying it twice changes nothing. Undefined when the graph must be fetched
 * again: the change was too large to send, or it is about a node that is not here, so a change before it was missed.
 */
export function applyChange(content: GraphContent, change: GraphChange): GraphContent | undefined {
  if (change.reload === true) return undefined;
  let next = content;
  if (change.nodes) {
    if (change.nodes.some((patch) => !next.nodes[patch.metadata_id] && !isWhole(patch))) return undefined;
    next = putNodes(next, change.nodes);
  }
  if (!nodesAreHere(next, change)) return undefined;
  for (const attribute of change.attributes ?? []) next = putAttribute(next, attribute);
  if (change.positions) next = putPositions(next, change.positions);
  if (change.disabled) next = putDisabled(next, change.disabled);
  if (change.edges) next = putEdges(next, change.edges);
  if (change.deleted_edges) next = removeEdges(next, change.deleted_edges);
  if (change.deleted_nodes) next = removeNodes(next, change.deleted_nodes);
  for (const group of change.groups ?? []) next = putGroup(next, group);
  for (const id of change.deleted_groups ?? []) next = removeGroup(next, id);
  return next;
}

function nodesAreHere(
  { nodes }: GraphContent,
  { attributes = [], positions = {}, disabled = {} }: GraphChange,
): boolean {
  const named = [
    ...attributes.map(({ metadata_id }) => metadata_id),
    ...Object.keys(positions),
    ...Object.keys(disabled),
  ];
  return named.every((id) => nodes[id] !== undefined);
}
