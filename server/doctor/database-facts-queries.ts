import type { Pool } from "pg";

export interface DatabaseFacts {
  version: string;
  now: Date;
  applied: string[];
  /** A restore was cut. */
  is_cut: boolean;
}

export async function readDatabaseFacts(pool: Pool): Promise<DatabaseFacts> {
  const { rows } = await pool.query<Omit<DatabaseFacts, "applied"> & { has_migrations: boolean }>(
    `select current_setting('server_version') as version, clock_timestamp() as now,
       to_regclass('restore_unfinished') is not null as is_cut, to_regclass('schema_migrations') is not null as has_migrations`,
  );
  const [found] = rows;
  if (!found) throw new Error("The database gave no answer.");
  const applied = found.has_migrations
    ? (await pool.query<{ name: string }>("select name from schema_migrations order by name")).rows
    : [];
  return { ...found, applied: applied.map(({ name }) => name) };
}
