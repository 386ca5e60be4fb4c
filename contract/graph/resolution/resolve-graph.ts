import type { Edge, Node } from "../../schemas/nodes.ts";
import { impliedEdges, type Link } from "./implied-edges.ts";
import { isMarked, mark, marks, placeOf, receiverAt, transmitterAt, type Place, type Resolvable } from "./places.ts";

export interface Graph<N extends Resolvable = Node> {
  readonly nodes: Readonly<Record<string, N>>;
  readonly edges: readonly Edge[];
}

export interface ResolvedGraph<N extends Resolvable = Node> {
  nodes: Record<string, N>;
  /** The edges given, in their order, then the implied ones. */
  edges: Edge[];
}

/**
 * Derives from a graph's edges which attributes are connected, which edges carry fields, and which edges are implied.
 * Resolve what the server sent with later changes applied, never a resolved graph: a control that an edge removed would
 * not come back with the edge gone.
 */
export function resolveGraph<N extends Resolvable>(graph: Graph<N>): ResolvedGraph<N> {
  const entries = Object.entries(graph.nodes);
  const places = entries.map(([key, node]) => placeOf(Number(key), node));
  const indexOf = new Map(places.map(({ key }, index) => [key, index]));
  const links: Link[] = [];

  const drawn = graph.edges
    .filter((edge) => edge.implied !== true)
    .map((given) => {
      const from = indexOf.get(given.source_wob_key);
      const to = indexOf.get(given.destination_wob_key);
      const destination = to === undefined ? undefined : places[to];
      const edge = follow(given, from === undefined ? undefined : places[from], destination);
      mark(destination, receiverAt(destination, edge.destination_receiver_key), marks.joined);
      if (from !== undefined && to !== undefined) links.push({ edge, from, to });
      return edge;
    });

  const placeAt = (key: number): Place | undefined => places[indexOf.get(key) ?? -1];
  // Mark every drawn edge first: an implied edge never stands beside a drawn one.
  const implied = impliedEdges(places, links);
  for (const edge of implied) follow(edge, placeAt(edge.source_wob_key), placeAt(edge.destination_wob_key));

  const nodes = Object.fromEntries(entries.map(([key, node], index) => [key, settle(node, places[index])]));
  return { nodes, edges: [...drawn, ...implied] };
}

/**
 * Marks both ends of an edge and returns the edge with what its ends decide. An edge with a missing end stays as it
 * was.
 */
function follow(edge: Edge, source: Place | undefined, destination: Place | undefined): Edge {
  const leaves = transmitterAt(source, edge.source_transmitter_key);
  const arrives = receiverAt(destination, edge.destination_receiver_key);
  const transmitter = source?.attributes[leaves];
  const receiver = destination?.attributes[arrives];
  const fromCode = source?.isCode === true;

  mark(destination, arrives, fromCode ? marks.connected | marks.decided : marks.connected);
  if (fromCode) mark(source, leaves, marks.connected);

  const is_field = transmitter ? isFieldOf(transmitter.direction) : edge.is_field;
  const old = edge.edge_text;
  const edge_text = fromCode
    ? { transmitter: transmitter?.edge_text ?? old.transmitter, reciever: receiver?.edge_text ?? old.reciever }
    : old;
  const isSame =
    is_field === edge.is_field && edge_text.transmitter === old.transmitter && edge_text.reciever === old.reciever;
  return isSame ? edge : { ...edge, is_field, edge_text };
}

function isFieldOf(direction: string): 0 | 1 {
  return direction.endsWith("_FIELD") ? 1 : 0;
}

/** The node with its marks applied. Returns the same object when nothing changes, so that it is not drawn again. */
function settle<N extends Resolvable>(node: N, place: Place | undefined): N {
  if (!place) return node;
  let isSame = true;
  const attributes = node.api.attributes.map((attribute, at) => {
    const is_connected = isMarked(place, at, marks.connected);
    const control = isMarked(place, at, marks.decided) ? null : attribute.control;
    if (is_connected === attribute.is_connected && control === attribute.control) return attribute;
    isSame = false;
    return { ...attribute, is_connected, control };
  });
  return isSame ? node : { ...node, api: { ...node.api, attributes } };
}
