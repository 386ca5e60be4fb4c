import { setTimeout as sleep } from "node:timers/promises";

import { housekeeping as limits } from "../limits.ts";

/**
 * Work in small batches, each a transaction of its own. It yields after each batch and may be dropped there, or killed
 * anywhere: what is left is found the next time. Several servers may do it at once.
 */
export type Chore = () => AsyncGenerator<void>;

interface Dependencies {
  /** By name, for the log. */
  chores: Record<string, Chore>;
  report: (error: unknown, what: string) => void;
}

/** Does all chores, one after the other, when a server starts and every hour. Nothing waits for it. */
export function startHousekeeping({ chores, report }: Dependencies) {
  const stop = new AbortController();

  async function pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  }

  /** Rests after each batch for as long as it took, so that the database always has time for people. */
  async function finish(chore: Chore): Promise<void> {
    const batches = chore();
    while (!stop.signal.aborted) {
      const began = performance.now();
      if ((await batches.next()).done) return;
      await pause(Math.min(Math.max(performance.now() - began, limits.pauseMin), limits.pauseMax));
    }
  }

  async function keepHouse(): Promise<void> {
    while (!stop.signal.aborted) {
      for (const [name, chore] of Object.entries(chores))
        // One chore that fails must not keep the others.
        await finish(chore).catch((error: unknown) => report(error, `housekeeping failed: ${name}`));
      await pause(limits.every);
    }
  }

  const done = keepHouse();
  return {
    /** Waits for the batch that is being worked on. */
    async close(): Promise<void> {
      stop.abort();
      await done;
    },
  };
}
