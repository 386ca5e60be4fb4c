import type { Edge } from "../../schemas/nodes.ts";
import { isMarked, marks, receiverAt, transmitterAt, type Place } from "./places.ts";

/** An edge by the indexes of its ends. */
export interface Link {
  edge: Edge;
  from: number;
  to: number;
}

interface Source {
  edge: Edge;
  from: number;
  starts: number[];
}

/** All receiver fields of one name and kind, and the sources of some of them. */
interface Field {
  sources: Map<string, Source>;
  /** Nodes that have such a field without an edge of their own, with the field's index among the attributes. */
  free: Map<number, number>;
}

interface Found {
  edge: Edge;
  distance: number;
}

/**
 * When a field edge ends at a node's field, every node downstream that has a receiver field of the same name and kind,
 * and no edge of its own there, gets an edge from the same source. Several sources may reach one field: the nearest
 * comes first. Cycles end because each source visits a node once.
 */
export function impliedEdges(places: readonly Place[], links: readonly Link[]): Edge[] {
  const fields = collectFields(places, links);
  const found: Found[] = [];
  const walk = fields.length === 0 ? undefined : createWalk(places.length, links);
  for (const { sources, free } of fields) {
    for (const { edge, from, starts } of sources.values()) {
      walk?.(starts, (index, distance) => {
        const at = free.get(index);
        if (at !== undefined) found.push({ edge: implied(edge, places[from], places[index], at), distance });
      });
    }
  }
  return found.sort(nearestFirst).map(({ edge }) => edge);
}

/** The fields that have a source and that another node could inherit. */
function collectFields(places: readonly Place[], links: readonly Link[]): Field[] {
  const byName = new Map<string, Map<string, Field>>();
  for (const { edge, from, to } of links) {
    const name = edge.destination_receiver_key;
    const receiver = places[to]?.attributes[receiverAt(places[to], name)];
    // A broken edge, whose transmitter is gone, has nothing to pass on.
    const isFed = edge.is_field === 1 && transmitterAt(places[from], edge.source_transmitter_key) !== -1;
    if (!isFed || receiver?.direction !== "RECEIVER_FIELD") continue;
    const byKind = getOrAdd(byName, name, () => new Map<string, Field>());
    const field = getOrAdd(byKind, receiver.kind, (): Field => ({ sources: new Map(), free: new Map() }));
    const source = `${from} ${edge.source_transmitter_key}`;
    getOrAdd(field.sources, source, (): Source => ({ edge, from, starts: [] })).starts.push(to);
  }
  places.forEach((place, index) => {
    place.attributes.forEach(({ name, kind, direction }, at) => {
      if (direction !== "RECEIVER_FIELD" || isMarked(place, at, marks.joined)) return;
      const field = byName.get(name)?.get(kind);
      // Of two attributes with the same name, edges connect to the first only.
      if (field && receiverAt(place, name) === at) field.free.set(index, at);
    });
  });
  const all = [...byName.values()].flatMap((byKind) => Array.from(byKind.values()));
  return all.filter(({ free }) => free.size > 0);
}

/** A breadth-first walk that runs many times: its arrays are allocated once. */
function createWalk(size: number, links: readonly Link[]) {
  const offsets = new Int32Array(size + 1);
  for (const { from } of links) offsets[from + 1] = (offsets[from + 1] ?? 0) + 1;
  for (let at = 1; at <= size; at += 1) offsets[at] = (offsets[at] ?? 0) + (offsets[at - 1] ?? 0);
  const filled = offsets.slice();
  const targets = new Int32Array(links.length);
  for (const { from, to } of links) {
    const at = filled[from] ?? 0;
    targets[at] = to;
    filled[from] = at + 1;
  }
  const seen = new Int32Array(size);
  const distances = new Int32Array(size);
  const queue = new Int32Array(size);
  let round = 0;

  return (starts: readonly number[], visit: (index: number, distance: number) => void): void => {
    round += 1;
    let length = 0;
    const enter = (index: number, distance: number): void => {
      if (seen[index] === round) return;
      seen[index] = round;
      distances[index] = distance;
      queue[length] = index;
      length += 1;
    };
    for (const start of starts) enter(start, 0);
    for (let next = 0; next < length; next += 1) {
      const index = queue[next] ?? 0;
      const distance = distances[index] ?? 0;
      visit(index, distance);
      const end = offsets[index + 1] ?? 0;
      for (let at = offsets[index] ?? 0; at < end; at += 1) enter(targets[at] ?? 0, distance + 1);
    }
  };
}

function implied(edge: Edge, source: Place | undefined, destination: Place | undefined, at: number): Edge {
  const transmitter = source?.attributes[transmitterAt(source, edge.source_transmitter_key)];
  const receiver = destination?.attributes[at];
  return {
    source_wob_key: edge.source_wob_key,
    source_transmitter_key: edge.source_transmitter_key,
    destination_wob_key: destination?.key ?? edge.destination_wob_key,
    destination_receiver_key: edge.destination_receiver_key,
    is_field: 1,
    kind: receiver?.kind ?? edge.kind,
    edge_text: { transmitter: transmitter?.edge_text ?? "", reciever: receiver?.edge_text ?? "" },
    segments: [],
    implied: true,
  };
}

// Compares by every property, so that the order of the given edges makes no difference.
function nearestFirst(one: Found, other: Found): number {
  const [a, b] = [one.edge, other.edge];
  return (
    a.destination_wob_key - b.destination_wob_key ||
    compare(a.destination_receiver_key, b.destination_receiver_key) ||
    one.distance - other.distance ||
    a.source_wob_key - b.source_wob_key ||
    compare(a.source_transmitter_key, b.source_transmitter_key)
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
