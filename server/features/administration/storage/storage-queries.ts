import { logLevels } from "@miranda/contract/limits.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";

export interface StorageRow {
  id: string;
  name: string;
  is_private: boolean;
  owner: string | null;
  results: number;
  artifacts: number;
  files: number;
  logs: number;
  outputs: number;
  session_files: number;
  volumes: number;
  packages: number;
  total: number;
}

/** What each project stores. `only`: one project, instead of reading the rows of all. */
const sizes = (only: string | null) => {
  const of = (column: string) => sql<SqlBool>`(${only}::uuid is null or ${sql.ref(column)} = ${only}::uuid)`;
  return sql`
    with kept as (
      select project_id, sum(bytes) as bytes from results where ${of("results.project_id")} group by project_id
    ), given as (
      select project_id, sum(size) as bytes from (
        select distinct graphs.project_id, graph_files.hash from graph_files join graphs on graphs.id = graph_files.graph_id
        where ${of("graphs.project_id")}) as named join node_files using (hash) group by project_id
    ), logged as (
      select project_id, sum(log_bytes) as bytes from jobs where project_id is not null and ${of("jobs.project_id")}
      group by project_id
    ), shown as (
      select project_id, sum(output_bytes) as bytes from runs where output_bytes > 0 and ${of("runs.project_id")}
      group by project_id
    ), left_behind as (
      select project_id, sum(bytes) as bytes from session_files join jobs on jobs.id = session_files.job_id
      where project_id is not null and ${of("jobs.project_id")} group by project_id
    ), parts as (
      select projects.id, projects.name, projects.visibility = 'private' as is_private, accounts.username as owner,
        coalesce(kept.bytes, 0)::double precision as results,
        coalesce(artifact_totals.bytes, 0)::double precision as artifacts,
        coalesce(given.bytes, 0)::double precision as files, coalesce(logged.bytes, 0)::double precision as logs,
        coalesce(shown.bytes, 0)::double precision as outputs,
        coalesce(left_behind.bytes, 0)::double precision as session_files,
        coalesce(project_folders.volumes, 0)::double precision as volumes,
        coalesce(project_folders.packages, 0)::double precision as packages
      from projects join accounts on accounts.id = projects.owner_id
        left join kept on kept.project_id = projects.id left join given on given.project_id = projects.id
        left join artifact_totals on artifact_totals.project_id = projects.id
        left join project_folders on project_folders.project_id = projects.id
        left join logged on logged.project_id = projects.id left join shown on shown.project_id = projects.id
        left join left_behind on left_behind.project_id = projects.id
      where ${of("projects.id")}
    ), sizes as (select *, results + artifacts + files + logs + outputs + session_files + volumes + packages as total from parts)`;
};

export function createStorageQueries(db: Db) {
  return {
    /** The largest projects first. One more than `limit` when there are more. */
    list: async (words: string, { offset, limit }: { offset: number; limit: number }): Promise<StorageRow[]> => {
      const { rows } = await sql<StorageRow>`${sizes(null)} select * from sizes
        where ${words} = '' or position(lower(${words}) in lower(name)) > 0 or position(lower(${words}) in lower(owner)) > 0
        order by total desc, id limit ${limit + 1} offset ${offset}`.execute(db);
      return rows;
    },

    totals: async (): Promise<{ total: number; database: number }> => {
      const { rows } = await sql<{ total: number; database: number }>`${sizes(null)}
        select coalesce(sum(total), 0) as total, pg_database_size(current_database())::double precision as database
        from sizes`.execute(db);
      return rows[0] ?? { total: 0, database: 0 };
    },

    find: async (projectId: string): Promise<StorageRow | undefined> => {
      const { rows } = await sql<StorageRow>`${sizes(projectId)} select * from sizes`.execute(db);
      return rows[0];
    },

    /** Contents that no path names, or only paths in these folders. */
    bytesOnlyIn: async (projectId: string, folders: readonly string[]): Promise<number> => {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(bytes), 0)::double precision as bytes from artifact_contents as content
        where project_id = ${projectId} and (unused_at is not null or not exists (
          select from artifacts where artifacts.project_id = content.project_id and artifacts.sha256 = content.sha256
            and not exists (select from unnest(${folders}::text[]) as folder
              where artifacts.path > folder || '/' and artifacts.path < folder || '0')))`.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    oldResults: async (projectId: string, days: number): Promise<number> => {
      const { rows } = await sql<{
        bytes: number;
      }>`select coalesce(sum(bytes), 0)::double precision as bytes from results
        where project_id = ${projectId} and used_at <= now() - make_interval(days => ${days})`.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    oldLogs: async (projectId: string, days: number): Promise<number> => {
      const { rows } = await sql<{
        bytes: number;
      }>`select coalesce(sum(log_bytes), 0)::double precision as bytes from jobs
        where project_id = ${projectId} and ended_at <= now() - make_interval(days => ${days})`.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    /** Ended sessions that still have a log. */
    sessionsWithLogs: async (projectId: string, days: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`select id from jobs where project_id = ${projectId} and log_bytes > 0
        and ended_at <= now() - make_interval(days => ${days})`.execute(db);
      return rows.map(({ id }) => id);
    },

    /** Removes the log of an ended session. One line is left, which says so. */
    async removeLog(jobId: string, words: string): Promise<void> {
      for await (const _batch of deleteInBatches(db, "log_chunks", sql<SqlBool>`job_id = ${jobId}`));
      const entry = sql`jsonb_build_array(jsonb_build_array(last_line, 1, ${logLevels.INFO}::integer,
        round(extract(epoch from now()) * 1000), ${words}::text))::text`;
      await sql`
        with emptied as (
          update jobs set cut_line = last_line, last_line = last_line + 1, log_bytes = 0 where id = ${jobId} returning id, last_line
        )
        insert into log_chunks (job_id, first_line, lines, bytes, entries)
        select id, last_line, 1, 0, ${entry} from emptied`.execute(db);
    },
  };
}
