import type { RunState } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { createHash } from "node:crypto";

import type { Db } from "../../../platform/database/database.ts";

export interface LineageRun {
  id: string;
  number: number;
  state: RunState;
  mode: string;
  cost: number;
  installing_seconds: number;
  python: string;
  packages: Record<string, string>;
  username: string | null;
  began_at: Date;
  ended_at: Date | null;
}

/** What a node did in a run. */
export interface LineageNodeRun {
  node_id: number;
  name: string;
  planned: boolean;
  status: string;
  seconds: number;
  result: string | null;
}

interface Dataset {
  name: string;
  digest: string;
  source_type: string;
  source: string;
  profile: string;
}

/** A version that came of something. */
export interface MadeRow {
  model_id: string;
  name: string;
  number: number;
  aliases: string[];
  metrics: Record<string, unknown>;
  created_at: Date;
}

/** What the versions came of. */
type MadeBy =
  | { trackedRunId: string }
  | { runId: string }
  | { graphId: string; versionId: string }
  | { graphId: string; nodeId: number };

export interface RepeatedRun {
  id: string;
  state: RunState;
  began_at: Date;
  number: number | null;
}

export function lineageQueries(db: Db) {
  return {
    run: async (id: string): Promise<LineageRun | undefined> => {
      const { rows } = await sql<LineageRun>`
        select runs.id, runs.number, runs.state, runs.mode, runs.cost, runs.installing_seconds, runs.python, runs.packages, accounts.username,
          runs.began_at, runs.ended_at
        from runs left join accounts on accounts.id = runs.account_id and accounts.deleted_at is null
        where runs.id = ${id}`.execute(db);
      return rows[0];
    },

    nodeRuns: async (runId: string): Promise<LineageNodeRun[]> => {
      const { rows } = await sql<LineageNodeRun>`
        select node_id, name, planned, status, seconds, result from run_nodes where run_id = ${runId}`.execute(db);
      return rows;
    },

    /** The commits that have this very code, the newest of each node before the run. */
    commits: async (codes: readonly { node: number; code: string }[], before: Date) => {
      const { rows } = await sql<{ metadata_id: number; id: string; number: number; message: string }>`
        select found.* from unnest(${codes.map(({ node }) => node)}::bigint[], ${codes.map(({ code }) => md5(code))}::text[])
          as given(node, code) cross join lateral (
            select metadata_id, id, number, message from node_commits
            where metadata_id = given.node and md5(source_code) = given.code
            order by created_at > ${before}, number desc limit 1) as found`.execute(db);
      return rows;
    },

    datasets: async (trackedRunId: string, most: number): Promise<Dataset[]> => {
      const { rows } = await sql<Dataset>`
        select name, digest, source_type, left(source, 2000) as source, left(profile, 2000) as profile
        from tracked_inputs where run_id = ${trackedRunId} order by name, digest limit ${most}`.execute(db);
      return rows;
    },

    results: async (projectId: string, keys: readonly string[]) => {
      const { rows } = await sql<{ key: string; bytes: number; created_at: Date }>`
        select key, bytes, created_at from results where project_id = ${projectId} and key = any(${keys}::text[])`.execute(
        db,
      );
      return rows;
    },

    /** The newest first. */
    made: async (by: MadeBy, projectId: string, most: number): Promise<MadeRow[]> => {
      const isMade =
        "trackedRunId" in by
          ? sql`v.tracked_run_id = ${by.trackedRunId}`
          : "runId" in by
            ? sql`(v.run_id = ${by.runId} or v.tracked_run_id in (select id from tracked_runs where run_id = ${by.runId}))`
            : "versionId" in by
              ? sql`(v.version_id = ${by.versionId} or v.run_id in (
                select id from runs where version_id = ${by.versionId} and graph_id = ${by.graphId}))`
              : sql`v.graph_id = ${by.graphId} and v.node_id = ${by.nodeId}`;
      const { rows } = await sql<MadeRow>`
        select v.model_id, models.name, v.number, v.metrics, v.created_at,
          array(select alias from model_aliases where model_id = v.model_id and number = v.number order by alias) as aliases
        from model_versions as v join models on models.id = v.model_id
        where ${isMade} and models.project_id = ${projectId} and v.deleted_at is null and models.deleted_at is null
        order by v.created_at desc, v.number desc limit ${most}`.execute(db);
      return rows;
    },

    /** Runs that repeat a run, and the version of the model that came of each. */
    repeated: async (runId: string, graphId: string, modelId: string, most: number): Promise<RepeatedRun[]> => {
      const { rows } = await sql<RepeatedRun>`
        select runs.id, runs.state, runs.began_at, (
          select max(number) from model_versions where model_id = ${modelId} and deleted_at is null
            and (run_id = runs.id or tracked_run_id = runs.id)) as number
        from runs where runs.repeats = ${runId} and runs.graph_id = ${graphId}
        order by runs.id desc limit ${most}`.execute(db);
      return rows;
    },
  };
}

/** Sent instead of the code, which may be a megabyte for each node. */
function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
