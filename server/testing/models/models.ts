import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { ensureDefaultExperiment } from "../../features/tracking/experiments-queries.ts";
import { writeMetrics } from "../../features/tracking/metrics-service.ts";
import { createVersion, ensureModel } from "../../features/tracking/model-versions-queries.ts";

interface GivenVersion {
  metrics?: Record<string, unknown>;
  params?: Record<string, string>;
  accountId?: string;
  author?: string;
  /** Points of metrics that its tracked run logged. */
  series?: Record<string, number[]>;
  /** The run, workflow and node that made it. */
  runId?: string;
  graphId?: string;
  nodeId?: number;
  versionId?: string;
  loggedModel?: boolean;
  source?: string;
}

export interface AddedVersion {
  modelId: string;
  number: number;
  trackedRunId: string;
  loggedModelId: string | null;
}

const began = new Date("2026-05-01T10:00:00Z");

/** A tracked run of the default experiment, as a client makes it. */
export async function addTrackedRun(
  db: Db,
  projectId: string,
  { series = {}, params = {}, runId, nodeId, name = "calm-crow-1" }: GivenVersion & { name?: string } = {},
): Promise<string> {
  const id = runId ?? newId();
  await ensureDefaultExperiment(db, projectId);
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto("tracked_runs")
      .values({
        ...{ id, project_id: projectId, experiment: 0, name, run_id: runId ?? null, node_id: nodeId ?? null },
        ...{ account_id: null, status: "FINISHED", began_at: began, ended_at: new Date(began.getTime() + 90_000) },
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const points = Object.entries(series).map(([metric, values]) => ({
      name: metric,
      node: null,
      steps: values.map((_value, at) => at),
      values,
      times: values.map((_value, at) => at / 10),
    }));
    await writeMetrics(trx, { id, began_at: began }, points, { lines: 1_000, points: 1_000_000 });
    if (Object.keys(params).length > 0)
      await trx
        .insertInto("tracked_params")
        .values(Object.entries(params).map(([key, value]) => ({ run_id: id, key, value })))
        .execute();
  });
  return id;
}

/** The next version of a model, with a tracked run of its own. */
export async function addVersion(
  db: Db,
  projectId: string,
  name: string,
  given: GivenVersion = {},
): Promise<AddedVersion> {
  const trackedRunId = await addTrackedRun(db, projectId, given);
  const loggedModelId = given.loggedModel ? `m-${newId().replaceAll("-", "")}` : null;
  if (loggedModelId !== null)
    await db
      .insertInto("logged_models")
      .values({ id: loggedModelId, project_id: projectId, experiment: 0, run_id: trackedRunId, name })
      .execute();
  return db.transaction().execute(async (trx) => {
    const modelId = await ensureModel(trx, projectId, name);
    const number = await createVersion(
      trx,
      modelId,
      {
        ...{ tracked_run_id: trackedRunId, logged_model_id: loggedModelId, account_id: given.accountId ?? null },
        ...{ run_id: given.runId ?? null, graph_id: given.graphId ?? null, node_id: given.nodeId ?? null },
        ...{ version_id: given.versionId ?? null, author: given.author ?? "", source: given.source ?? "" },
        metrics: JSON.stringify(given.metrics ?? {}),
        params: JSON.stringify(given.params ?? {}),
        hardware: ["CPU"],
        miranda_version: "0.1.0",
      },
      { authors: given.author === undefined ? [] : [given.author] },
    );
    return { modelId, number, trackedRunId, loggedModelId };
  });
}
