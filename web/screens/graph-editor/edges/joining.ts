import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { kindsFit } from "@miranda/contract/graph/attributes/kinds.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { Edge, EdgeEnds, Node } from "@miranda/contract/schemas/nodes.ts";

import { isReceiver } from "@miranda/contract/graph/layout/card-layout.ts";

type Nodes = Readonly<Record<string, Node>>;

/** The port from which an edge is being dragged. */
export interface PortRef {
  nodeId: number;
  name: string;
  kind: string;
  isReceiver: boolean;
}

export function canJoin(nodes: Nodes, edges: Readonly<Record<string, Edge>>, ends: EdgeEnds): boolean {
  const source = nodes[ends.source_wob_key];
  const target = nodes[ends.destination_wob_key];
  if (!source || !target || source.locked || target.locked || edges[edgeKey(ends)]) return false;
  return (
    edgeRefusal(
      { key: source.key, attributes: source.api.attributes },
      { key: target.key, attributes: target.api.attributes },
      ends,
    ) === undefined
  );
}

/** Whether an edge dragged from one port may end at another. */
export function fits(pulled: PortRef, node: Pick<Node, "metadata_id" | "locked">, attribute: Attribute): boolean {
  const other = isReceiver(attribute);
  if (node.locked || other === pulled.isReceiver) return false;
  if (node.metadata_id === pulled.nodeId && attribute.name === pulled.name) return false;
  return other ? kindsFit(pulled.kind, attribute.kind) : kindsFit(attribute.kind, pulled.kind);
}

/** The first attribute of a node at which an edge could end; exact kinds come before compatible ones. */
export function fittingAttribute(pulled: PortRef, attributes: readonly Attribute[]): Attribute | undefined {
  const found = attributes.filter((attribute) => fits(pulled, { metadata_id: -1, locked: false }, attribute));
  return found.find(({ kind }) => kind === pulled.kind) ?? found[0];
}

/** The edge between a dragged port and an attribute of another node, in the right direction. */
export function endsBetween(pulled: PortRef, nodeId: number, attribute: Attribute): EdgeEnds {
  return pulled.isReceiver
    ? {
        source_wob_key: nodeId,
        source_transmitter_key: attribute.name,
        destination_wob_key: pulled.nodeId,
        destination_receiver_key: pulled.name,
      }
    : {
        source_wob_key: pulled.nodeId,
        source_transmitter_key: pulled.name,
        destination_wob_key: nodeId,
        destination_receiver_key: attribute.name,
      };
}

export interface Joint {
  ends: EdgeEnds;
  from: string;
  to: string;
  kind: string;
}

/** Every edge that a node could still get, for connecting without a mouse. */
export function possibleEdges(nodes: Nodes, edges: Readonly<Record<string, Edge>>, nodeId: number): Joint[] {
  const node = nodes[nodeId];
  if (!node) return [];
  const joints: Joint[] = [];
  for (const attribute of node.api.attributes) {
    const pulled = { nodeId, name: attribute.name, kind: attribute.kind, isReceiver: isReceiver(attribute) };
    for (const other of Object.values(nodes)) {
      if (other === node) continue;
      for (const candidate of other.api.attributes) {
        if (!fits(pulled, other, candidate)) continue;
        const ends = endsBetween(pulled, other.metadata_id, candidate);
        if (edges[edgeKey(ends)]) continue;
        const [own, theirs] = [`${node.name} · ${attribute.name}`, `${other.name} · ${candidate.name}`];
        const [from, to] = pulled.isReceiver ? [theirs, own] : [own, theirs];
        joints.push({ ends, from, to, kind: attribute.kind });
      }
    }
  }
  return joints;
}
