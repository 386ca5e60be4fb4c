import { setTimeout as sleep } from "node:timers/promises";

import { safely } from "./errors/safely.ts";

/** Does one small batch. `more`: call it again now. `waiting`: call it again soon. */
export type Batch = () => Promise<"more" | "waiting" | "done">;

export type BackgroundWork = ReturnType<typeof createBackgroundWork>;

// Another server may have died with work left.
const lookEvery = 60_000;
const waitFor = 1_000;
const longestPause = 1_000;

/** Works through what the database says is left to do. A killed server's work is done by the next one. */
export function createBackgroundWork(report: (error: unknown) => void) {
  const batches: Batch[] = [];
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let isWoken = false;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  async function workThrough(batch: Batch): Promise<boolean> {
    while (!ending.signal.aborted) {
      const began = performance.now();
      const left = await batch();
      if (left !== "more") return left === "waiting";
      // A pause as long as the batch took leaves the database to people half of the time.
      const pause = Math.min(performance.now() - began, longestPause);
      await sleep(pause, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    return false;
  }

  async function workThroughAll(): Promise<void> {
    let isWaiting = false;
    do {
      isWoken = false;
      isWaiting = false;
      for (const batch of batches) {
        const waits = await workThrough(batch).catch((error: unknown) => {
          report(error);
          return false;
        });
        isWaiting ||= waits;
      }
    } while (isWoken && !ending.signal.aborted);
    look(isWaiting ? waitFor : lookEvery);
  }

  function look(delay: number): void {
    clearTimeout(timer);
    if (!ending.signal.aborted) timer = setTimeout(safely(wake), delay).unref();
  }

  function wake(): void {
    isWoken = true;
    if (!isStarted || ending.signal.aborted) return;
    running ??= workThroughAll().finally(() => (running = undefined));
  }

  return {
    add: (batch: Batch): void => void batches.push(batch),
    /** There is something to do. */
    wake,

    start(): void {
      isStarted = true;
      wake();
    },

    async close(): Promise<void> {
      ending.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
