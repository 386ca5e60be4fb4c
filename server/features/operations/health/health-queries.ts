import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export function createHealthQueries(db: Db) {
  return {
    async database(): Promise<{ version: string; bytes: number; applied: string[] }> {
      const { rows } = await sql<{ version: string; bytes: number; applied: string[] }>`
        select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
          (select array_agg(name order by name) from schema_migrations) as applied`.execute(db);
      if (!rows[0]) throw new Error("The database gave no answer.");
      return rows[0];
    },
  };
}
