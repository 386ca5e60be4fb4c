import type { Attribute, Direction } from "../../schemas/attributes.ts";
import type { Node } from "../../schemas/nodes.ts";

export type Resolvable = Pick<Node, "class" | "api">;

/** A node while the edges of its graph are followed. */
export interface Place {
  key: number;
  isCode: boolean;
  attributes: readonly Attribute[];
  /** The marks of each attribute. */
  marks: Uint8Array;
}

export const marks = {
  connected: 1,
  /** A drawn edge ends here. */
  joined: 2,
  /** A code block sets the value, so people cannot. */
  decided: 4,
} as const;

export function placeOf(key: number, node: Resolvable): Place {
  const { attributes } = node.api;
  return { key, isCode: node.class === "Code_block", attributes, marks: new Uint8Array(attributes.length) };
}

/** The index of the attribute where an edge arrives, or -1. */
export function receiverAt(place: Place | undefined, name: string): number {
  return findAt(place, name, isReceiver);
}

/**
 * The index of the attribute that an edge leaves, or -1: a transmitter, or a receiver field that passes its value on.
 */
export function transmitterAt(place: Place | undefined, name: string): number {
  const at = findAt(place, name, (direction) => !isReceiver(direction));
  return at === -1 ? findAt(place, name, (direction) => direction === "RECEIVER_FIELD") : at;
}

function isReceiver(direction: Direction): boolean {
  return direction === "RECEIVER" || direction === "RECEIVER_FIELD";
}

// A search, not an index: nodes have few attributes, and building thousands of indexes costs more than it saves.
function findAt(place: Place | undefined, name: string, fits: (direction: Direction) => boolean): number {
  return place?.attributes.findIndex((attribute) => attribute.name === name && fits(attribute.direction)) ?? -1;
}

/** Marks an attribute. Does nothing when it does not exist. */
export function mark(place: Place | undefined, attribute: number, what: number): void {
  const old = place?.marks[attribute];
  if (place && old !== undefined) place.marks[attribute] = old | what;
}

export function isMarked(place: Place, attribute: number, what: number): boolean {
  return ((place.marks[attribute] ?? 0) & what) !== 0;
}
