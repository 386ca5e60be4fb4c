import type { ResultReads } from "@miranda/contract/protocol/worker.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** A result that is kept, and the run that made it. */
export interface ResultRow {
  key: string;
  bytes: number;
  sha256: Buffer;
  created_at: Date;
  session_number: number | null;
  reads: ResultReads | null;
}

export interface NewResult {
  projectId: string;
  key: string;
  bytes: number;
  sha256: Buffer;
  seconds: number;
  reads: ResultReads | null;
  graphId: string | null;
  node: number;
}

export interface RemovedResult {
  project_id: string;
  key: string;
  sha256: Buffer;
}

/** Reading a result moves it to the end of the queue for removal. Not every time: a write for each read is too much. */
const touchEvery = "1 minute";

export function createResultQueries(db: Db) {
  return {
    find: (projectId: string, keys: string[]): Promise<ResultRow[]> =>
      db
        .selectFrom("results")
        .leftJoin("runs", "runs.id", "results.run_id")
        .select([
          "results.key",
          "results.bytes",
          "results.sha256",
          "results.created_at",
          "results.reads",
          "runs.session_number",
        ])
        .where("results.project_id", "=", projectId)
        .where("results.key", "=", sql<string>`any(${keys})`)
        .execute(),

    touch: async (projectId: string, keys: string[]): Promise<void> => {
      await sql`update results set used_at = now()
        where project_id = ${projectId} and key = any(${keys}) and used_at < now() - ${touchEvery}::interval`.execute(
        db,
      );
    },

    /** False when the key has a result already. */
    insert: async (given: NewResult, run: { jobId: string; number: number }): Promise<boolean> => {
      const { rows } = await sql`
        with run as (select id from runs where job_id = ${run.jobId} and number = ${run.number}),
        made as (
          insert into results (project_id, key, bytes, sha256, seconds, reads, graph_id, node_id, run_id)
          values (${given.projectId}, ${given.key}, ${given.bytes}, ${given.sha256}, ${given.seconds},
            ${given.reads === null ? null : JSON.stringify(given.reads)}::jsonb,
            ${given.graphId}, ${given.node}, (select id from run))
          on conflict do nothing returning key)
        select key from made`.execute(db);
      return rows.length > 0;
    },

    /** The run that made it, and the run's node, know that it is kept. */
    noteInRun: async (jobId: string, run: number, node: number, key: string): Promise<void> => {
      await sql`update run_nodes set result = ${key} from runs
        where runs.job_id = ${jobId} and runs.number = ${run}
          and run_nodes.run_id = runs.id and run_nodes.node_id = ${node}`.execute(db);
    },

    remove: async (projectId: string, key: string, sha256: Buffer): Promise<void> => {
      await db
        .deleteFrom("results")
        .where("project_id", "=", projectId)
        .where("key", "=", key)
        .where("sha256", "=", sha256)
        .execute();
    },

    /** Removes what was used least recently until the project has at most so much. Returns what is gone. */
    removeBeyond: async (projectId: string, most: { bytes: number; files: number }): Promise<RemovedResult[]> => {
      const { rows } = await sql<RemovedResult>`
        delete from results using (
          select key, sum(bytes + coalesce(pg_column_size(reads), 0)) over newest as newer_bytes, row_number() over newest as place
          from results where project_id = ${projectId}
          window newest as (order by used_at desc, key)) as sums
        where results.project_id = ${projectId} and results.key = sums.key
          and (sums.newer_bytes > ${most.bytes} or sums.place > ${most.files})
        returning results.project_id, results.key, results.sha256`.execute(db);
      return rows;
    },

    /** Removes what was not used for so many days. Returns some of it: called until nothing is left. */
    removeUnused: async (projectId: string, days: number, most: number): Promise<RemovedResult[]> => {
      const { rows } = await sql<RemovedResult>`
        delete from results where project_id = ${projectId} and key in (
          select key from results where project_id = ${projectId} and used_at <= now() - make_interval(days => ${days})
          order by used_at limit ${most})
        returning project_id, key, sha256`.execute(db);
      return rows;
    },

    /** Those of these files that a row of the project knows, by key. */
    known: async (projectId: string, keys: string[]): Promise<Map<string, Buffer>> => {
      const rows = await db
        .selectFrom("results")
        .select(["key", "sha256"])
        .where("project_id", "=", projectId)
        .where("key", "=", sql<string>`any(${keys})`)
        .execute();
      return new Map(rows.map(({ key, sha256 }) => [key, sha256]));
    },

    /**
     * What is needed to find out which nodes of a workflow are as they were when their results were made. Undefined
     * when nothing is kept.
     */
    readContent: async (graphId: string) => {
      // First: most workflows have none, and a large one has many nodes.
      const results = await sql<{ node_id: number; run_id: string; revision: number }>`
        select distinct on (results.node_id) results.node_id, runs.id as run_id, runs.graph_revision as revision
        from results join runs on runs.id = results.run_id
          join graphs on graphs.id = results.graph_id and graphs.project_id = results.project_id
        where results.graph_id = ${graphId}
        order by results.node_id, runs.graph_revision desc, runs.id desc`.execute(db);
      if (results.rows.length === 0) return undefined;
      const [nodes, edges] = await Promise.all([
        sql<{ id: number; edited: number }>`
          select nodes.metadata_id as id, coalesce(max(node_edits.edited_revision), 0)::integer as edited
          from nodes left join node_edits using (graph_id, metadata_id)
          where nodes.graph_id = ${graphId} and nodes.class = 'Code_block'
            and not coalesce((nodes.api ->> 'disabled')::boolean, false)
          group by nodes.metadata_id`.execute(db),
        db.selectFrom("edges").select(["source_id", "target_id"]).where("graph_id", "=", graphId).execute(),
      ]);
      return { nodes: nodes.rows, edges, results: results.rows };
    },

    findRun: (id: string) =>
      db
        .selectFrom("runs")
        .select(["id", "job_id", "session_tag", "session_number", "session_name", "state", "ended_at"])
        .where("id", "=", id)
        .executeTakeFirst(),
  };
}
