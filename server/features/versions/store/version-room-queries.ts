import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** What the versions of a project take, in bytes. Parts that several versions of a workflow share count once. */
export interface VersionBytes {
  all: number;
  /** Of those that people named. */
  named: number;
}

export function versionRoomQueries(db: Db) {
  return {
    bytesOf: async (projectId: string): Promise<VersionBytes> => {
      const { rows } = await sql<VersionBytes>`
        select coalesce(sum(bytes), 0)::float8 as all, coalesce(sum(bytes) filter (where named > 0), 0)::float8 as named
        from graph_parts join graphs on graphs.id = graph_parts.graph_id
        where graphs.project_id = ${projectId}`.execute(db);
      return rows[0] ?? { all: 0, named: 0 };
    },

    projectOf: async (graphId: string): Promise<string | undefined> =>
      (await db.selectFrom("graphs").select("project_id").where("id", "=", graphId).executeTakeFirst())?.project_id,

    /** Removes the oldest automatic versions of a project. Those of exported folders come last. Returns their workflows. */
    removeOldest: async (projectId: string, count: number, keep: string): Promise<string[]> => {
      const { rows } = await sql<{ graph_id: string }>`
        delete from graph_versions where id in (
          select graph_versions.id from graph_versions join graphs on graphs.id = graph_versions.graph_id
          where graphs.project_id = ${projectId} and number is null and graph_versions.id <> ${keep}
          order by reason = 'export', graph_versions.created_at, graph_versions.id limit ${count})
        returning graph_id`.execute(db);
      return rows.map(({ graph_id }) => graph_id);
    },
  };
}
