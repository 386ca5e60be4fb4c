import { endedStates } from "@miranda/contract/processor.ts";
import { sql } from "kysely";

import { housekeeping } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";

interface JobId {
  id: string;
}

/** In minutes. Until then an agent may still write there. */
const settledAfter = 1;

export function createSessionFileQueries(db: Db) {
  const ended = sql`jobs.state = any(${endedStates}) and jobs.ended_at <= now() - make_interval(mins => ${settledAfter})`;
  return {
    /** Ended sessions that ran on this machine and were not measured, in the order of their ids. */
    toMeasure: async (host: string, after: string | null): Promise<string[]> => {
      const { rows } = await sql<JobId>`
        select id from jobs
        where ${ended} and engine = 'local' and coalesce(engine_ref ->> 'host', ${host}) = ${host}
          and (${after}::uuid is null or id > ${after}::uuid)
          and not exists (select from session_files where session_files.job_id = jobs.id)
        order by id limit ${housekeeping.sessions}`.execute(db);
      return rows.map(({ id }) => id);
    },

    save: async (jobId: string, host: string, bytes: number): Promise<void> => {
      await sql`
        insert into session_files (job_id, host, bytes) select id, ${host}, ${Math.round(bytes)}::bigint from jobs where id = ${jobId}
        on conflict (job_id) do update set bytes = excluded.bytes`.execute(db);
    },

    /** Sessions of this machine whose files are beyond a limit, when those of newer sessions are kept first. The oldest first. */
    beyond: async (host: string, most: { ofProject: number; ofAll: number }): Promise<string[]> => {
      const { rows } = await sql<JobId>`
        select id from (
          select jobs.id, jobs.ended_at, jobs.project_id, host,
            sum(bytes) over (order by ended_at desc, jobs.id desc) as of_all,
            sum(bytes) over (partition by jobs.project_id order by ended_at desc, jobs.id desc) as of_project
          from session_files join jobs on jobs.id = session_files.job_id where bytes > 0
        ) as sized
        where host = ${host}
          and (of_all > ${most.ofAll} or (project_id is not null and of_project > ${most.ofProject}))
        order by ended_at, id limit ${housekeeping.sessions}`.execute(db);
      return rows.map(({ id }) => id);
    },

    bytesOlderThan: async (projectId: string, days: number): Promise<number> => {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(bytes), 0)::double precision as bytes
        from session_files join jobs on jobs.id = session_files.job_id
        where project_id = ${projectId} and ended_at <= now() - make_interval(days => ${days})`.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    /** Those of a project that have files on this machine. */
    olderThan: async (host: string, projectId: string, days: number): Promise<string[]> => {
      const { rows } = await sql<JobId>`
        select id from session_files join jobs on jobs.id = session_files.job_id
        where project_id = ${projectId} and host = ${host} and bytes > 0
          and ended_at <= now() - make_interval(days => ${days})`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}
