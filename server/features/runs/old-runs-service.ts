import type { Db } from "../../platform/database/database.ts";
import type { RunSettings } from "../../platform/settings/run-settings.ts";
import { removeForgotten } from "../tracking/old-tracked-runs-queries.ts";
import { createOldRunQueries } from "./old-runs-queries.ts";

/** Removes runs after their time, and outputs for which a project has no more room. */
export function createOldRuns(db: Db, { days, outputBytes }: RunSettings) {
  const queries = createOldRunQueries(db);

  async function* trim(projectId: string): AsyncGenerator<void> {
    for (;;) {
      const excess = await queries.findExcess(projectId, outputBytes);
      if (excess.length === 0) return;
      for (const run of excess) await queries.removeOutputs(run);
      yield;
    }
  }

  return {
    /** A chore. */
    async *remove(): AsyncGenerator<void> {
      yield* queries.removeCalls(days);
      for (;;) {
        const runs = await queries.find(days);
        yield;
        if (runs.length === 0) break;
        yield* queries.removeContents(runs);
        await queries.remove(runs);
        yield;
      }
      yield* removeForgotten(db, days);
    },

    /** A chore: outputs of the oldest runs, in every project that has too many. */
    async *trimAll(): AsyncGenerator<void> {
      for (const projectId of await queries.findCrowded(outputBytes)) {
        yield;
        yield* trim(projectId);
      }
    },

    /** After a run: an hour of runs could fill the disk. */
    async trimNow(projectId: string): Promise<void> {
      for await (const _batch of trim(projectId));
    },
  };
}
