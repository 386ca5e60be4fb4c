import type { Snapshot } from "./store/content-of-rows.ts";
import type { AutomaticVersions } from "./automatic-versions.ts";

interface Run {
  accountId: string | null;
  rows: Snapshot;
}

interface Dependencies {
  automatic: Pick<AutomaticVersions, "makeOf">;
  report: (error: unknown) => void;
}

// Each waiting run holds a whole workflow in memory.
const waitingMost = 50;

/** Makes a version of what each run was given. Runs do not wait for it. */
export function createRunVersions({ automatic, report }: Dependencies) {
  const waiting = new Map<string, Run>();
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [graphId, { accountId, rows }] = next;
      waiting.delete(graphId);
      await automatic.makeOf(graphId, "run", accountId, rows).catch(report);
    }
    working = undefined;
  }

  function first(): [string, Run] | undefined {
    return waiting.entries().next().value;
  }

  return {
    /** When a workflow runs again before its version is made, only the newer one is made. */
    add(graphId: string, run: Run): void {
      if (waiting.size >= waitingMost && !waiting.has(graphId)) return;
      waiting.set(graphId, run);
      working ??= work();
    },

    /** When none is being made. */
    idle: async (): Promise<void> => working,
  };
}
