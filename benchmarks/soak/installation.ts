import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type Database, openDatabase } from "../../server/platform/database/database.ts";
import { migrate } from "../../server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../../server/platform/database/postgres/embedded-postgres.ts";
import { type ServerProcess, startServerProcess } from "../../server/testing/server-process.ts";
import { endJobs } from "../../server/testing/test-server.ts";

/** A database of its own and a server that can be killed and started again, all on 127.0.0.1. */
export interface Installation {
  server(): ServerProcess;
  port(): number;
  database: Database;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-soak-"));
  const postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  const database = openDatabase(postgres.url, 2, () => undefined);
  await migrate(database.pool, resolve(import.meta.dirname, "..", "..", "server", "migrations"));
  const dataFolder = join(folder, "data");
  const start = (): Promise<ServerProcess> =>
    startServerProcess({
      HOST: "127.0.0.1",
      // The browsers need the built client.
      MIRANDA_DEV: "0",
      MIRANDA_ENGINE: "local",
      MIRANDA_SANDBOX: "off",
      // Everything comes from one address, and no line may be cut.
      MIRANDA_CALLS_PER_MINUTE: "0",
      MIRANDA_ANONYMOUS_CALLS_PER_MINUTE: "0",
      MIRANDA_REGISTRATIONS_PER_HOUR: "1000",
      MIRANDA_LOG_MB: "500",
      LOG_LEVEL: "warn",
      DATABASE_URL: postgres.url,
      MIRANDA_DATA: dataFolder,
    });
  let server = await start();
  return {
    server: () => server,
    port: () => Number(new URL(server.url).port),
    database,
    kill: () => server.kill("SIGKILL"),
    async start() {
      server = await start();
    },
    async close() {
      await server.kill("SIGTERM").catch(() => undefined);
      await endJobs(dataFolder);
      await database.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
