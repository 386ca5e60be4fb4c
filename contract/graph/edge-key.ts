import type { EdgeEnds } from "../schemas/nodes.ts";

/** One text per pair of ends. As JSON, because attribute names may hold any separator one could think of. */
export function edgeKey(edge: EdgeEnds): string {
  return JSON.stringify([
    edge.source_wob_key,
    edge.source_transmitter_key,
    edge.destination_wob_key,
    edge.destination_receiver_key,
  ]);
}
