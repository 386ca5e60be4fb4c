import { idleSession } from "../../../limits.ts";

import type { JobQueries } from "./jobs-queries.ts";
import type { Sessions } from "./job-lifecycle.ts";
import type { IdleQueries } from "./idle-jobs-queries.ts";

interface Dependencies {
  queries: IdleQueries;
  jobs: Pick<JobQueries, "find">;
  sessions: Pick<Sessions, "announce" | "stop">;
  /** The accounts that are present in a workflow, on any server. */
  presentIn: (graphId: string) => Promise<string[]>;
  /** 0 for never. */
  idleSeconds: number;
}

type Listed = Awaited<ReturnType<IdleQueries["unusedFor"]>>[number];

export const idleWords = (seconds: number): string => {
  const minutes = Number((seconds / 60).toFixed(2));
  return `Ended after ${minutes} ${minutes === 1 ? "minute" : "minutes"} without use.`;
};

/** Ends sessions that nobody uses, and announces it before. Called once a second. */
export function createIdleWatch({ queries, jobs, sessions, presentIn, idleSeconds }: Dependencies) {
  const announced = Math.min(idleSession.announcedBefore / 1_000, idleSeconds / 2);
  const calm = Math.min(idleSession.calmAfterStart, announced * 1_000);
  // Checking presence takes a call per session, so it is done rarely.
  const lookEvery = Math.min(30_000, Math.max(500, (idleSeconds * 1_000) / 20));
  const begun = Date.now();
  let looked = 0;

  async function announceById(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (job) sessions.announce(job);
  }

  /** Readers do not count: strangers in a public workflow would make its owner pay. */
  async function isInUse({ graph_id }: Listed): Promise<boolean> {
    const present = graph_id === null ? [] : await presentIn(graph_id);
    return graph_id !== null && present.length > 0 && queries.mayChange(graph_id, present);
  }

  async function use(id: string): Promise<void> {
    if (await queries.use(id)) await announceById(id);
  }

  async function endDue(): Promise<void> {
    // Give people time to reconnect after this server's start.
    if (Date.now() - begun < calm) return;
    for (const job of await queries.due()) {
      if (await isInUse(job)) await use(job.id);
      else
        await sessions.stop(job.id, { reason: idleWords(idleSeconds), mayStop: (trx) => queries.lockDue(trx, job.id) });
    }
  }

  return async (): Promise<void> => {
    if (idleSeconds === 0) return;
    await endDue();
    if (Date.now() - looked < lookEvery) return;
    looked = Date.now();
    for (const job of await queries.unusedFor(lookEvery / 1_000)) if (await isInUse(job)) await use(job.id);
    for (const id of await queries.announce(idleSeconds - announced, announced)) await announceById(id);
  };
}
