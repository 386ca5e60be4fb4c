import { logLevels } from "@miranda/contract/limits.ts";

import { hashToken, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { JobQueries, JobRow } from "./jobs-queries.ts";

interface Dependencies {
  jobs: JobQueries;
  /** How long a launch is retried. */
  engineAwaySeconds: number;
  appendLine: (trx: Db, job: JobRow, tag: number, text: string) => Promise<() => void>;
  announceById: (id: string) => Promise<void>;
  finishStopped: (id: string) => Promise<unknown>;
  begin: (job: JobRow, token: string, again: Retry) => void;
}

/** A retried launch, because the engine did not answer. */
export interface Retry {
  /** Whether this is the last try. */
  isLast: boolean;
}

/**
 * What happens to a launch when its engine (Docker, a Swarm) does not answer: it waits and is retried. `watch-jobs.ts` asks
 * the engine again every second, and gives up after `engineAwaySeconds`.
 */
export function createEngineAway(deps: Dependencies) {
  const { jobs } = deps;
  return {
    /** The session waits as QUEUED for a retry, and that is logged once. */
    async postpone({ id }: JobRow, reason: string): Promise<void> {
      const publishLine = await jobs.inTransaction(async (trx) => {
        const job = await jobs.transition(id, "QUEUED", { from: ["STARTING"] }, trx);
        if (!job || job.engine_away_since !== null) return () => undefined;
        // The database's clock, like all ages.
        await jobs.update(id, { engine_away_since: job.state_at }, trx);
        const words = `Waiting: ${reason} Trying again for ${deps.engineAwaySeconds} s.`;
        return deps.appendLine(trx, job, logLevels.INFO, words);
      });
      publishLine();
      await deps.announceById(id);
      // It may have been stopped while it was launched.
      await deps.finishStopped(id);
    },

    /** Launches a waiting session again when the engine answers. Of several servers, one does. */
    async retry(id: string, again: Retry): Promise<void> {
      const token = randomToken();
      const job = await jobs.inTransaction(async (trx) => {
        const waiting = await jobs.lockInState(trx, id, ["QUEUED"]);
        if (!waiting || waiting.engine_away_since === null) return undefined;
        await jobs.touch(id, trx);
        return jobs.transition(id, "STARTING", { token_hash: hashToken(token) }, trx);
      });
      if (job) deps.begin(job, token, again);
    },
  };
}
