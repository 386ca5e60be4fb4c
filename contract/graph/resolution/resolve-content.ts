import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { resolveGraph } from "@miranda/contract/graph/resolution/resolve-graph.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import type { GraphContent } from "../content.ts";

/** The resolved graph, and the content it was resolved from. */
export interface ResolvedContent {
  readonly content: GraphContent;
  readonly nodes: Readonly<Record<string, Node>>;
  readonly edges: readonly Edge[];
}

export const nothingResolved: ResolvedContent = {
  content: { nodes: {}, edges: {}, groups: {} },
  nodes: {},
  edges: [],
};

/** Resolves again. Parts that come out the same keep their identity, so they are not drawn again. */
export function resolveContent(content: GraphContent, before: ResolvedContent): ResolvedContent {
  if (content === before.content) return before;
  const nodes = withoutResolving(content, before);
  if (nodes) return { content, nodes, edges: before.edges };
  const resolved = resolveGraph({ nodes: content.nodes, edges: Object.values(content.edges) });
  return {
    content,
    nodes: shareNodes(resolved.nodes, content, before),
    edges: shareEdges(resolved.edges, before.edges),
  };
}

/** For a move, a new name or a lock: edges and attributes do not depend on these. Undefined when more has changed. */
function withoutResolving(content: GraphContent, before: ResolvedContent): Record<string, Node> | undefined {
  if (content.edges !== before.content.edges) return undefined;
  const nodes: Record<string, Node> = {};
  let count = 0;
  for (const key in content.nodes) {
    const now = content.nodes[key];
    const then = before.content.nodes[key];
    const resolved = before.nodes[key];
    if (!now || !then || !resolved || now.api !== then.api || now.class !== then.class) return undefined;
    nodes[key] = now === then ? resolved : { ...now, api: resolved.api };
    count += 1;
  }
  return count === Object.keys(before.content.nodes).length ? nodes : undefined;
}

function shareNodes(nodes: Record<string, Node>, content: GraphContent, before: ResolvedContent): Record<string, Node> {
  for (const key in nodes) {
    const now = nodes[key];
    const then = before.nodes[key];
    if (!now || !then || now === then) continue;
    const isSameSource = content.nodes[key] === before.content.nodes[key];
    if (isSameSource && sameMarks(now, then)) nodes[key] = then;
  }
  return nodes;
}

function sameMarks(one: Node, other: Node): boolean {
  return one.api.attributes.every((attribute, at) => {
    const twin = other.api.attributes[at];
    return attribute.is_connected === twin?.is_connected && attribute.control === twin.control;
  });
}

function shareEdges(edges: readonly Edge[], before: readonly Edge[]): Edge[] {
  const known = new Map(before.map((edge) => [idOf(edge), edge]));
  return edges.map((edge) => {
    const twin = known.get(idOf(edge));
    return twin && sameEdge(edge, twin) ? twin : edge;
  });
}

const ids = new WeakMap<Edge, string>();

/** An implied edge and a drawn edge may share their ends only while one of them is being removed. */
export function idOf(edge: Edge): string {
  const known = ids.get(edge);
  if (known !== undefined) return known;
  const id = edge.implied === true ? `implied ${edgeKey(edge)}` : edgeKey(edge);
  ids.set(edge, id);
  return id;
}

function sameEdge(one: Edge, other: Edge): boolean {
  return (
    one === other ||
    (one.is_field === other.is_field &&
      one.kind === other.kind &&
      one.label === other.label &&
      one.edge_text.transmitter === other.edge_text.transmitter &&
      one.edge_text.reciever === other.edge_text.reciever &&
      sameBends(one.segments, other.segments))
  );
}

function sameBends(one: Edge["segments"], other: Edge["segments"]): boolean {
  return (
    one === other ||
    (one.length === other.length && one.every(({ x, y }, at) => x === other[at]?.x && y === other[at].y))
  );
}
