import { checkInputs } from "@miranda/contract/call-inputs/check-inputs.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import { isDeepStrictEqual } from "node:util";

import { callDispatch as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { queuedCallsQueries as queries } from "./queued-calls-queries.ts";

/**
 * Moves the calls that wait on a channel to the release that it serves now. People roll back because a release is broken:
 * what still waits must not run into it. A call whose values do not fit the form of that release keeps its own.
 */
export async function moveQueuedCalls(trx: Db, deploymentId: string, channel: Channel): Promise<void> {
  const queue = { deploymentId, channel };
  const served = await queries.served(trx, queue);
  if (!served) return;
  for (const { id: from, fields } of await queries.awaited(trx, queue)) {
    if (isDeepStrictEqual(fields, served.fields)) {
      await queries.move(trx, queue, from, served.id);
      continue;
    }
    let after: string | null = null;
    for (;;) {
      const calls = await queries.inputs(trx, queue, from, after, limits.movedAtOnce);
      const fitting = calls.filter(({ inputs }) => "inputs" in checkInputs(served.fields, inputs, "json"));
      if (fitting.length > 0) {
        const ids = fitting.map(({ id }) => id);
        await queries.move(trx, queue, from, served.id, ids);
      }
      after = calls.at(-1)?.id ?? null;
      if (calls.length < limits.movedAtOnce) break;
    }
  }
}
