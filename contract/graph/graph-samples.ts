import type { Attribute, Direction } from "../schemas/attributes.ts";
import type { BroadcastData } from "../schemas/broadcasts.ts";
import type { Edge, Node } from "../schemas/nodes.ts";

// Small graphs for tests, one line each.

const sampleTime = "2026-01-01T00:00:00.000Z";

export function attribute(name: string, direction: Direction, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    kind: "any",
    direction,
    value: null,
    is_connected: false,
    control: null,
    edge_text: "",
    shown_when: null,
    ...more,
  };
}

export function node(key: number, attributes: Attribute[], nodeClass: Node["class"] = "Code_block"): Node {
  return {
    id: `node-${key}`,
    metadata_id: key,
    key,
    class: nodeClass,
    name: `Node ${key}`,
    description: "",
    order: 0,
    position: { x: 0, y: 0 },
    colour: null,
    api: { compiled: true, error: null, disabled: false, attributes },
    body: null,
    source_code: "",
    locked: false,
    git: null,
    git_branch: null,
    time_created: sampleTime,
    last_updated: sampleTime,
    last_used: null,
    status: null,
    update_policy: null,
    tags: { tags: [], user_ids: [] },
  };
}

/** `edge("1.out", "2.in")` */
export function edge(from: string, to: string, more: Partial<Edge> = {}): Edge {
  const [source = "", transmitter = ""] = from.split(".");
  const [destination = "", receiver = ""] = to.split(".");
  return {
    source_wob_key: Number(source),
    source_transmitter_key: transmitter,
    destination_wob_key: Number(destination),
    destination_receiver_key: receiver,
    is_field: 0,
    kind: "any",
    edge_text: { transmitter: "", reciever: "" },
    segments: [],
    ...more,
  };
}

export function ends(one: Edge): string {
  return `${one.source_wob_key}.${one.source_transmitter_key} ${one.destination_wob_key}.${one.destination_receiver_key}`;
}

export function nodesByKey(...nodes: Node[]): Record<string, Node> {
  return Object.fromEntries(nodes.map((one) => [one.key, one]));
}

/** Numbers from 0 to 1 that look random and are the same on every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** One valid broadcast for each channel. */
export const broadcastSamples: BroadcastData = {
  selection: { metadata_ids: [1, 2], cursor: { x: 1, y: 2 } },
  follow: { username: "ada" },
  view: {
    screen: "canvas",
    canvas: { x: 1, y: 2, width: 300, height: 200 },
    node: 1,
    line: 3,
    selected: [1],
  },
  setNodeDisabled: { metadata_id: 1, disabled: true },
  "update[attribute]": { metadata_id: 1, name: "a", value: 5 },
  "update[CODE]": { metadata_id: 1, source_code: "x" },
  "create[edge]": edge("1.out", "2.in"),
  "delete[edge]": {
    source_wob_key: 1,
    source_transmitter_key: "out",
    destination_wob_key: 2,
    destination_receiver_key: "in",
  },
  "create[wob]": node(1, [attribute("out", "TRANSMITTER")]),
  "update[wob]": { metadata_id: 1, changes: { name: "n" } },
  "delete[wob]": { metadata_id: 1 },
  "create[blueprint]": {
    nodes: { 1: node(1, []), 2: node(2, []) },
    edges: [edge("1.out", "2.in")],
    node_positions: { 1: { x: 0, y: 0 } },
    edge_segments: {},
  },
  setWaitingOnTag: { tag: 5 },
};
