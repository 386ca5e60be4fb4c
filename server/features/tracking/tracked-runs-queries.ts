import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { ensureExperimentOf } from "./experiments-queries.ts";

/** A tracked run that is locked until the transaction ends. */
export interface LockedRun {
  id: string;
  project_id: string;
  experiment: number;
  began_at: Date;
  deleted_at: Date | null;
}

/** Locks a tracked run: two clients that write to it wait for each other. */
export async function lockTracked(trx: Db, id: string): Promise<LockedRun | undefined> {
  return trx
    .selectFrom("tracked_runs")
    .select(["id", "project_id", "experiment", "began_at", "deleted_at"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Inside a transaction. Makes the tracked run of a workflow's run when it first logs something, and locks it. Undefined
 * when there is no such run.
 */
export async function ensureTracked(trx: Db, runId: string): Promise<LockedRun | undefined> {
  const known = await lockTracked(trx, runId);
  if (known) return known;
  const graph = await trx
    .selectFrom("runs")
    .innerJoin("graphs", "graphs.id", "runs.graph_id")
    .select(["graphs.id", "graphs.project_id", "graphs.name"])
    .where("runs.id", "=", runId)
    .executeTakeFirst();
  if (!graph) return undefined;
  const experiment = await ensureExperimentOf(trx, graph);
  // Times are in milliseconds here: clients know no finer ones, and points are stored by their distance from it.
  await sql`
    insert into tracked_runs (id, project_id, experiment, name, run_id, account_id, user_name, status, began_at, ended_at)
    select runs.id, ${graph.project_id}, ${experiment}, 'Run ' || runs.number, runs.id, runs.account_id,
      coalesce(accounts.username, ''), ${statusOf}, date_trunc('milliseconds', runs.began_at), runs.ended_at
    from runs left join accounts on accounts.id = runs.account_id and accounts.deleted_at is null
    where runs.id = ${runId}
    on conflict (id) do nothing`.execute(trx);
  // What a client sees of every run.
  await sql`
    insert into tracked_tags (run_id, key, value)
    select id, given.key, given.value from tracked_runs cross join lateral (values ('mlflow.runName', name),
      ('mlflow.user', user_name), ('mlflow.source.name', ${graph.name}::text), ('mlflow.source.type', 'JOB')) as given(key, value)
    where id = ${runId} on conflict do nothing`.execute(trx);
  return lockTracked(trx, runId);
}

/** The status of a tracked run, from the state of the workflow's run. */
const statusOf = sql`case when runs.ended_at is null then 'RUNNING' when runs.state = 'done' then 'FINISHED'
  when runs.state in ('failed', 'crashed') then 'FAILED' else 'KILLED' end`;
