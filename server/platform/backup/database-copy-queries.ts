import type { Readable } from "node:stream";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";

import { backupLock, migrationLock } from "../database/advisory-locks.ts";
import { BackupRunning } from "./backup-error.ts";
import { safely } from "../errors/safely.ts";

export interface TableShape {
  name: string;
  columns: string[];
}

export type Snapshot = Awaited<ReturnType<typeof openSnapshot>>;

/** What describes this installation's own backups. In another installation it would be wrong. */
const notCopied = new Set(["backups"]);

/** The text of a value must not depend on the settings of a role. */
export const textSettings = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local search_path = public`;

/** Every ordinary table with the columns that are stored, not calculated. */
export const tablesQuery = `
  select relname as name, array_agg(attname::text order by attnum) as columns
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    and attgenerated = '' and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  group by relname order by relname`;

/**
 * One moment of the whole database: everything is read in one transaction. Migrations wait until it is closed, and no
 * second backup begins.
 */
export async function openSnapshot(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: "miranda-backup" });
  let lost: Error | undefined;
  client.on(
    "error",
    safely((error) => (lost = error)),
  );
  await client.connect();
  try {
    const locked = await client.query<{ free: boolean }>("select pg_try_advisory_lock($1) as free", [backupLock]);
    if (!locked.rows[0]?.free) throw new BackupRunning();
    await client.query("select pg_advisory_lock_shared($1)", [migrationLock]);
    // Files are copied meanwhile, which may take hours.
    await client.query("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
    await client.query("begin isolation level repeatable read read only");
    await client.query(textSettings);
    const shapes = await client.query<TableShape>(tablesQuery);
    const applied = await client.query<{ name: string }>("select name from schema_migrations order by name");
    const size = await client.query<{ bytes: string }>(
      `select coalesce(sum(pg_table_size(oid)), 0)::text as bytes from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    const sequences = await client.query<{ name: string; value: string; is_called: boolean }>(
      `select sequencename as name, coalesce(last_value, start_value)::text as value, last_value is not null as is_called
       from pg_sequences where schemaname = 'public' order by 1`,
    );
    return {
      tables: shapes.rows.filter(({ name }) => !notCopied.has(name)),
      migrations: applied.rows.map(({ name }) => name),
      sequences: sequences.rows,
      estimatedBytes: Number(size.rows[0]?.bytes ?? 0),

      /** The rows of a table as text. `rows` counts them when the stream has ended. */
      copy({ name, columns }: TableShape): { stream: Readable; rows: () => Promise<number> } {
        const list = columns.map((column) => pg.escapeIdentifier(column)).join(", ");
        const stream = client.query(copyTo(`copy ${pg.escapeIdentifier(name)} (${list}) to stdout`));
        const rows = async (): Promise<number> => {
          // The count may come after the last row. The next answer comes after the count.
          await client.query("select 1");
          return stream.rowCount;
        };
        return { stream, rows };
      },

      /** The files that rows name: artefacts on this disk, and kept results. */
      async namedFiles(): Promise<string[]> {
        const { rows } = await client.query<{ path: string }>(
          `select 'artifacts/' || project_id || '/' || left(encode(sha256, 'hex'), 2) || '/' || encode(sha256, 'hex') as path
           from artifact_contents where bucket_id is null
           union all
           select 'results/' || project_id || '/' || key || '-' || left(encode(sha256, 'hex'), 16) from results`,
        );
        return rows.map(({ path }) => path);
      },

      /** Ends the transaction: migrations may go on. No other backup begins before `close`. */
      async release(): Promise<void> {
        if (lost) throw lost;
        await client.query("commit");
        await client.query("select pg_advisory_unlock_shared($1)", [migrationLock]);
      },

      /** Whether the connection is gone. The copy of a table then fails with an error that says less. */
      isLost: () => lost !== undefined,

      close: () => client.end().catch(() => undefined),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
