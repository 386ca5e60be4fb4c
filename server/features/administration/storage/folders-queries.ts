import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import type { FolderSizes } from "../../../platform/project-folders.ts";

export interface ProjectRow {
  projectId: string;
  graphIds: string[];
}

/** In minutes: a session of a deleted project may still be stopping. */
const removedAfter = 10;

const withGraphs = sql`
  select id as "projectId", array(select graphs.id from graphs where graphs.project_id = projects.id) as "graphIds"
  from projects`;

export function createFolderQueries(db: Db) {
  return {
    /** The next projects in the order of their ids, with their workflows. */
    projectsAfter: async (after: string | null, limit: number): Promise<ProjectRow[]> => {
      const { rows } =
        await sql<ProjectRow>`${withGraphs} where ${after}::uuid is null or id > ${after}::uuid order by id limit ${limit}`.execute(
          db,
        );
      return rows;
    },

    find: async (projectId: string): Promise<ProjectRow[]> => {
      const { rows } = await sql<ProjectRow>`${withGraphs} where id = ${projectId}::uuid`.execute(db);
      return rows;
    },

    /** What could not be measured stays as it was. */
    save: async ({ projectId, volumes, packages }: FolderSizes): Promise<void> => {
      await sql`
        insert into project_folders (project_id, volumes, packages)
        select id, coalesce(${volumes}::bigint, 0), coalesce(${packages}::bigint, 0) from projects where id = ${projectId}
        on conflict (project_id) do update set measured_at = now(),
          volumes = coalesce(${volumes}::bigint, project_folders.volumes),
          packages = coalesce(${packages}::bigint, project_folders.packages)`.execute(db);
    },

    hasSession: async (projectId: string): Promise<boolean> => {
      const { rows } =
        await sql`select 1 from jobs where project_id = ${projectId} and ${isAliveSql()} limit 1`.execute(db);
      return rows.length > 0;
    },

    /** Deleted projects and workflows, in the order of their ids. */
    toRemove: async (after: string | null, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`
        select id from folders_to_remove
        where deleted_at <= now() - make_interval(mins => ${removedAfter}) and (${after}::uuid is null or id > ${after}::uuid)
          and not exists (select from projects where projects.id = folders_to_remove.id)
          and not exists (select from graphs where graphs.id = folders_to_remove.id)
        order by id limit ${limit}`.execute(db);
      return rows.map(({ id }) => id);
    },

    forget: async (id: string): Promise<void> => {
      await sql`delete from folders_to_remove where id = ${id}`.execute(db);
    },
  };
}
