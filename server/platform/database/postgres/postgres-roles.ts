import pg from "pg";

import { ignore } from "../../errors/safely.ts";

/** Created by initdb. A superuser, used only by the code that sets up the database. */
export const adminRole = "miranda";
/** The application's role: it owns its database and has no other rights. */
export const applicationRole = "miranda_app";
export const databaseName = "miranda";

const limits = "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls";

// Earlier versions let the application sign in as the admin role, so the tables of their data folders belong to it.
// REASSIGN OWNED refuses the role that initdb made, because the system's own objects belong to it too.
const objectsOfAdmin = `
  with own_schemas as (
    select oid, nspname, nspowner from pg_namespace
    where nspname not like 'pg\\_%' and nspname <> 'information_schema'
  ), of_extensions as (
    select classid, objid from pg_depend where deptype = 'e'
  ), of_columns as (
    select objid from pg_depend
    where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
  ), objects as (
    select 'schema' as kind, quote_ident(nspname) as name, oid, 'pg_namespace'::regclass as class, nspowner as owner
    from own_schemas
    union all
    select case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
      oid::regclass::text, oid, 'pg_class'::regclass, relowner
    from pg_class
    where relnamespace in (select oid from own_schemas) and relkind in ('r', 'p', 'v', 'm', 'S')
      -- The sequence of a column follows its table, and cannot be given away alone.
      and not (relkind = 'S' and oid in (select objid from of_columns))
    union all
    select 'routine', oid::regprocedure::text, oid, 'pg_proc'::regclass, proowner
    from pg_proc where pronamespace in (select oid from own_schemas)
    union all
    select 'type', oid::regtype::text, oid, 'pg_type'::regclass, typowner
    from pg_type where typnamespace in (select oid from own_schemas) and typtype in ('d', 'e', 'r')
  )
  select format('alter %s %s owner to ${applicationRole}', kind, name) as statement from objects
  where owner = (select oid from pg_roles where rolname = current_user)
    and (class, oid) not in (select classid, objid from of_extensions)`;

/**
 * Creates the application's role and database if missing, and gives it whatever an earlier version left with the admin
 * role. Every step may be repeated, so a start that was killed is completed by the next one.
 */
export async function prepareDatabase(urlOf: (database: string) => string, password: string): Promise<void> {
  await asAdmin(urlOf("postgres"), async (admin) => {
    const role = await admin.query("select 1 from pg_roles where rolname = $1", [applicationRole]);
    if (role.rowCount === 0) await admin.query(`create role ${applicationRole}`);
    await admin.query(`alter role ${applicationRole} ${limits} password ${admin.escapeLiteral(password)}`);
    const database = await admin.query("select 1 from pg_database where datname = $1", [databaseName]);
    if (database.rowCount === 0) await admin.query(`create database ${databaseName} owner ${applicationRole}`);
  });
  await asAdmin(urlOf(databaseName), async (admin) => {
    const { rows } = await admin.query<{ statement: string }>(objectsOfAdmin);
    await admin.query("begin");
    for (const { statement } of rows) await admin.query(statement);
    await admin.query(`alter database ${databaseName} owner to ${applicationRole}`);
    await admin.query("commit");
  });
}

async function asAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  admin.on("error", ignore);
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end().catch(() => undefined);
  }
}
