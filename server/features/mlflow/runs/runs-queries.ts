import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";

import type { TrackedRunsTable, TrackedStatus } from "../../../tables/tracking-tables.ts";
import type { Db } from "../../../platform/database/database.ts";

export interface Pair {
  key: string;
  value: string;
}

/** Data that a run read. */
export interface Dataset {
  name: string;
  digest: string;
  source_type: string;
  source: string;
  schema: string;
  profile: string;
  tags: Record<string, string>;
}

export type TrackedRow = Selectable<TrackedRunsTable>;

type Texts = "tracked_params" | "tracked_tags";

export const runQueries = {
  find: (db: Db, projectId: string, id: string): Promise<TrackedRow | undefined> =>
    db
      .selectFrom("tracked_runs")
      .selectAll()
      .where("id", "=", id)
      .where("project_id", "=", projectId)
      .executeTakeFirst(),

  /** Whether a workflow of the project has this run. It may have logged nothing yet. */
  isOfWorkflow: async (db: Db, projectId: string, id: string): Promise<boolean> => {
    const found = await db
      .selectFrom("runs")
      .innerJoin("graphs", "graphs.id", "runs.graph_id")
      .select("runs.id")
      .where("runs.id", "=", id)
      .where("graphs.project_id", "=", projectId)
      .executeTakeFirst();
    return found !== undefined;
  },

  insert: async (trx: Db, row: Insertable<TrackedRunsTable>): Promise<void> => {
    await trx.insertInto("tracked_runs").values(row).execute();
  },

  /** False when node code has taken it before. */
  take: async (trx: Db, id: string, experiment: number): Promise<boolean> => {
    const { numUpdatedRows } = await trx
      .updateTable("tracked_runs")
      .set({ is_taken: true, experiment })
      .where("id", "=", id)
      .where("is_taken", "=", false)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },

  /** The number of a project's runs, counted no further than this. */
  countUpTo: async (db: Db, projectId: string, most: number): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select from tracked_runs where project_id = ${projectId} limit ${most}) as counted`.execute(db);
    return rows[0]?.count ?? 0;
  },

  update: async (
    trx: Db,
    id: string,
    change: { name?: string; status?: TrackedStatus; ended_at?: Date | null; deleted_at?: Date | null },
  ): Promise<void> => {
    if (Object.keys(change).length > 0)
      await trx.updateTable("tracked_runs").set(change).where("id", "=", id).execute();
  },

  setTags: async (trx: Db, runId: string, tags: readonly Pair[]): Promise<void> => {
    await sql`insert into tracked_tags (run_id, key, value) select ${runId}, * from ${unnested(tags)}
      on conflict (run_id, key) do update set value = excluded.value`.execute(trx);
  },

  deleteTag: async (trx: Db, runId: string, key: string): Promise<boolean> => {
    const { numDeletedRows } = await trx
      .deleteFrom("tracked_tags")
      .where("run_id", "=", runId)
      .where("key", "=", key)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },

  findTag: async (trx: Db, runId: string, key: string): Promise<string | undefined> => {
    const found = await trx
      .selectFrom("tracked_tags")
      .select("value")
      .where("run_id", "=", runId)
      .where("key", "=", key)
      .executeTakeFirst();
    return found?.value;
  },

  /** Adds parameters. Those that are there already stay as they are, and are returned. */
  addParams: async (trx: Db, runId: string, params: readonly Pair[]): Promise<Pair[]> => {
    const { rows } = await sql<Pair>`
      with added as (
        insert into tracked_params (run_id, key, value) select ${runId}, * from ${unnested(params)}
        on conflict (run_id, key) do nothing returning key
      )
      select key, value from tracked_params where run_id = ${runId}
        and key = any(${params.map(({ key }) => key)}::text[]) and key not in (select key from added)`.execute(trx);
    return rows;
  },

  countTexts: async (trx: Db, table: Texts, runId: string): Promise<number> => {
    const { count } = await trx
      .selectFrom(table)
      .select(sql<number>`count(*)`.as("count"))
      .where("run_id", "=", runId)
      .executeTakeFirstOrThrow();
    return count;
  },

  addInputs: async (trx: Db, runId: string, inputs: readonly Dataset[]): Promise<void> => {
    await trx
      .insertInto("tracked_inputs")
      .values(inputs.map(({ tags, ...input }) => ({ ...input, run_id: runId, tags: JSON.stringify(tags) })))
      .onConflict((conflict) =>
        conflict
          .columns(["run_id", "name", "digest"])
          .doUpdateSet({ tags: sql<string>`tracked_inputs.tags || excluded.tags` }),
      )
      .execute();
  },

  countInputs: async (trx: Db, runId: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select (select count(*) from tracked_inputs where run_id = ${runId})
      + (select count(*) from tracked_model_inputs where run_id = ${runId})
      + (select count(*) from tracked_outputs where run_id = ${runId}) as count`.execute(trx);
    return rows[0]?.count ?? 0;
  },

  /** Those of these models that the project has. */
  knownModels: async (trx: Db, projectId: string, ids: readonly string[]): Promise<Set<string>> => {
    const { rows } = await sql<{ id: string }>`select id from logged_models
      where project_id = ${projectId} and id = any(${ids}::text[])`.execute(trx);
    return new Set(rows.map(({ id }) => id));
  },

  addModelInputs: async (trx: Db, runId: string, models: readonly string[]): Promise<void> => {
    await sql`insert into tracked_model_inputs (run_id, model_id) select ${runId}, unnest(${models}::text[])
      on conflict do nothing`.execute(trx);
  },

  addOutputs: async (trx: Db, runId: string, models: readonly { model_id: string; step: number }[]): Promise<void> => {
    await sql`insert into tracked_outputs (run_id, model_id, step)
      select ${runId}, * from unnest(${models.map(({ model_id }) => model_id)}::text[],
        ${models.map(({ step }) => step)}::bigint[]) on conflict do nothing`.execute(trx);
  },

  /** The newest value of each metric of a model. `rows` has each key once. */
  saveModelMetrics: async (trx: Db, runId: string, rows: readonly ModelMetric[]): Promise<void> => {
    const column = <Value>(read: (row: ModelMetric) => Value) => rows.map(read);
    await sql`
      insert into logged_model_metrics as known
        (run_id, model_id, name, dataset_name, dataset_digest, value, step, logged_at)
      select ${runId}, * from unnest(${column((row) => row.model_id)}::text[], ${column((row) => row.key)}::text[],
        ${column((row) => row.dataset_name)}::text[], ${column((row) => row.dataset_digest)}::text[],
        ${column((row) => row.value)}::float8[], ${column((row) => row.step)}::bigint[],
        ${column((row) => new Date(row.timestamp))}::timestamptz[])
      on conflict (model_id, run_id, name, dataset_name, dataset_digest) do update
        set value = excluded.value, step = excluded.step, logged_at = excluded.logged_at
        where (excluded.step, excluded.logged_at) >= (known.step, known.logged_at)`.execute(trx);
  },
};

/** A point of a metric that was logged for a model. */
export interface ModelMetric {
  key: string;
  value: number;
  step: number;
  timestamp: number;
  model_id: string;
  dataset_name: string;
  dataset_digest: string;
}

function unnested(pairs: readonly Pair[]): RawBuilder<unknown> {
  return sql`unnest(${pairs.map(({ key }) => key)}::text[], ${pairs.map(({ value }) => value)}::text[])`;
}
