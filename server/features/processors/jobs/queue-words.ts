import type { QueuePlace } from "@miranda/contract/schemas/processors.ts";

import type { JobRow, Limits } from "./jobs-queries.ts";
import type { QueuePlaceRow } from "./queue-place-queries.ts";

/** Why a queued session has not started. */
export function queuePlaceOf(
  { waiting_reason, engine_away_since }: Pick<JobRow, "waiting_reason" | "engine_away_since">,
  place: QueuePlaceRow | undefined,
  { most, mostPerAccount }: Limits,
): QueuePlace {
  if (waiting_reason !== null) return { position: null, reason: waiting_reason };
  if (engine_away_since !== null) return { position: null, reason: "The machines cannot be reached." };
  if (!place) return { position: null, reason: "It starts in a moment." };
  const { position, own, all } = place;
  if (own >= mostPerAccount)
    return { position, reason: `The account that started it already has ${sessions(own)}, which is the most.` };
  if (all >= most) return { position, reason: `There is room for ${sessions(most)}, and all are in use.` };
  return { position, reason: "It starts in a moment." };
}

function sessions(count: number): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}
