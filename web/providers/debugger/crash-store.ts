import type { RunException } from "@miranda/contract/schemas/runs.ts";

import { createStore } from "../../store.ts";
import type { ValueOf } from "../../ui/code-editor/value-hover.ts";
import { knownValue } from "./known-value.ts";

/** An exception of a run that somebody is fixing. */
export interface OpenCrash {
  runId: string;
  exception: RunException;
  /** The frame whose variables are shown, counted from the innermost. */
  frame: number;
}

export type CrashStore = ReturnType<typeof createCrashStore>;

/** The crash whose values are shown beside the code, until the person closes it. */
export function createCrashStore() {
  const { get, set, watch } = createStore<OpenCrash | undefined>(undefined);
  return {
    get,
    watch,
    open: (runId: string, exception: RunException) => set({ runId, exception, frame: firstOwnFrame(exception) }),
    chooseFrame(frame: number): void {
      const open = get();
      if (open) set({ ...open, frame });
    },
    close: () => set(undefined),

    /** The values of a node's variables at the crash. */
    valuesOf(metadataId: number): ValueOf {
      return (names) => {
        const open = get();
        // In other frames of the same node if the chosen one does not have it: people read the whole function.
        const frames = open ? [open.exception.frames[open.frame], ...open.exception.frames] : [];
        for (const frame of frames) {
          const value = frame?.node === metadataId ? knownValue(frame.locals, names) : undefined;
          if (value !== undefined) return value;
        }
        return undefined;
      };
    },
  };
}

/** The line of the node that called a library explains more than the line of the library. */
export function firstOwnFrame({ frames }: Pick<RunException, "frames">): number {
  return Math.max(
    0,
    frames.findIndex(({ node }) => node !== null),
  );
}
