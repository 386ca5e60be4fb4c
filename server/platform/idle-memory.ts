import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { idleMemory as limits } from "../limits.ts";
import { safely } from "./errors/safely.ts";

interface Machine {
  /** Bytes of this process that are in memory. */
  resident(): number;
  /** The share of the time since the last call in which the event loop worked. */
  busyShare(): number;
  collect(): void;
}

/**
 * Gives memory back after a load. V8 frees nothing while the program allocates nothing: an idle server would hold its
 * largest heap for days. A full collection takes up to half a second, so it waits until the server is quiet.
 */
export function createIdleMemory({ resident, busyShare, collect }: Machine = thisProcess()) {
  let quietChecks = 0;
  /** The most memory it had at the start or after a collection. */
  let baseline = resident();

  return {
    check(): void {
      quietChecks = busyShare() < limits.busyShare ? quietChecks + 1 : 0;
      if (quietChecks < limits.quietChecks || resident() < baseline * limits.growth) return;
      quietChecks = 0;
      collect();
      baseline = Math.max(baseline, resident());
    },
  };
}

/** Returns a function that stops it. */
export function startIdleMemory(): () => void {
  const { check } = createIdleMemory();
  const timer = setInterval(safely(check), limits.every);
  timer.unref();
  return () => clearInterval(timer);
}

function thisProcess(): Machine {
  const collectGarbage = findCollectGarbage();
  let last = performance.eventLoopUtilization();
  return {
    resident: () => process.memoryUsage.rss(),
    busyShare() {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      return utilization;
    },
    collect() {
      // "last-resort" also frees the pages that V8 keeps for the next load. An ordinary collection does not.
      collectGarbage({ type: "major", flavor: "last-resort" });
    },
  };
}

type CollectGarbage = (options: { type: "major"; flavor: "last-resort" }) => void;

/** V8's own function. The flag is set here, so that nobody has to start the server with it. */
function findCollectGarbage(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const found: CollectGarbage = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return found;
}

const mallocSettings = ["MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];

/** Removes them after the C library has read them: the database and node code must not inherit them. */
export function removeMallocSettings(): void {
  for (const name of mallocSettings) delete process.env[name];
}
