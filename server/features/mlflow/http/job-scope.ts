import type { Db } from "../../../platform/database/database.ts";
import type { JobOfCaller } from "../../../platform/http/caller.ts";
import type { Right } from "../../projects/projects-service.ts";
import { ensureTracked } from "../../tracking/tracked-runs-queries.ts";
import { loggedModel, startedRun } from "./job-scope-queries.ts";
import { MlflowError, missing } from "./mlflow-error.ts";
import { toUuid } from "./run-ids.ts";

/** What people do themselves: node code must not remove what others made. */
const forPeople =
  /\/(experiments\/(delete|restore|update)|registered-models\/(delete|rename)|model-versions\/delete|runs\/(delete|restore))$/;
const ownRuns = /\/(runs|logged-models)(\/|$)/;
const artifactPlace = /^\d+\/(?:(?<run>[0-9a-f]{32})|models\/(?<model>m-[0-9a-f]{32}))\/artifacts\//;

/** Clients know the answer by these words. */
const noParts = "Multipart upload is not supported for the current artifact repository";

const refused = (words: string) => new MlflowError("PERMISSION_DENIED", words);
const notOwn = () => refused("Node code can change only the runs and models of its own run.");

export type JobScope = ReturnType<typeof createJobScope>;

/** What node code may do: read its project, and write to the run that its session carries out now. */
export function createJobScope({ db }: { db: Db }) {
  async function requireRun(job: JobOfCaller, given: string): Promise<void> {
    const id = toUuid(given);
    if (id === undefined || job.runId === null) throw notOwn();
    if (id === job.runId) {
      // It is a tracked run from its first call on.
      await db.transaction().execute((trx) => ensureTracked(trx, id));
      return;
    }
    if (!(await startedRun(db, job, id))) throw notOwn();
  }

  async function requireModel(job: JobOfCaller, id: string): Promise<void> {
    if (!(await loggedModel(db, job, id))) throw notOwn();
  }

  return {
    /** Before the body is read. `path` is the artefact's, where there is one. */
    async checkCall(job: JobOfCaller, projectId: string, right: Right, url: string, path: string | undefined) {
      if (job.projectId !== projectId) throw missing("There is no such project, or you may not read it.");
      if (right === "read") return;
      // Node code reaches us through its agent, and nobody at the addresses of parts. Its client then sends the whole file.
      if (url.includes("/mpu/")) throw new MlflowError("NOT_IMPLEMENTED", noParts);
      if (job.runId === null) throw refused("The run of this node code has ended.");
      if (forPeople.test(url)) throw refused("Node code cannot do this. A person can, with an access token.");
      if (path === undefined) return;
      const { run, model } = artifactPlace.exec(path)?.groups ?? {};
      if (run !== undefined) await requireRun(job, run);
      else if (model !== undefined) await requireModel(job, model);
      else throw notOwn();
    },

    /** What the body names: its run, or its logged model. */
    async checkInput(job: JobOfCaller, right: Right, url: string, input: Record<string, unknown>): Promise<void> {
      const text = (name: string): string | undefined => {
        const value = input[name];
        return typeof value === "string" && value !== "" ? value : undefined;
      };
      if (!ownRuns.test(url)) return;
      // All of them: a call reads one of these names, and must not be let in by another.
      const runs = ["run_id", "run_uuid", "source_run_id"].flatMap((name) => text(name) ?? []);
      if (right === "read") {
        // Its own run is there for it to read, before it has logged anything.
        for (const run of runs) if (toUuid(run) === job.runId) await requireRun(job, run);
        return;
      }
      for (const run of runs) await requireRun(job, run);
      const model = text("model_id");
      if (model !== undefined && !url.endsWith("/runs/outputs")) await requireModel(job, model);
    },
  };
}
