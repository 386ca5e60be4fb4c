import type { Snapshot } from "./store/content-of-rows.ts";
import type { AutomaticVersions } from "./automatic-versions.ts";

interface Run {
  accountId: string | null;
  rows: Snapshot;
}

/** Runs of one revision that wait for its version. */
interface Waiting extends Run {
  times: number;
}

interface Dependencies {
  automatic: Pick<AutomaticVersions, "makeOfRuns">;
  report: (error: unknown) => void;
}

// Each waiting run holds a whole workflow in memory.
const waitingMost = 50;

/** Makes a version of what each run was given. Runs do not wait for it. */
export function createRunVersions({ automatic, report }: Dependencies) {
  const waiting = new Map<string, Waiting>();
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [graphId, { accountId, rows, times }] = next;
      waiting.delete(graphId);
      await automatic.makeOfRuns(graphId, accountId, rows, times).catch(report);
    }
    working = undefined;
  }

  function first(): [string, Waiting] | undefined {
    return waiting.entries().next().value;
  }

  return {
    /** When a workflow runs again before its version is made, only the newer one is made. */
    add(graphId: string, run: Run): void {
      if (waiting.size >= waitingMost && !waiting.has(graphId)) return;
      const before = waiting.get(graphId);
      const isSame = before?.rows.revision === run.rows.revision;
      waiting.set(graphId, { ...run, times: isSame ? before.times + 1 : 1 });
      working ??= work();
    },

    /** Resolves when no version is being made. */
    idle: async (): Promise<void> => working,
  };
}
