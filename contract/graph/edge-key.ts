import type { EdgeEnds } from "../schemas/nodes.ts";

/** One key per pair of ends. JSON, because an attribute name may contain any separator. */
export function edgeKey(edge: EdgeEnds): string {
  return JSON.stringify([
    edge.source_wob_key,
    edge.source_transmitter_key,
    edge.destination_wob_key,
    edge.destination_receiver_key,
  ]);
}
