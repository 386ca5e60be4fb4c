import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";

import { StartupError } from "../errors/startup-error.ts";
import { messageOf } from "../errors/error-details.ts";
import { migrationLock } from "./advisory-locks.ts";

export async function listMigrations(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
}

/**
 * Applies the numbered SQL files of `folder`, each in one transaction. Returns which ones it ran. With `only`, it stops
 * where an older version was: a restore fills such tables before the later migrations change them.
 */
export async function migrate(pool: Pool, folder: string, only?: readonly string[]): Promise<string[]> {
  const files = await listMigrations(folder);
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const unfinished = await client.query("select 1 from pg_class where oid = to_regclass('restore_unfinished')");
    if (unfinished.rowCount !== 0 && !only)
      throw new StartupError(
        "A restore into this database was cut. Run `npm run restore` again, or empty the database, before you start Miranda.",
      );
    const rows = await client.query<{ name: string }>("select name from schema_migrations order by name");
    const applied = new Set(rows.rows.map((row) => row.name));
    const unknown = [...applied].find((name) => !files.includes(name));
    if (unknown)
      throw new StartupError(
        `The database was used by a newer Miranda (it has ${unknown}). Start that version instead.`,
      );
    const pending = files.filter((name) => !applied.has(name) && (only?.includes(name) ?? true));
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
