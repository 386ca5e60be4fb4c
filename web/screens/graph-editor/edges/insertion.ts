import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { endsOf } from "@miranda/contract/graph/content.ts";
import { isReceiver } from "@miranda/contract/graph/layout/card-layout.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import { canJoin, endsBetween, fittingAttribute } from "./joining.ts";

type Nodes = Readonly<Record<string, Node>>;

/**
 * The changes that insert a node into an edge: from the edge's source to the node, and from the node to the edge's target.
 * Undefined when the ports do not fit, or when the node has edges: people often drag such a node across other edges.
 */
export function insertion(
  nodes: Nodes,
  edges: Readonly<Record<string, Edge>>,
  id: number,
  edge: Edge,
): Command[] | undefined {
  const [node, source, target] = [nodes[id], nodes[edge.source_wob_key], nodes[edge.destination_wob_key]];
  if (!node || !source || !target || edge.implied === true || isConnected(edges, id)) return undefined;
  const out = source.api.attributes.find((one) => one.name === edge.source_transmitter_key && !isReceiver(one));
  const into = target.api.attributes.find((one) => one.name === edge.destination_receiver_key && isReceiver(one));
  if (!out || !into) return undefined;
  const before = { nodeId: source.metadata_id, name: out.name, kind: out.kind, isReceiver: false };
  const after = { nodeId: target.metadata_id, name: into.name, kind: into.kind, isReceiver: true };
  const first = fittingAttribute(before, node.api.attributes);
  const last = fittingAttribute(after, node.api.attributes);
  if (!first || !last) return undefined;
  const ends = [endsBetween(before, id, first), endsBetween(after, id, last)];
  if (!ends.every((one) => canJoin(nodes, edges, one))) return undefined;
  return [{ type: "disconnect", ends: endsOf(edge) }, ...ends.map((one): Command => ({ type: "connect", ends: one }))];
}

function isConnected(edges: Readonly<Record<string, Edge>>, id: number): boolean {
  return Object.values(edges).some((edge) => edge.source_wob_key === id || edge.destination_wob_key === id);
}

const shares = [0.5, 0.3, 0.7, 0.1, 0.9];

/** The id of the edge under a card. It searches from the middle of the card outwards. */
export function edgeUnder(card: Element): HTMLElement | SVGElement | undefined {
  const { left, top, width, height } = card.getBoundingClientRect();
  for (const down of shares)
    for (const across of shares)
      for (const element of document.elementsFromPoint(left + width * across, top + height * down)) {
        const edge = element.closest<SVGElement>(".react-flow__edge");
        if (edge) return edge;
      }
  return undefined;
}
