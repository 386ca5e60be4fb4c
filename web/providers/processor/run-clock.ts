import type { WorkflowState } from "@miranda/contract/processor.ts";

import type { ProcessorStore } from "./processor-store.ts";

export interface RunTime {
  /** When the present run began, or the last one, in this browser's time. */
  began: number;
  /** When it ended; undefined while it goes on. */
  ended: number | undefined;
}

export type RunClock = ReturnType<typeof createRunClock>;

const isBusy = (state: WorkflowState | undefined) => state === "RUNNING" || state === "RESUMEREADY";

/** How long a run takes. It goes on when somebody leaves the canvas for the code. */
export function createRunClock(now: () => number = Date.now) {
  const watchers = new Set<() => void>();
  let time: RunTime | undefined;
  let jobId: string | undefined;
  let wasBusy = false;
  /** The time of the run before, and whether the server knows of the present one. */
  let before: RunTime | undefined;
  let isKnown = false;
  let hasLooked = false;

  function set(next: RunTime | undefined): void {
    time = next;
    for (const watcher of watchers) watcher();
  }

  return {
    get: () => time,
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    follow(store: Pick<ProcessorStore, "get" | "watch">): () => void {
      const look = () => {
        const { shown, job, loaded } = store.get();
        if (!loaded) return;
        if (job?.id !== jobId) {
          jobId = job?.id;
          set(undefined);
        }
        const busy = isBusy(shown);
        // Of a run that was under way before anybody looked, the server knows when it began.
        const since = hasLooked || !job ? now() : Math.min(now(), Date.parse(job.state_since) || now());
        if (busy && !wasBusy) {
          before = time;
          isKnown = false;
          set({ began: since, ended: undefined });
        }
        isKnown ||= isBusy(job?.workflow_state);
        // A run that was refused has never been.
        if (!busy && wasBusy && time) set(isKnown ? { ...time, ended: now() } : before);
        wasBusy = busy;
        hasLooked = true;
      };
      look();
      return store.watch(look);
    },
  };
}
