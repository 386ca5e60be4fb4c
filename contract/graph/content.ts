import type { Edge, EdgeEnds, GraphResponse, Node, NodeGroup } from "../schemas/nodes.ts";
import { parseNodeApi } from "./attributes/node-api.ts";
import { edgeKey } from "./edge-key.ts";

/**
 * A graph as the server stores it, before resolution. It is never changed in place: unchanged parts keep their
 * identity.
 */
export interface GraphContent {
  /** By metadata_id. */
  readonly nodes: Readonly<Record<string, Node>>;
  /** By edge key. */
  readonly edges: Readonly<Record<string, Edge>>;
  /** By id. */
  readonly groups: Readonly<Record<string, NodeGroup>>;
}

export const emptyContent: GraphContent = { nodes: {}, edges: {}, groups: {} };

export function contentOf({ nodes, edges, groups }: Pick<GraphResponse, "nodes" | "edges" | "groups">): GraphContent {
  const broken = Object.entries(nodes).filter(([, node]) => !hasValidApi(node));
  const byKey: Record<string, Edge> = {};
  for (const edge of edges) if (edge.implied !== true) byKey[edgeKey(edge)] = edge;
  return {
    // Copy the nodes only when one of them needs it. There may be thousands.
    nodes:
      broken.length === 0
        ? nodes
        : { ...nodes, ...Object.fromEntries(broken.map(([key, node]) => [key, withValidApi(node)])) },
    edges: byKey,
    groups: Object.fromEntries(groups.map((group) => [group.id, group])),
  };
}

/** Repairs the api of a node. One broken node must not take the canvas down. */
export function withValidApi(node: Node): Node {
  return hasValidApi(node) ? node : { ...node, api: parseNodeApi(node.api) };
}

function hasValidApi({ api }: { api: Partial<Node["api"]> | null }): boolean {
  return typeof api === "object" && Array.isArray(api?.attributes);
}

/** Finds the api of a node. */
type FindNode = (metadataId: number) => Pick<Node, "api"> | undefined;

/** The edge between two attributes. What it carries and its texts come from the attributes at its ends. */
export function edgeBetween(ends: EdgeEnds, findNode: FindNode, drawing: Pick<Edge, "segments" | "label">): Edge {
  const find = (metadataId: number, name: string, side: "TRANSMITTER" | "RECEIVER") =>
    findNode(metadataId)?.api.attributes.find(
      (attribute) => attribute.name === name && attribute.direction.startsWith(side),
    );
  const transmitter = find(ends.source_wob_key, ends.source_transmitter_key, "TRANSMITTER");
  const receiver = find(ends.destination_wob_key, ends.destination_receiver_key, "RECEIVER");
  return {
    ...endsOf(ends),
    is_field: transmitter?.direction === "TRANSMITTER_FIELD" ? 1 : 0,
    kind: transmitter?.kind ?? receiver?.kind ?? "",
    edge_text: { transmitter: transmitter?.edge_text ?? "", reciever: receiver?.edge_text ?? "" },
    segments: drawing.segments,
    ...(drawing.label && { label: drawing.label }),
  };
}

/** The edge that a person would draw between two attributes now. */
export function newEdge(content: GraphContent, ends: EdgeEnds): Edge {
  return edgeBetween(ends, (metadataId) => content.nodes[metadataId], { segments: [] });
}

export function endsOf(edge: EdgeEnds): EdgeEnds {
  const { source_wob_key, source_transmitter_key, destination_wob_key, destination_receiver_key } = edge;
  return { source_wob_key, source_transmitter_key, destination_wob_key, destination_receiver_key };
}
