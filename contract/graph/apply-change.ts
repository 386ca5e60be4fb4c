import type { AttributeChange, GraphChange, NodePatch } from "../schemas/changes.ts";
import type { Edge, GraphResponse, Node, NodeGroup } from "../schemas/nodes.ts";
import { edgeKey } from "./edge-key.ts";

/**
 * The graph after a change that the server told. Undefined when only fetching helps: a change before it was missed, or
 * it was too large to be told. A change that is already in is no change. What did not change stays the same object.
 */
export function applyGraphChange(graph: GraphResponse, change: GraphChange): GraphResponse | undefined {
  if (change.revision <= graph.revision) return graph;
  if (change.reload === true || change.revision > graph.revision + 1) return undefined;
  const nodes = changedNodes(graph.nodes, change);
  // A part of a node that is not here: whatever made it was missed.
  if (!nodes) return undefined;
  return {
    ...graph,
    revision: change.revision,
    nodes,
    edges: changedEdges(graph.edges, change),
    groups: changedGroups(graph.groups, change, nodes),
  };
}

function changedNodes(before: Record<string, Node>, change: GraphChange): Record<string, Node> | undefined {
  const { nodes = [], attributes = [], positions = {}, disabled = {}, deleted_nodes = [] } = change;
  const [moved, switched] = [Object.entries(positions), Object.entries(disabled)];
  if (nodes.length + attributes.length + moved.length + switched.length + deleted_nodes.length === 0) return before;
  const after = { ...before };
  for (const patch of nodes) {
    const node = after[patch.metadata_id];
    if (!node && !isWhole(patch)) return undefined;
    after[patch.metadata_id] = { ...node, ...patch } as Node;
  }
  for (const attribute of attributes) {
    const node = after[attribute.metadata_id];
    if (!node) return undefined;
    after[attribute.metadata_id] = withAttribute(node, attribute);
  }
  for (const [id, position] of moved) {
    const node = after[id];
    if (!node) return undefined;
    after[id] = { ...node, position };
  }
  for (const [id, isDisabled] of switched) {
    const node = after[id];
    if (!node) return undefined;
    after[id] = { ...node, api: { ...node.api, disabled: isDisabled } };
  }
  for (const id of deleted_nodes) delete after[id];
  return after;
}

function isWhole(patch: NodePatch): boolean {
  return patch.id !== undefined && patch.api !== undefined;
}

function withAttribute(node: Node, change: AttributeChange): Node {
  const attributes = node.api.attributes.map((attribute) => {
    if (attribute.name !== change.name) return attribute;
    const { default: _declared, ...rest } = attribute;
    return { ...rest, value: change.value, ...("default" in change && { default: change.default }) };
  });
  return { ...node, api: { ...node.api, attributes } };
}

function changedEdges(before: Edge[], { edges = [], deleted_edges = [], deleted_nodes = [] }: GraphChange): Edge[] {
  if (edges.length + deleted_edges.length + deleted_nodes.length === 0) return before;
  const gone = new Set(deleted_edges.map(edgeKey));
  const goneNodes = new Set(deleted_nodes);
  const newer = new Map(edges.map((edge) => [edgeKey(edge), edge]));
  const kept = before.flatMap((edge) => {
    if (goneNodes.has(edge.source_wob_key) || goneNodes.has(edge.destination_wob_key)) return [];
    const key = edgeKey(edge);
    if (gone.has(key)) return [];
    const replaced = newer.get(key);
    newer.delete(key);
    return [replaced ?? edge];
  });
  return [...kept, ...newer.values()];
}

function changedGroups(before: NodeGroup[], change: GraphChange, nodes: Record<string, Node>): NodeGroup[] {
  const { groups = [], deleted_groups = [], deleted_nodes = [] } = change;
  if (groups.length + deleted_groups.length + deleted_nodes.length === 0) return before;
  const byId = new Map(before.map((group) => [group.id, group]));
  for (const group of groups) byId.set(group.id, group);
  for (const id of deleted_groups) byId.delete(id);
  return [...byId.values()].map((group) => ({
    ...group,
    metadata_ids: group.metadata_ids.filter((id) => Object.hasOwn(nodes, id)),
  }));
}
