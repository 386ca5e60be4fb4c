import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

import { openDatabase } from "../platform/database/database.ts";
import { startEmbeddedPostgres } from "../platform/database/postgres/embedded-postgres.ts";
import { migrate } from "../platform/database/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
    /** May do everything: for making and dropping databases. */
    databaseAdminUrl: string;
  }
}

/** One real PostgreSQL for the run. Its `miranda` database is migrated once and copied for every test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-test-"));
  const postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  const database = openDatabase(postgres.url, 2, () => undefined);
  await migrate(database.pool, resolve(import.meta.dirname, "..", "migrations"));
  await database.close();
  // A template that anybody is connected to, autovacuum included, cannot be copied.
  const server = openDatabase(postgres.adminUrl, 1, () => undefined);
  // Nobody keeps this data: waiting for the disk at every commit only takes time.
  await server.pool.query("alter system set fsync = off");
  await server.pool.query("alter system set full_page_writes = off");
  await server.pool.query("select pg_reload_conf()");
  await server.pool.query("alter database miranda allow_connections false");
  await server.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'miranda'");
  await server.close();
  project.provide("databaseUrl", postgres.url);
  project.provide("databaseAdminUrl", postgres.adminUrl);
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
