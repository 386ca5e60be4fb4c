import type { AttributeChange, NodeChange, NodePatch } from "../schemas/changes.ts";
import type { Edge, EdgeEnds, Node, NodeGroup, Position } from "../schemas/nodes.ts";
import { type GraphContent, withValidApi } from "./content.ts";
import { edgeKey } from "./edge-key.ts";

// The steps that changes and commands consist of. Each ignores a node, edge or group that does not exist.

/** Changes the nodes that exist, and adds those that are sent whole. */
export function putNodes(content: GraphContent, patches: readonly NodePatch[]): GraphContent {
  const nodes = { ...content.nodes };
  for (const patch of patches) {
    const known = nodes[patch.metadata_id];
    // The schema also allows undefined for every field. Patches come from JSON, which has none.
    if (known) nodes[patch.metadata_id] = withValidApi({ ...known, ...(patch as Partial<Node>) });
    else if (isWhole(patch)) nodes[patch.metadata_id] = withValidApi(patch);
  }
  return { ...content, nodes };
}

export function isWhole(patch: NodePatch): patch is Node {
  return (
    patch.class !== undefined && patch.name !== undefined && patch.position !== undefined && patch.api !== undefined
  );
}

export function patchNode(content: GraphContent, metadataId: number, changes: Partial<Node>): GraphContent {
  const node = content.nodes[metadataId];
  if (!node) return content;
  return { ...content, nodes: { ...content.nodes, [metadataId]: { ...node, ...changes } } };
}

export function putAttribute(content: GraphContent, change: AttributeChange): GraphContent {
  return changeAttribute(content, change.metadata_id, change.name, ({ default: _old, ...attribute }) => ({
    ...attribute,
    value: change.value,
    ...("default" in change && { default: change.default }),
  }));
}

/** Overrides the value of an attribute. The value that the code declares becomes its default. */
export function setValue(content: GraphContent, metadataId: number, name: string, value: unknown): GraphContent {
  return changeAttribute(content, metadataId, name, (attribute) => ({
    ...attribute,
    value,
    default: "default" in attribute ? attribute.default : attribute.value,
  }));
}

/** Gives an attribute the value that the code declares. */
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

export function putDisabled(content: GraphContent, disabled: Readonly<Record<string, boolean>>): GraphContent {
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

/** Removes nodes, their edges, and their membership in groups. */
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
