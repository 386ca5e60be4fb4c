import type { QueuePosition } from "@miranda/contract/schemas/processors.ts";

import type { JobRow } from "./jobs-queries.ts";
import type { QueuePositionRow } from "./queue-position-queries.ts";

/** Why a queued session has not started. */
export function queuePositionOf(
  { waiting_reason, engine_away_since }: Pick<JobRow, "waiting_reason" | "engine_away_since">,
  found: QueuePositionRow | undefined,
  isClosed: boolean,
): QueuePosition {
  if (waiting_reason !== null) return { position: null, reason: waiting_reason };
  if (engine_away_since !== null) return { position: null, reason: "The machines cannot be reached." };
  if (!found) return { position: null, reason: "It starts in a moment." };
  const { position, own, all, own_most: mostPerAccount, all_most: most } = found;
  if (isClosed) return { position, reason: "No machine takes new sessions at the moment." };
  if (own >= mostPerAccount)
    return { position, reason: `The account that started it already has ${sessions(own)}, which is the most.` };
  if (all >= most)
    return { position, reason: `There is room for ${sessions(most)}, and ${most === 1 ? "it is" : "all are"} in use.` };
  return { position, reason: "It starts in a moment." };
}

function sessions(count: number): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}
