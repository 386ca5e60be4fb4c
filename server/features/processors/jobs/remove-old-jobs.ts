import type { Engine } from "../../../engines/engine.ts";
import type { JobQueries } from "./jobs-queries.ts";

// Long enough to compare charges with usage. A thousand processors write 4 GB of samples a day.
const sampleDays = 3;

interface Dependencies {
  jobs: Pick<JobQueries, "findOld" | "remove" | "removeOldSamples">;
  engine: Pick<Engine, "clean">;
  sessionDays: number;
  report: (error: unknown, what: string) => void;
}

/** Folders first: a row stays when its folder cannot be removed, so that the next attempt finds it. */
export async function removeOldJobs({ jobs, engine, sessionDays, report }: Dependencies): Promise<void> {
  await jobs.removeOldSamples(sampleDays);
  const cleaned: string[] = [];
  for (const id of await jobs.findOld(sessionDays)) {
    try {
      await engine.clean(id);
      cleaned.push(id);
    } catch (error) {
      // A folder that node code made hard to remove must not keep the others.
      report(error, `removing the files of the old session ${id} failed`);
    }
  }
  if (cleaned.length > 0) await jobs.remove(cleaned);
}
