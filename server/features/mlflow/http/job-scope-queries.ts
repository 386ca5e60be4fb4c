import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import type { JobOfCaller } from "../../../platform/http/caller.ts";

/** Whether node code of this run of a workflow started the tracked run. */
export async function startedRun(db: Db, { runId, projectId }: JobOfCaller, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from tracked_runs where id = ${id} and run_id = ${runId} and project_id = ${projectId}`.execute(db);
  return rows.length > 0;
}

/** The same for a logged model. */
export async function loggedModel(db: Db, { runId, projectId }: JobOfCaller, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from logged_models join tracked_runs on tracked_runs.id = logged_models.run_id
    where logged_models.id = ${id} and logged_models.project_id = ${projectId} and tracked_runs.run_id = ${runId}`.execute(
    db,
  );
  return rows.length > 0;
}
