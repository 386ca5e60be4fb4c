import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { parseNodeApi } from "@miranda/contract/graph/node-api.ts";
import type { AttributeChange, GraphChange, NodeChange, NodePatch } from "@miranda/contract/schemas/changes.ts";
import type { Edge, EdgeEnds, GraphResponse, Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

/** A graph as the server has it, unresolved. Never changed in place: what did not change stays the same object. */
export interface GraphContent {
  /** By metadata_id. */
  readonly nodes: Readonly<Record<string, Node>>;
  /** By edge key. */
  readonly edges: Readonly<Record<string, Edge>>;
  readonly groups: Readonly<Record<string, NodeGroup>>;
}

export const emptyContent: GraphContent = { nodes: {}, edges: {}, groups: {} };

export function contentOf({ nodes, edges, groups }: Pick<GraphResponse, "nodes" | "edges" | "groups">): GraphContent {
  const unsound = Object.entries(nodes).filter(([, node]) => !hasSoundApi(node));
  const byKey: Record<string, Edge> = {};
  for (const edge of edges) if (edge.implied !== true) byKey[edgeKey(edge)] = edge;
  return {
    // A copy of thousands of nodes only where one of them needs it.
    nodes:
      unsound.length === 0
        ? nodes
        : { ...nodes, ...Object.fromEntries(unsound.map(([key, node]) => [key, withApi(node)])) },
    edges: byKey,
    groups: Object.fromEntries(groups.map((group) => [group.id, group])),
  };
}

/** Whatever the api of a node is, one wrong node must not take the canvas down. */
function withApi(node: Node): Node {
  return hasSoundApi(node) ? node : { ...node, api: parseNodeApi(node.api) };
}

function hasSoundApi({ api }: { api: Partial<Node["api"]> | null }): boolean {
  return typeof api === "object" && Array.isArray(api?.attributes);
}

/** One change, as the server made it. Applying it again changes nothing. */
export function applyChange(content: GraphContent, change: GraphChange): GraphContent {
  let next = content;
  if (change.nodes) next = putNodes(next, change.nodes);
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

/** Adds nodes that are whole and changes those that are known. Part of a node nobody knows is nothing to show. */
export function putNodes(content: GraphContent, patches: readonly NodePatch[]): GraphContent {
  const nodes = { ...content.nodes };
  for (const patch of patches) {
    const known = nodes[patch.metadata_id];
    if (known) nodes[patch.metadata_id] = withApi({ ...known, ...(patch as Partial<Node>) });
    else if (isWhole(patch)) nodes[patch.metadata_id] = withApi(patch);
  }
  return { ...content, nodes };
}

function isWhole(patch: NodePatch): patch is Node {
  return (
    patch.class !== undefined && patch.name !== undefined && patch.position !== undefined && patch.api !== undefined
  );
}

export function patchNode(content: GraphContent, metadataId: number, changes: Partial<Node>): GraphContent {
  const node = content.nodes[metadataId];
  if (!node) return content;
  return { ...content, nodes: { ...content.nodes, [metadataId]: { ...node, ...changes } } };
}

function putAttribute(content: GraphContent, change: AttributeChange): GraphContent {
  return changeAttribute(content, change.metadata_id, change.name, ({ default: _old, ...attribute }) => ({
    ...attribute,
    value: change.value,
    ...("default" in change && { default: change.default }),
  }));
}

/** What setting a value comes to: what the code says becomes the default beside it. */
export function setValue(content: GraphContent, metadataId: number, name: string, value: unknown): GraphContent {
  return changeAttribute(content, metadataId, name, (attribute) => ({
    ...attribute,
    value,
    default: "default" in attribute ? attribute.default : attribute.value,
  }));
}

export function unsetValue(content: GraphContent, metadataId: number, name: string): GraphContent {
  return changeAttribute(content, metadataId, name, ({ default: declared, ...attribute }) => ({
    ...attribute,
    value: declared === undefined ? attribute.value : declared,
  }));
}

type AnyAttribute = Node["api"]["attributes"][number];

function changeAttribute(
  content: GraphContent,
  metadataId: number,
  name: string,
  change: (attribute: AnyAttribute) => AnyAttribute,
): GraphContent {
  const node = content.nodes[metadataId];
  if (!node) return content;
  const attributes = node.api.attributes.map((attribute) => (attribute.name === name ? change(attribute) : attribute));
  return patchNode(content, metadataId, { api: { ...node.api, attributes } });
}

export function putPositions(content: GraphContent, positions: Readonly<Record<string, Position>>): GraphContent {
  const nodes = { ...content.nodes };
  for (const [key, position] of Object.entries(positions)) {
    const node = nodes[key];
    if (node) nodes[key] = { ...node, position };
  }
  return { ...content, nodes };
}

function putDisabled(content: GraphContent, disabled: Readonly<Record<string, boolean>>): GraphContent {
  return changeNodes(
    content,
    Object.fromEntries(Object.entries(disabled).map(([key, isDisabled]) => [key, { disabled: isDisabled }])),
  );
}

export function changeNodes(content: GraphContent, changes: Readonly<Record<string, NodeChange>>): GraphContent {
  const nodes = { ...content.nodes };
  for (const [key, change] of Object.entries(changes)) {
    const node = nodes[key];
    if (node) nodes[key] = changedNode(node, change);
  }
  return { ...content, nodes };
}

function changedNode(node: Node, { disabled, locked, colour, tags_added, tags_removed }: NodeChange): Node {
  const gone = new Set([...(tags_added ?? []), ...(tags_removed ?? [])]);
  const others = gone.size > 0 ? node.tags.tags.filter((tag) => !gone.has(tag)) : node.tags.tags;
  return {
    ...node,
    ...(disabled !== undefined && { api: { ...node.api, disabled } }),
    ...(locked !== undefined && { locked }),
    ...(colour !== undefined && { colour }),
    ...(gone.size > 0 && { tags: { ...node.tags, tags: [...others, ...(tags_added ?? [])] } }),
  };
}

/** Their edges go with them, and their places in groups. */
export function removeNodes(content: GraphContent, ids: readonly number[]): GraphContent {
  const gone = new Set(ids.filter((id) => content.nodes[id] !== undefined));
  if (gone.size === 0) return content;
  const stays = ([, edge]: [string, Edge]) => !gone.has(edge.source_wob_key) && !gone.has(edge.destination_wob_key);
  const keeps = ([key, group]: [string, NodeGroup]): [string, NodeGroup] =>
    group.metadata_ids.some((id) => gone.has(id))
      ? [key, { ...group, metadata_ids: group.metadata_ids.filter((id) => !gone.has(id)) }]
      : [key, group];
  return {
    nodes: Object.fromEntries(Object.entries(content.nodes).filter(([, node]) => !gone.has(node.metadata_id))),
    edges: Object.fromEntries(Object.entries(content.edges).filter(stays)),
    groups: Object.fromEntries(Object.entries(content.groups).map(keeps)),
  };
}

export function putEdges(content: GraphContent, edges: readonly Edge[]): GraphContent {
  const drawn = edges.filter(({ implied }) => implied !== true);
  return { ...content, edges: { ...content.edges, ...Object.fromEntries(drawn.map((edge) => [edgeKey(edge), edge])) } };
}

export function removeEdges(content: GraphContent, ends: readonly EdgeEnds[]): GraphContent {
  const gone = new Set(ends.map(edgeKey));
  return { ...content, edges: Object.fromEntries(Object.entries(content.edges).filter(([key]) => !gone.has(key))) };
}

export function putGroup(content: GraphContent, group: NodeGroup): GraphContent {
  return { ...content, groups: { ...content.groups, [group.id]: group } };
}

export function removeGroup(content: GraphContent, id: string): GraphContent {
  const { [id]: _removed, ...groups } = content.groups;
  return { ...content, groups };
}

/** The edge two attributes would make, as the server would answer it. */
export function newEdge(content: GraphContent, ends: EdgeEnds, more: Partial<Edge> = {}): Edge {
  const from = content.nodes[ends.source_wob_key]?.api.attributes.find(
    ({ name, direction }) => name === ends.source_transmitter_key && direction.startsWith("TRANSMITTER"),
  );
  const to = content.nodes[ends.destination_wob_key]?.api.attributes.find(
    ({ name, direction }) => name === ends.destination_receiver_key && direction.startsWith("RECEIVER"),
  );
  return {
    source_wob_key: ends.source_wob_key,
    source_transmitter_key: ends.source_transmitter_key,
    destination_wob_key: ends.destination_wob_key,
    destination_receiver_key: ends.destination_receiver_key,
    is_field: from?.direction === "TRANSMITTER_FIELD" ? 1 : 0,
    kind: from?.kind ?? to?.kind ?? "",
    edge_text: { transmitter: from?.edge_text ?? "", reciever: to?.edge_text ?? "" },
    segments: [],
    ...more,
  };
}

export function endsOf(edge: EdgeEnds): EdgeEnds {
  const { source_wob_key, source_transmitter_key, destination_wob_key, destination_receiver_key } = edge;
  return { source_wob_key, source_transmitter_key, destination_wob_key, destination_receiver_key };
}
