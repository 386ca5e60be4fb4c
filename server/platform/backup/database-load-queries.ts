import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

import { migrate } from "../database/migrate.ts";
import type { Manifest, TableCopy } from "./archive-format.ts";
import { BackupError } from "./backup-error.ts";
import { tablesQuery, type TableShape, textSettings } from "./database-copy-queries.ts";

export type RestoreTargetState = "empty" | "cut" | "in use" | "filled";

/** What is in a database that somebody wants to restore into. */
export async function stateOf(pool: pg.Pool): Promise<RestoreTargetState> {
  const { rows } = await pool.query<{ servers: number; tables: number; is_cut: boolean }>(
    `select (select count(*) from pg_stat_activity
             where datname = current_database() and application_name = 'miranda' and pid <> pg_backend_pid())::int as servers,
       (select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p'))::int as tables,
       to_regclass('public.restore_unfinished') is not null as is_cut`,
  );
  const found = rows[0];
  if (!found || found.servers > 0) return "in use";
  if (found.is_cut) return "cut";
  return found.tables > 0 ? "filled" : "empty";
}

/** Everything that migrations made. Extensions stay: a database has each of them once. */
const ownObjects = `
  with of_extensions as (select classid, objid from pg_depend where deptype = 'e'),
  of_columns as (
    select objid from pg_depend
    where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
  )
  select kind, name from (
    select case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as kind,
      oid::regclass::text as name
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      and ('pg_class'::regclass, oid) not in (select classid, objid from of_extensions)
      and not (relkind = 'S' and oid in (select objid from of_columns))
    union all
    select 'routine' as kind, oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace
      and ('pg_proc'::regclass, oid) not in (select classid, objid from of_extensions)
  ) as found
  -- Their names include the types of tables, which must still be found.
  order by kind <> 'routine'`;

/** Leaves an empty schema with a mark, which the load removes. A server refuses to start on a database with this mark. */
export async function prepareDatabase(pool: pg.Pool, state: RestoreTargetState, aside: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<{ kind: string; name: string }>(ownObjects);
    if (state === "filled") {
      await client.query(`create schema ${pg.escapeIdentifier(aside)}`);
      for (const { kind, name } of rows)
        await client.query(`alter ${kind} ${name} set schema ${pg.escapeIdentifier(aside)}`);
    }
    if (state === "cut")
      for (const { kind, name } of rows) await client.query(`drop ${kind} if exists ${name} cascade`);
    await client.query("create table restore_unfinished (since timestamptz not null default now())");
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Makes the tables as they were, and fills them, in one transaction. */
export async function loadDatabase(
  pool: pg.Pool,
  migrations: string,
  manifest: Manifest,
  read: (table: TableCopy) => Promise<Readable>,
): Promise<void> {
  await migrate(pool, migrations, manifest.migrations);
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query(textSettings);
    await client.query("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
    await requireShapes(client, manifest.tables);
    const finish = await withoutRules(client);
    const names = manifest.tables.map(({ name }) => pg.escapeIdentifier(name));
    // Migrations add rows of their own. The archive has them too.
    await client.query(`truncate ${names.join(", ")}`);
    for (const table of manifest.tables) {
      const list = table.columns.map((column) => pg.escapeIdentifier(column)).join(", ");
      const stream = client.query(copyFrom(`copy ${pg.escapeIdentifier(table.name)} (${list}) from stdin`));
      await pipeline(await read(table), stream);
      if (stream.rowCount !== table.rows)
        throw new BackupError(`The table ${table.name} should have ${table.rows} rows and has ${stream.rowCount}.`);
    }
    for (const { name, value, is_called } of manifest.sequences)
      await client.query("select setval($1::regclass, $2, $3)", [pg.escapeIdentifier(name), value, is_called]);
    await finish();
    await client.query("drop table if exists restore_unfinished");
    await client.query("commit");
    await client.query("analyze");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** The names in an archive come from outside: only those that the migrations made are used. */
async function requireShapes(client: pg.PoolClient, tables: TableCopy[]): Promise<void> {
  const { rows } = await client.query<TableShape>(tablesQuery);
  const known = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const shape = known.get(name);
    if (!shape || columns.length !== shape.size || columns.some((column) => !shape.has(column)))
      throw new BackupError(`The table ${name} of the archive does not fit this version of Miranda.`);
  }
}

const foreignKeys = `
  select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;
const triggers = `
  select tgrelid::regclass::text as table, quote_ident(tgname) as name, tgenabled as enabled
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled <> 'D'`;

/**
 * Switches triggers and foreign keys off: rows come in the order of tables, and what triggers count is in the archive.
 * The returned function puts them back, which checks every foreign key.
 */
async function withoutRules(client: pg.PoolClient): Promise<() => Promise<void>> {
  const keys = (await client.query<{ table: string; name: string; definition: string }>(foreignKeys)).rows;
  const fired = (await client.query<{ table: string; name: string; enabled: string }>(triggers)).rows;
  for (const { table, name } of fired) await client.query(`alter table ${table} disable trigger ${name}`);
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  return async () => {
    for (const { table, name, definition } of keys)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    for (const { table, name, enabled } of fired) {
      const how = enabled === "A" ? "enable always" : enabled === "R" ? "enable replica" : "enable";
      await client.query(`alter table ${table} ${how} trigger ${name}`);
    }
  };
}
