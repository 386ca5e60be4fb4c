import type { ErrorCode } from "../errors.ts";
import type { Attribute } from "../schemas/attributes.ts";
import type { EdgeEnds } from "../schemas/nodes.ts";
import { kindsFit } from "./attributes/kinds.ts";

export interface EdgeEnd {
  key: number;
  attributes: readonly Pick<Attribute, "name" | "kind" | "direction">[];
}

/** The reason why two attributes cannot be connected. Undefined when they can. */
export function edgeRefusal(source: EdgeEnd, target: EdgeEnd, ends: EdgeEnds): ErrorCode | undefined {
  const { source_transmitter_key: from, destination_receiver_key: to } = ends;
  if (source.key === target.key && from === to) return "edge_same_attribute";
  const transmitter = find(source, from, "TRANSMITTER");
  if (!transmitter) return has(source, from) ? "edge_not_transmitter" : "attribute_not_found";
  const receiver = find(target, to, "RECEIVER");
  if (!receiver) return has(target, to) ? "edge_not_receiver" : "attribute_not_found";
  return kindsFit(transmitter.kind, receiver.kind) ? undefined : "edge_kind_differs";
}

function find({ attributes }: EdgeEnd, name: string, direction: string) {
  return attributes.find((attribute) => attribute.name === name && attribute.direction.startsWith(direction));
}

function has({ attributes }: EdgeEnd, name: string): boolean {
  return attributes.some((attribute) => attribute.name === name);
}
