import { housekeeping } from "../../../limits.ts";
import type { Engine } from "../../../engines/engine.ts";
import type { Billing } from "../../billing/billing-service.ts";
import type { OldJob, OldJobQueries } from "./old-jobs-queries.ts";

interface Dependencies {
  queries: OldJobQueries;
  engine: Pick<Engine, "clean">;
  billing: Pick<Billing, "keepSums">;
  sessionDays: number;
  report: (error: unknown, what: string) => void;
}

/** A chore. Folders first: a row stays when its folder cannot be removed, so that the next attempt finds it. */
export async function* removeOldJobs(deps: Dependencies): AsyncGenerator<void> {
  const { queries } = deps;
  yield* queries.removeSamples(housekeeping.sampleDays);
  let last: OldJob | undefined;
  do {
    const batch = await queries.find(deps.sessionDays, last);
    last = batch.at(-1);
    const ids = await removeFolders(deps, batch);
    yield;
    if (ids.length === 0) continue;
    yield* queries.removeContents(ids);
    await queries.remove(ids, deps.billing.keepSums);
    yield;
  } while (last);
}

/** The ids of those whose folders are gone. */
async function removeFolders({ engine, report }: Dependencies, batch: OldJob[]): Promise<string[]> {
  const removed: string[] = [];
  for (const { id } of batch) {
    try {
      await engine.clean(id);
      removed.push(id);
    } catch (error) {
      // A folder that node code made hard to remove must not keep the others.
      report(error, `removing the files of the old session ${id} failed`);
    }
  }
  return removed;
}
