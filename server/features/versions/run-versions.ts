import type { Snapshot } from "./store/content-of-rows.ts";
import type { AutomaticVersions } from "./automatic-versions.ts";

interface Run {
  id: string;
  accountId: string | null;
  rows: Snapshot;
}

/** Runs of one revision that wait for its version. */
interface Waiting {
  graphId: string;
  accountId: string | null;
  rows: Snapshot;
  runIds: string[];
}

interface Unversioned {
  id: string;
  graph_id: string;
  account_id: string | null;
  graph_revision: number;
}

interface Dependencies {
  automatic: Pick<AutomaticVersions, "makeOfRuns" | "makeOfEarlierRun">;
  /** Runs whose version was not made: their server was killed just then. */
  listUnversioned: () => Promise<Unversioned[]>;
  /** Remembers which version runs were given. */
  link: (runIds: readonly string[], versionId: string, revision: number) => Promise<void>;
  report: (error: unknown) => void;
}

// Each waiting revision holds a whole workflow in memory.
const waitingMost = 50;

/** Makes a version of what each run was given. A run waits for it only when very many versions are still to be made. */
export function createRunVersions({ automatic, listUnversioned, link, report }: Dependencies) {
  const waiting = new Map<string, Waiting>();
  let working: Promise<void> | undefined;
  let making: Promise<void> = Promise.resolve();

  async function make({ graphId, accountId, rows, runIds }: Waiting): Promise<void> {
    const versionId = await automatic.makeOfRuns(graphId, accountId, rows, runIds.length);
    if (versionId !== undefined) await link(runIds, versionId, rows.revision);
  }

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [key, runs] = next;
      waiting.delete(key);
      making = make(runs).catch(report);
      await making;
    }
    working = undefined;
  }

  function first(): [string, Waiting] | undefined {
    return waiting.entries().next().value;
  }

  return {
    /** Until another revision may wait. Otherwise a flood of runs would fill the memory, or runs would lose their version. */
    async room(): Promise<void> {
      while (waiting.size >= waitingMost) await making;
    },

    /** Runs of the same revision share their version. */
    add(graphId: string, { id, accountId, rows }: Run): void {
      const key = `${graphId} ${rows.revision}`;
      const before = waiting.get(key);
      if (before) before.runIds.push(id);
      else waiting.set(key, { graphId, accountId, rows, runIds: [id] });
      working ??= work();
    },

    /** A chore: makes the versions that a killed server did not make, where the workflow is still the same. */
    async *recover(): AsyncGenerator<void> {
      for (const { id, graph_id, account_id, graph_revision } of await listUnversioned()) {
        const versionId = await automatic.makeOfEarlierRun(graph_id, account_id, graph_revision);
        if (versionId !== undefined) await link([id], versionId, graph_revision);
        yield;
      }
    },

    /** Resolves when no version is being made. */
    idle: async (): Promise<void> => working,
  };
}
