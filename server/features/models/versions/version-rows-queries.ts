import type { RunState } from "@miranda/contract/schemas/runs.ts";
import { type RawBuilder, sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** A version with what made it. What was removed meanwhile is null. */
export interface VersionRow {
  model_id: string;
  model_name: string;
  project_id: string;
  number: number;
  description: string;
  tags: Record<string, string>;
  aliases: string[];
  stage: string;
  status: string;
  metrics: Record<string, unknown>;
  params: Record<string, string>;
  source: string;
  author: string;
  hardware: string[];
  miranda_version: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  logged_model_id: string | null;
  logged_experiment: number | null;
  tracked_run_id: string | null;
  tracked_name: string | null;
  tracked_status: string | null;
  experiment: number | null;
  experiment_name: string | null;
  run_id: string | null;
  living_run: string | null;
  run_state: RunState | null;
  run_cost: number | null;
  graph_id: string | null;
  graph_name: string | null;
  version_id: string | null;
  version_number: number | null;
  version_name: string | null;
  node_id: number | null;
  node_name: string | null;
  author_id: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
}

/** Workflows that were moved to another project are not shown: who reads the model may not read them. */
const described = sql`
  select v.model_id, models.name as model_name, models.project_id, v.number, v.description, v.tags, v.stage, v.status,
    v.metrics, v.params, v.source, v.author, v.hardware, v.miranda_version, v.created_at, v.updated_at, v.deleted_at,
    array(select alias from model_aliases where model_id = v.model_id and number = v.number order by alias collate "C")
      as aliases,
    logged.id as logged_model_id, logged.experiment as logged_experiment,
    tracked.id as tracked_run_id, tracked.name as tracked_name, tracked.status as tracked_status,
    tracked.experiment, experiments.name as experiment_name,
    coalesce(v.run_id, tracked.run_id) as run_id, runs.id as living_run, runs.state as run_state, runs.cost as run_cost,
    graphs.id as graph_id, graphs.name as graph_name,
    versions.id as version_id, versions.number as version_number, versions.name as version_name,
    coalesce(v.node_id, tracked.node_id) as node_id, coalesce(run_nodes.name, nodes.name) as node_name,
    accounts.id as author_id, accounts.username, accounts.first_name, accounts.last_name, accounts.avatar_version
  from model_versions as v join models on models.id = v.model_id
    left join logged_models as logged on logged.id = v.logged_model_id
    left join tracked_runs as tracked on tracked.id = coalesce(v.tracked_run_id, logged.run_id)
    left join experiments on experiments.project_id = tracked.project_id and experiments.number = tracked.experiment
    left join runs on runs.id = coalesce(v.run_id, tracked.run_id) and runs.project_id = models.project_id
    left join graphs on graphs.id = coalesce(v.graph_id, runs.graph_id) and graphs.project_id = models.project_id
    left join graph_versions as versions on versions.id = coalesce(v.version_id, runs.version_id)
      and versions.graph_id = graphs.id
    left join run_nodes on run_nodes.run_id = runs.id and run_nodes.node_id = coalesce(v.node_id, tracked.node_id)
    left join nodes on nodes.metadata_id = coalesce(v.node_id, tracked.node_id) and nodes.graph_id = graphs.id
    left join accounts on accounts.id = v.account_id and accounts.deleted_at is null`;

export function versionRowQueries(db: Db) {
  const read = async (rest: RawBuilder<unknown>): Promise<VersionRow[]> => {
    const { rows } = await sql<VersionRow>`${described} ${rest}`.execute(db);
    return rows;
  };

  return {
    /** The newest first. */
    list: (modelId: string, { after, limit }: { after?: number | undefined; limit: number }) =>
      read(sql`where v.model_id = ${modelId} and v.deleted_at is null and v.number < ${after ?? 2_147_483_647}
        order by v.number desc limit ${limit}`),

    some: (modelId: string, numbers: readonly number[]) =>
      read(sql`where v.model_id = ${modelId} and v.deleted_at is null and v.number = any(${numbers}::integer[])
        order by v.number`),

    /** The last value of each metric of these tracked runs, in the order in which they were first logged. */
    lastMetrics: async (runIds: readonly string[]) => {
      if (runIds.length === 0) return [];
      const { rows } = await sql<{ run_id: string; name: string; last_value: number }>`
        select run_id, name, last_value from metric_summaries where run_id = any(${runIds}::uuid[])
        order by run_id, position`.execute(db);
      return rows;
    },

    params: async (runIds: readonly string[]) => {
      if (runIds.length === 0) return [];
      const { rows } = await sql<{ run_id: string; key: string; value: string }>`
        select run_id, key, value from tracked_params where run_id = any(${runIds}::uuid[])
        order by run_id, key collate "C"`.execute(db);
      return rows;
    },

    /** How many bytes and files are in these folders. Null where there is no folder. */
    sizes: async (projectId: string, folders: readonly (string | null)[]) => {
      if (folders.every((folder) => folder === null)) return folders.map(() => ({ bytes: 0, files: 0 }));
      const { rows } = await sql<{ bytes: number; files: number }>`
        select size.bytes, size.files from unnest(${folders}::text[]) with ordinality as given(folder, place)
        left join lateral (select coalesce(sum(bytes), 0)::bigint as bytes, count(*) as files from artifacts
          where project_id = ${projectId} and path > given.folder || '/' and path < given.folder || '0') as size on true
        order by place`.execute(db);
      return rows;
    },

    count: async (modelId: string): Promise<{ versions: number; deleted: number }> => {
      const { rows } = await sql<{ versions: number; deleted: number }>`
        select count(*) filter (where deleted_at is null) as versions,
          count(*) filter (where deleted_at is not null) as deleted
        from model_versions where model_id = ${modelId}`.execute(db);
      return rows[0] ?? { versions: 0, deleted: 0 };
    },

    /** Code blocks of deployed workflows of the project that name this model. */
    deployed: async (projectId: string, text: string, most: number) => {
      const { rows } = await sql<{ id: string; title: string; graph_id: string; code: string }>`
        select distinct on (deployments.id) deployments.id, deployments.title, graphs.id as graph_id,
          substr(nodes.source_code, strpos(nodes.source_code, ${text}), 600) as code
        from deployments join graphs on graphs.id = deployments.graph_id join nodes on nodes.graph_id = graphs.id
        where graphs.project_id = ${projectId} and strpos(nodes.source_code, ${text}) > 0
        order by deployments.id, nodes.metadata_id limit ${most}`.execute(db);
      return rows;
    },
  };
}
