import { open } from "node:fs/promises";
import pg from "pg";

// A table of this many rows is too large to be read whole for one call.
const rowsMax = 5_000;

/**
 * Watches the plans of every statement of the application. PostgreSQL writes them into its log. The connections of the
 * application must be opened anew for that, so it ends them: the server opens others.
 */
export async function watchPlans(adminUrl: string, databaseUrl: string, logFile: string) {
  const role = decodeURIComponent(new URL(databaseUrl).username);
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  for (const setting of [
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_nested_statements = on",
    "log_min_messages = 'log'",
  ])
    await admin.query(`alter role ${admin.escapeIdentifier(role)} set ${setting}`);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [role]);
  // The server has to notice it before the first call.
  await new Promise((resolve) => setTimeout(resolve, 1_000));

  const { rows } = await ofDatabase(
    adminUrl,
    databaseUrl,
    "select relname from pg_class where relkind = 'r' and reltuples > $1",
    [rowsMax],
  );
  const large = new Set(rows.map(({ relname }) => String(relname)));
  const log = await open(logFile, "r");
  let read = (await log.stat()).size;

  return {
    /** The large tables that were read from beginning to end since the last call of this. */
    async takeLarge(): Promise<string[]> {
      const { size } = await log.stat();
      const { buffer, bytesRead } = await log.read(Buffer.alloc(size - read), 0, size - read, read);
      read += bytesRead;
      const text = buffer.toString("utf8", 0, bytesRead);
      const found = [...text.matchAll(/Seq Scan on (?:public\.)?(\w+)/g)].map(([, table]) => table ?? "");
      return [...new Set(found.filter((table) => large.has(table)))];
    },
    async close(): Promise<void> {
      await log.close();
      await admin.end();
    },
  };
}

async function ofDatabase(adminUrl: string, databaseUrl: string, text: string, values: unknown[]) {
  const url = new URL(adminUrl);
  url.pathname = new URL(databaseUrl).pathname;
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text, values);
  } finally {
    await client.end();
  }
}
