import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";

import { StartupError } from "../errors/startup-error.ts";
import { messageOf } from "../errors/error-details.ts";

// Any number that nothing else locks. Two servers that start together migrate one after the other.
const migrationLock = 4_600_001;

/** Applies the numbered SQL files of `folder`, each in one transaction. Returns which ones it ran. */
export async function migrate(pool: Pool, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const rows = await client.query<{ name: string }>("select name from schema_migrations order by name");
    const applied = new Set(rows.rows.map((row) => row.name));
    const unknown = [...applied].find((name) => !files.includes(name));
    if (unknown)
      throw new StartupError(
        `The database was used by a newer Miranda (it has ${unknown}). Start that version instead.`,
      );
    const pending = files.filter((name) => !applied.has(name));
    for (const name of pending) {
      const sql = await readFile(join(folder, name), "utf8");
      await client.query("begin");
      try {
        await client.query(sql);
        await client.query("insert into schema_migrations (name) values ($1)", [name]);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw new StartupError(`The migration ${name} failed and was undone: ${messageOf(error)}`);
      }
    }
    return pending;
  } finally {
    await client.query("select pg_advisory_unlock($1)", [migrationLock]).catch(() => undefined);
    client.release();
  }
}
