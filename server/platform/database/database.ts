import { Kysely, PostgresDialect } from "kysely";
import { createHash } from "node:crypto";
import pg from "pg";

import type { Tables } from "../../tables/tables.ts";
import { withNamedStatements } from "./named-statements.ts";
import { StartupError } from "../errors/startup-error.ts";
import { messageOf, systemCodeOf } from "../errors/error-details.ts";
import { safely } from "../errors/safely.ts";

export type Db = Kysely<Tables>;

/**
 * A named statement is planned once for each connection and not again for each of its values: half of the time of a small
 * read went into plans. So no index may depend on a value that is sent: `state = 'READY'` stands in the statement.
 */
const planOnce = "set plan_cache_mode = force_generic_plan";

const { builtins } = pg.types;
// Sequence numbers and sums stay far below 2^53; as text they would have to be converted at every use.
pg.types.setTypeParser(builtins.INT8, Number);
pg.types.setTypeParser(builtins.NUMERIC, Number);

export interface Database {
  url: string;
  db: Db;
  pool: pg.Pool;
  /** For how long the statement that has waited longest for a connection has waited, in milliseconds. */
  waitsFor(): number;
  /** How many statements failed and connections were lost. */
  errors(): number;
  close(): Promise<void>;
}

export function openDatabase(
  url: string,
  connections: number,
  onError: (error: Error) => void,
  name = "miranda",
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: name,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its type does not say
    onConnect: (client) => client.query(planOnce),
  });
  let errors = 0;
  const lost = (error: Error): void => {
    errors += 1;
    onError(error);
  };
  // Without a listener a connection lost while idle would end the server.
  pool.on("error", safely(lost));
  // The pool listens only to idle connections. One lost in a transaction must not end the server either.
  pool.on(
    "connect",
    safely((client) => client.on("error", safely(lost))),
  );
  const statements = withNamedStatements(pool, () => (errors += 1));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: statements }) });
  const close = async (): Promise<void> => {
    await db.destroy();
    // Kysely ends only a pool that it has used.
    if (!pool.ending) await pool.end();
  };
  return { url, db, pool, waitsFor: statements.waitsFor, errors: () => errors, close };
}

/** Explains why a configured database cannot be used, and warns when its role has too many rights. */
export async function checkDatabase(pool: pg.Pool, url: string, log: (line: string) => void): Promise<void> {
  const asked = "select rolname as name, rolsuper as may_do_all from pg_roles where rolname = current_user";
  try {
    const { rows } = await pool.query<{ name: string; may_do_all: boolean }>(asked);
    // A superuser of PostgreSQL may run programs on its machine: an injection into our SQL could too.
    if (rows[0]?.may_do_all)
      log(
        `The role ${rows[0].name} of DATABASE_URL is a superuser. Give Miranda a role that owns its database and nothing else.`,
      );
  } catch (error) {
    throw new StartupError(`DATABASE_URL does not lead to a database (${withoutPassword(url)}): ${describe(error)}.`);
  }
}

function describe(error: unknown): string {
  const [code, message] = [systemCodeOf(error), messageOf(error)];
  if (code === "ECONNREFUSED") return "nothing listens there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name is unknown";
  return message || String(code);
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password) shown.password = "…";
  return decodeURI(shown.href);
}

const uniqueViolation = "23505";

/** The name of the unique index that refused a row, if one did. */
export function violatedUnique(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === uniqueViolation ? error.constraint : undefined;
}

/** The id of this installation, the same for every server on its database. */
export async function installationOf(pool: pg.Pool): Promise<string> {
  const asked = "select system_identifier || '/' || current_database() as name from pg_control_system()";
  const { rows } = await pool.query<{ name: string }>(asked);
  return createHash("sha256")
    .update(rows[0]?.name ?? "")
    .digest("hex")
    .slice(0, 12);
}
