import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { idleMemory as limits } from "../limits.ts";

interface Machine {
  /** Bytes of this process that are in memory. */
  resident(): number;
  /** The share of the time since the last call in which the event loop worked. */
  busyShare(): number;
  collect(): void;
}

/**
 * Returns memory after a load. V8 keeps what it has, as long as nobody allocates: an idle server would hold its largest
 * heap for days. A whole collection takes up to half a second, so it waits until nobody would notice.
 */
export function createIdleMemory({ resident, busyShare, collect }: Machine = thisProcess()) {
  let quietChecks = 0;
  /** What it had after the last collection. */
  let least = resident();

  return {
    check(): void {
      quietChecks = busyShare() < limits.busyShare ? quietChecks + 1 : 0;
      if (quietChecks < limits.quietChecks || resident() < least * limits.growth) return;
      quietChecks = 0;
      collect();
      least = Math.max(least, resident());
    },
  };
}

/** Returns what stops it. */
export function startIdleMemory(): () => void {
  const { check } = createIdleMemory();
  const timer = setInterval(check, limits.every);
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
      // The last resort also returns the pages that V8 keeps for the next load. An ordinary collection does not.
      collectGarbage({ type: "major", flavor: "last-resort" });
    },
  };
}

type CollectGarbage = (options: { type: "major"; flavor: "last-resort" }) => void;

/** V8's own function. The flag is set here, so that the server needs none when it is started. */
function findCollectGarbage(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const found: CollectGarbage = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return found;
}

const mallocSettings = ["MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];

/** The C library has read them. They are for this process alone: the database and node code have other needs. */
export function keepMallocSettings(): void {
  for (const name of mallocSettings) delete process.env[name];
}
