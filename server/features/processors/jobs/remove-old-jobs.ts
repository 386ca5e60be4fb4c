import type { Engine } from "../../../engines/engine.ts";
import type { JobQueries } from "./jobs-queries.ts";

// Long enough to compare what was charged with what was used; a thousand processors write 4 GB of them a day.
const sampleDays = 3;

interface Dependencies {
  jobs: Pick<JobQueries, "findOld" | "remove" | "removeOldSamples">;
  engine: Pick<Engine, "clean">;
  sessionDays: number;
  report: (error: unknown, what: string) => void;
}

/** Folders first: the row of one that cannot be removed stays, and is what the next attempt goes by. */
export async function removeOldJobs({ jobs, engine, sessionDays, report }: Dependencies): Promise<void> {
  await jobs.removeOldSamples(sampleDays);
  const cleaned: string[] = [];
  for (const id of await jobs.findOld(sessionDays)) {
    try {
      await engine.clean(id);
      cleaned.push(id);
    } catch (error) {
      // One folder that node code made hard to remove must not keep the others'.
      report(error, `removing the files of the old session ${id} failed`);
    }
  }
  if (cleaned.length > 0) await jobs.remove(cleaned);
}
