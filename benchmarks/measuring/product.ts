import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { openDatabase } from "../../server/platform/database/database.ts";
import { startEmbeddedPostgres } from "../../server/platform/database/postgres/embedded-postgres.ts";
import { migrate } from "../../server/platform/database/migrate.ts";
import { startServerProcess } from "../../server/testing/server-process.ts";
import { TestClient } from "../../server/testing/test-client.ts";
import { endJobs, password, type TestAccount, type TestServer } from "../../server/testing/test-server.ts";
import { giveToken, Workbench } from "../../server/testing/workbench.ts";

export interface Product {
  bench: Workbench;
  url: string;
  databaseUrl: string;
  /** The database as superuser, and what it writes. */
  database: { adminUrl: string; logFile: string };
  serverPid: number;
  close(): Promise<void>;
}

/** Starts the whole product with one graph: a real database, the server in a separate process, a connected client. */
export async function openProduct(environment: Record<string, string> = {}): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bench-"));
  const postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  const database = openDatabase(postgres.url, 2, () => undefined);
  await migrate(database.pool, resolve(import.meta.dirname, "..", "..", "server", "migrations"));
  const dataFolder = join(folder, "data");
  const server = await startServerProcess({
    // No rate limits: they would cap the benchmarks' calls, which all come from one account.
    MIRANDA_CALLS_PER_MINUTE: "0",
    MIRANDA_ANONYMOUS_CALLS_PER_MINUTE: "0",
    ...environment,
    DATABASE_URL: postgres.url,
    MIRANDA_DATA: dataFolder,
  });
  const client = new TestClient(server.url);
  const body = { username: "bench", email: "bench@example.org", first_name: "B", last_name: "B", password };
  const registered = await client.post("/api/v3/auth/register", body);
  const { account } = registered.json<{ account: TestAccount["account"] }>();
  const owner = Object.assign(client, { account });
  await giveToken(owner);
  const bench = await Workbench.open({ url: server.url, db: database.db } as unknown as TestServer, owner);
  return {
    bench,
    url: server.url,
    databaseUrl: postgres.url,
    database: { adminUrl: postgres.adminUrl, logFile: join(folder, "postgres", "postgres.log") },
    serverPid: server.pid,
    async close() {
      bench.close();
      await server.kill("SIGTERM");
      await endJobs(dataFolder);
      await database.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
