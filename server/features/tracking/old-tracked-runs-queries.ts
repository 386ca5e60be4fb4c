import { sql, type SqlBool } from "kysely";

import { runHistory as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";

/** What belongs to a tracked run by its id. */
const contents = [
  "run_metrics",
  "metric_summaries",
  "tracked_params",
  "tracked_tags",
  "tracked_inputs",
  "tracked_model_inputs",
  "tracked_outputs",
] as const;

interface Removed {
  id: string;
  project_id: string;
  experiment: number;
}

/** A version of a model leads back to its run, so both stay. */
const isFree = sql<SqlBool>`
  not exists (select from model_versions where tracked_run_id = tracked_runs.id)
  and not exists (select from model_versions join logged_models on logged_models.id = logged_model_id
    where logged_models.run_id = tracked_runs.id)`;

/** Removes what these runs of workflows logged, unless a version of a model refers to it. */
export async function* removeTracked(db: Db, runIds: readonly string[]): AsyncGenerator<void> {
  const { rows } = await sql<Removed>`select id, project_id, experiment from tracked_runs
    where run_id = any(${runIds}::uuid[]) and ${isFree}`.execute(db);
  yield* removeAll(db, rows);
}

/** A chore: tracked runs whose run of a workflow was removed with it, so many days after they began. */
export async function* removeForgotten(db: Db, days: number): AsyncGenerator<void> {
  for (;;) {
    const { rows } = await sql<Removed>`select id, project_id, experiment from tracked_runs
      where run_id is not null and began_at < now() - make_interval(days => ${days}) and ended_at is not null
        and not exists (select from runs where runs.id = tracked_runs.run_id) and ${isFree}
      limit ${limits.removedAtOnce}`.execute(db);
    yield;
    if (rows.length === 0) return;
    yield* removeAll(db, rows);
  }
}

/** A chore: runs, logged models and experiments that a client deleted so many days ago. */
export async function* removeTrashed(db: Db, days: number): AsyncGenerator<void> {
  const isOld = sql<SqlBool>`deleted_at < now() - make_interval(days => ${days})`;
  for (;;) {
    const { rows } = await sql<Removed>`select id, project_id, experiment from tracked_runs
      where ${isOld} and ${isFree} limit ${limits.removedAtOnce}`.execute(db);
    yield;
    if (rows.length === 0) break;
    yield* removeAll(db, rows);
  }
  // Their files lose their paths with them.
  await sql`delete from logged_models where ${isOld}
    and not exists (select from model_versions where logged_model_id = logged_models.id)`.execute(db);
  yield;
  await sql`delete from experiments where ${isOld} and number <> 0
    and not exists (select from tracked_runs where tracked_runs.project_id = experiments.project_id
      and tracked_runs.experiment = experiments.number)
    and not exists (select from logged_models where logged_models.project_id = experiments.project_id
      and logged_models.experiment = experiments.number)`.execute(db);
  yield;
}

async function* removeAll(db: Db, runs: readonly Removed[]): AsyncGenerator<void> {
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => id);
  for (const table of contents) yield* deleteInBatches(db, table, sql<SqlBool>`run_id = any(${ids}::uuid[])`);
  // The files of a run and of its models lose their paths. Housekeeping removes what no path names.
  await sql`
    with models as (
      delete from logged_models where run_id = any(${ids}::uuid[]) returning project_id, experiment || '/models/' || id as path
    ), places as (
      select project_id, path || '/' as path from models
      union all select project_id, experiment || '/' || replace(id::text, '-', '') || '/' from tracked_runs
        where id = any(${ids}::uuid[])
    )
    delete from artifacts using places where artifacts.project_id = places.project_id
      and artifacts.path >= places.path and artifacts.path < places.path || chr(1114111)`.execute(db);
  await db
    .deleteFrom("tracked_runs")
    .where("id", "=", sql<string>`any(${ids})`)
    .execute();
  yield;
}
