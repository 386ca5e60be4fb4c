import type { WorkflowState } from "@miranda/contract/processor.ts";

import { createStore } from "../../../store.ts";
import type { ProcessorStore } from "../processor-store.ts";

export interface RunTime {
  /** When the current or last run began, by this browser's clock. */
  began: number;
  /** Undefined during the run. */
  ended: number | undefined;
}

export type RunClock = ReturnType<typeof createRunClock>;

const isBusy = (state: WorkflowState | undefined) => state === "RUNNING" || state === "RESUMEREADY";

/** How long a run takes. It keeps counting when somebody switches from the canvas to the code. */
export function createRunClock(now: () => number = Date.now) {
  const { get, set, watch } = createStore<RunTime | undefined>(undefined);
  let jobId: string | undefined;
  let wasBusy = false;
  /** The time of the run before, and whether the server has the current one. */
  let before: RunTime | undefined;
  let isKnown = false;
  let hasLooked = false;

  return {
    get,
    watch,

    follow(store: Pick<ProcessorStore, "get" | "watch">): () => void {
      const look = () => {
        const { shown, job, loaded } = store.get();
        if (!loaded) return;
        if (job?.id !== jobId) {
          jobId = job?.id;
          set(undefined);
        }
        const busy = isBusy(shown);
        // Only the server knows when a run began that was under way before this page was opened.
        const since = hasLooked || !job ? now() : Math.min(now(), Date.parse(job.state_since) || now());
        if (busy && !wasBusy) {
          before = get();
          isKnown = false;
          set({ began: since, ended: undefined });
        }
        isKnown ||= isBusy(job?.workflow_state);
        // A refused run leaves the time of the run before.
        const time = get();
        if (!busy && wasBusy && time) set(isKnown ? { ...time, ended: now() } : before);
        wasBusy = busy;
        hasLooked = true;
      };
      look();
      return store.watch(look);
    },
  };
}
