import type { RunState } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";

import { isOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";

/** A run that is compared: one of a workflow, a tracked one, or both. */
export interface ComparedRun {
  id: string;
  project_id: string;
  tracked_run_id: string | null;
  tracked_name: string | null;
  tracked_status: string | null;
  run_id: string | null;
  run_number: number | null;
  graph_id: string | null;
  graph_name: string | null;
  version_id: string | null;
  author: string | null;
  began_at: Date;
}

/** What is known of the run of a workflow that made an item. */
export interface RunFacts {
  id: string;
  state: RunState;
  cost: number;
  python: string;
  packages: Record<string, string>;
  began_at: Date;
  ended_at: Date | null;
}

export interface MetricSummary {
  run_id: string;
  name: string;
  last_value: number;
  last_step: number;
  min_value: number | null;
  min_step: number | null;
  max_value: number | null;
  max_step: number | null;
}

interface MetricAtStep {
  run_id: string;
  name: string;
  step: number;
  value: number;
}

interface ExperimentRow {
  number: number;
  name: string;
  graph_id: string | null;
  runs: number;
  last_run: Date | null;
}

/** A tracked run of an experiment. */
export interface PlotRow {
  id: string;
  name: string;
  status: string;
  run_id: string | null;
  living_run: string | null;
  began_at: Date;
  ended_at: Date | null;
}

export function compareQueries(db: Db) {
  return {
    /** By the id of the tracked run or of the workflow's run. */
    run: async (id: string): Promise<ComparedRun | undefined> => {
      const { rows } = await sql<ComparedRun>`
        select ${id}::uuid as id, coalesce(tracked.project_id, graphs.project_id) as project_id,
          tracked.id as tracked_run_id, tracked.name as tracked_name, tracked.status as tracked_status,
          runs.id as run_id, runs.number as run_number, graphs.id as graph_id, graphs.name as graph_name,
          runs.version_id, coalesce(nullif(trim(concat(accounts.first_name, ' ', accounts.last_name)), ''), accounts.username,
            tracked.user_name) as author,
          coalesce(runs.began_at, tracked.began_at) as began_at
        from (select ${id}::uuid as id) as given
          left join tracked_runs as tracked on tracked.id = given.id and tracked.deleted_at is null
          left join runs on runs.id = coalesce(tracked.run_id, given.id)
          left join graphs on graphs.id = runs.graph_id
          left join accounts on accounts.id = coalesce(runs.account_id, tracked.account_id) and accounts.deleted_at is null
        where (tracked.id is not null or graphs.id is not null)
          and (tracked.id is null or graphs.id is null or graphs.project_id = tracked.project_id)`.execute(db);
      return rows[0];
    },

    runFacts: async (ids: readonly string[]): Promise<RunFacts[]> => {
      if (ids.length === 0) return [];
      const { rows } = await sql<RunFacts>`
        select id, state, cost, python, packages, began_at, ended_at from runs where id = any(${ids}::uuid[])`.execute(
        db,
      );
      return rows;
    },

    summaries: async (runIds: readonly string[]): Promise<MetricSummary[]> => {
      if (runIds.length === 0) return [];
      const { rows } = await sql<MetricSummary>`
        select run_id, name, last_value, last_step, min_value, min_step, max_value, max_step
        from metric_summaries where run_id = any(${runIds}::uuid[]) order by run_id, position`.execute(db);
      return rows;
    },

    /** Those of the tracked runs that have ended. */
    ended: async (runIds: readonly string[]): Promise<string[]> => {
      if (runIds.length === 0) return [];
      const { rows } = await sql<{ id: string }>`
        select id from tracked_runs where id = any(${runIds}::uuid[]) and ended_at is not null`.execute(db);
      return rows.map(({ id }) => id);
    },

    /** The last point of each metric at or before a step. Rows are in the order of steps, but for a few. */
    atStep: async (runIds: readonly string[], step: number): Promise<MetricAtStep[]> => {
      if (runIds.length === 0) return [];
      const { rows } = await sql<MetricAtStep>`
        select summary.run_id, summary.name, point.step, point.value
        from metric_summaries as summary
          cross join lateral (select steps, values from run_metrics
            where run_metrics.run_id = summary.run_id and run_metrics.name = summary.name and first_step <= ${step}
            order by first_step desc, number desc limit 3) as row
          cross join lateral (select given.step, given.value, given.place
            from unnest(row.steps, row.values) with ordinality as given(step, value, place)
            where given.step <= ${step} order by given.step desc, given.place desc limit 1) as point
        where summary.run_id = any(${runIds}::uuid[])
        order by summary.run_id, summary.position, point.step`.execute(db);
      return rows;
    },

    /** From the lowest to the highest step of all metrics. */
    steps: async (runIds: readonly string[]): Promise<{ from: number | null; to: number | null }> => {
      const { rows } = await sql<{ from: number | null; to: number | null }>`
        select min(first_step) as from, max(last_step) as to from run_metrics where run_id = any(${runIds}::uuid[])`.execute(
        db,
      );
      return rows[0] ?? { from: null, to: null };
    },

    experiments: async (projectId: string, most: number): Promise<ExperimentRow[]> => {
      const { rows } = await sql<ExperimentRow>`
        select number, name, graph_id, counted.runs, counted.last_run from experiments cross join lateral (
          select count(*) as runs, max(began_at) as last_run from tracked_runs
          where project_id = experiments.project_id and experiment = experiments.number and deleted_at is null) as counted
        where project_id = ${projectId} and deleted_at is null
        order by counted.last_run desc nulls last, number limit ${most}`.execute(db);
      return rows;
    },

    hasExperiment: async (projectId: string, number: number): Promise<boolean> => {
      const { rows } = await sql`select from experiments
        where project_id = ${projectId} and number = ${number} and deleted_at is null`.execute(db);
      return rows.length > 0;
    },

    /** The newest runs of an experiment, or one of them. Without the calls of others for a reader. */
    plotted: async (
      { projectId, experiment, reader }: { projectId: string; experiment: number; reader: string | undefined },
      most: number,
      only?: string,
    ): Promise<PlotRow[]> => {
      const ofOthers = reader === undefined ? sql`` : sql`and not ${isOthersCall(sql.ref("tracked.run_id"), reader)}`;
      const { rows } = await sql<PlotRow>`
        select tracked.id, tracked.name, tracked.status, tracked.run_id, runs.id as living_run, tracked.began_at,
          tracked.ended_at
        from tracked_runs as tracked left join runs on runs.id = tracked.run_id and runs.project_id = tracked.project_id
        where tracked.project_id = ${projectId} and tracked.experiment = ${experiment} and tracked.deleted_at is null
          and (${only ?? null}::uuid is null or tracked.id = ${only ?? null}::uuid) ${ofOthers}
        order by tracked.began_at desc, tracked.id desc limit ${most}`.execute(db);
      return rows;
    },
  };
}
