import type { Db } from "../../../platform/database/database.ts";
import { storableJson } from "../../../platform/database/storable-json.ts";
import { createVersion, ensureModel } from "../../tracking/model-versions-queries.ts";
import { ensureTracked } from "../../tracking/tracked-runs-queries.ts";
import type { RunnerQueries } from "./agent-queries.ts";
import type { Batch } from "./reduce-events.ts";

interface Job {
  id: string;
  graph_id: string;
  account_id: string;
}

/** Models that node code logged. One of the same name in the project is the same model, trained again: a new version. */
export async function saveModels(
  trx: Db,
  queries: Pick<RunnerQueries, "findTraining">,
  job: Job,
  models: Batch["models"],
  version: string,
): Promise<void> {
  for (const model of models) {
    const training = await queries.findTraining(trx, job, model.run);
    if (!training) return;
    const { project_id, run_id, version_id, author } = training;
    if (run_id !== null) await ensureTracked(trx, run_id);
    const files = model.logged_model && run_id !== null ? await findFiles(trx, model.logged_model, run_id) : undefined;
    const authors = model.authors ?? (author === null ? [] : [author]);
    await createVersion(
      trx,
      await ensureModel(trx, project_id, model.name),
      {
        ...{ tracked_run_id: run_id, run_id, version_id, graph_id: job.graph_id, node_id: model.node },
        account_id: job.account_id,
        author: authors[0] ?? "",
        metrics: storableJson(model.metrics),
        params: storableJson(model.params ?? {}),
        // It has no source: at the end of the run, the metrics that it was given count more than those of the run.
        ...(files !== undefined && { logged_model_id: files }),
        hardware: model.hardware,
        miranda_version: version,
      },
      { authors, job_id: job.id, run: model.run, artifact: model.artifact ?? null },
    );
  }
}

/** Node code may name any: only a model of the same run is its own. */
async function findFiles(trx: Db, id: string, runId: string): Promise<string | undefined> {
  const found = await trx
    .selectFrom("logged_models")
    .innerJoin("tracked_runs", "tracked_runs.id", "logged_models.run_id")
    .select("logged_models.id")
    .where("logged_models.id", "=", id)
    .where("tracked_runs.run_id", "=", runId)
    .executeTakeFirst();
  return found?.id;
}
