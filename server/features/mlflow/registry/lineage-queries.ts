import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** How many metrics and parameters a version copies from its run. */
const copiedMax = 300;

/** Inside a transaction: what a version has to know of what made it. */
export const lineageQueries = {
  findLogged: (trx: Db, projectId: string, id: string) =>
    trx
      .selectFrom("logged_models")
      .select(["id", "run_id", "params", "tags"])
      .where("id", "=", id)
      .where("project_id", "=", projectId)
      .where("deleted_at", "is", null)
      .executeTakeFirst(),

  /** The run, and the run of a workflow that it is a part of. */
  findRun: (trx: Db, projectId: string, id: string) =>
    trx
      .selectFrom("tracked_runs")
      .leftJoin("runs", "runs.id", "tracked_runs.run_id")
      .select([
        "tracked_runs.id",
        "tracked_runs.run_id",
        "tracked_runs.node_id",
        "runs.graph_id",
        "runs.version_id",
        "runs.job_id",
        "runs.number",
      ])
      .where("tracked_runs.id", "=", id)
      .where("tracked_runs.project_id", "=", projectId)
      .executeTakeFirst(),

  /** The last values, in the order in which they were first logged. Those of the logged model count more. */
  readMetrics: async (
    trx: Db,
    runId: string | null,
    modelId: string | null,
  ): Promise<Record<string, number | null>> => {
    const { rows } = await sql<{ name: string; value: number }>`
      (select name, last_value as value from metric_summaries where run_id = ${runId} order by position limit ${copiedMax})
      union all
      (select name, value from logged_model_metrics where model_id = ${modelId} order by logged_at, step limit ${copiedMax})`.execute(
      trx,
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, Number.isFinite(value) ? value : null]));
  },

  readParams: async (trx: Db, runId: string | null): Promise<Record<string, string>> => {
    if (runId === null) return {};
    const rows = await trx
      .selectFrom("tracked_params")
      .select(["key", "value"])
      .where("run_id", "=", runId)
      .orderBy("key")
      .limit(copiedMax)
      .execute();
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  },

  /** As MLflow's server does: a logged model lists the versions that it became. */
  noteVersion: async (trx: Db, modelId: string, name: string, version: number): Promise<void> => {
    const key = "mlflow.modelVersions";
    const { rows } = await sql<{ noted: string | null }>`
      select tags ->> ${key} as noted from logged_models where id = ${modelId} for update`.execute(trx);
    const versions = JSON.stringify([...listIn(rows[0]?.noted), { name, version }].slice(-100));
    await sql`update logged_models set tags = tags || jsonb_build_object(${key}::text, ${versions}::text)
      where id = ${modelId}`.execute(trx);
  },
};

/** Clients write this tag too. */
function listIn(text: string | null | undefined): unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
