import { hasOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { missing } from "./mlflow-error.ts";
import { toRunId, toUuid } from "./run-ids.ts";

const ownerOfPath = /^\d+\/(?:(?<run>[0-9a-f]{32})|models\/(?<model>m-[0-9a-f]{32}))(?:\/|$)/;

export type CallScope = ReturnType<typeof createCallScope>;

/** What calls of deployments logged is for who called, and for those who may change the workflow. */
export function createCallScope({ db }: { db: Db }) {
  async function check(reader: string, runs: readonly string[], models: readonly string[]): Promise<void> {
    const ids = runs.flatMap((run) => toUuid(toRunId(run).toLowerCase()) ?? []);
    if (await hasOthersCall(db, { runs: ids, models }, reader))
      throw missing("What a call logged is for who called and for those who may change the workflow.");
  }

  return {
    /** `path` is that of an artefact, where there is one. */
    async checkPath(reader: string, path: string | undefined): Promise<void> {
      const { run, model } = ownerOfPath.exec(path ?? "")?.groups ?? {};
      await check(reader, run === undefined ? [] : [run], model === undefined ? [] : [model]);
    },

    /** Everything that names a run, a logged model or the path of an artefact. */
    async checkInput(reader: string, input: Record<string, unknown>): Promise<void> {
      const named = (...names: string[]): string[] =>
        names.flatMap((name) => input[name]).filter((value) => typeof value === "string");
      await check(reader, named("run_id", "run_uuid", "run_ids"), named("model_id"));
      for (const path of named("path")) await this.checkPath(reader, path);
    },
  };
}
