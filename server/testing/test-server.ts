import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createApp } from "../app.ts";
import { createLocalEngine } from "../engines/local.ts";
import { withoutSandbox } from "../engines/sandbox/sandbox.ts";
import { type Config, readConfig } from "../platform/settings/config.ts";
import { type Db, openDatabase } from "../platform/database/database.ts";
import { openRedis } from "../platform/redis.ts";
import { ownSessionUsers } from "./session-users.ts";
import { TestClient } from "./test-client.ts";
import { createTestDatabase } from "./test-database.ts";

export const password = "correct horse battery";

export interface TestServer {
  url: string;
  db: Db;
  anonymous(): TestClient;
  /** A new account, signed in, onboarded, under a name no other test uses. */
  signUp(name?: string): Promise<TestAccount>;
  /** Another server on the same database. */
  twin(others?: Partial<Config>): Promise<{ url: string; close(): Promise<void> }>;
  /** Every route of the server, as Fastify prints them. */
  routeTree: string;
  dataFolder: string;
  databaseUrl: string;
  close(): Promise<void>;
}

export interface TestAccount extends TestClient {
  account: AuthResponse["account"];
}

/** The whole server on a database and a port of its own. */
export async function startTestServer(overrides: Partial<Config> = {}): Promise<TestServer> {
  const own = await createTestDatabase();
  const database = openDatabase(own.url, 10, () => undefined);
  const folder = await mkdtemp(join(tmpdir(), "miranda-web-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Miranda</title>");
  const dataFolder = join(folder, "data");
  const config: Config = {
    ...readConfig({ LOG_LEVEL: "silent", MIRANDA_MEMBERSHIP_CHANGES_PER_HOUR: "100000" }),
    port: 0,
    // Most tests let other accounts read what one account made.
    firstAnswers: { newProjects: "public" },
    dataFolder,
    ...overrides,
  };
  config.processors = { ...config.processors, sessionUsers: ownSessionUsers };
  // Fixed, whatever this machine has: a test that needs containers asks for them.
  if (config.processors.engine === "auto")
    config.processors = { ...config.processors, engine: "local", sandbox: false };
  const redis = config.redisUrl ? await openRedis(config.redisUrl, () => undefined) : undefined;
  const http = await createApp(config, database, folder, { redis });
  const url = await http.listen({ host: "127.0.0.1", port: 0 });
  let accounts = 0;

  return {
    url,
    db: database.db,
    routeTree: http.printRoutes({ commonPrefix: false }),
    dataFolder,
    databaseUrl: own.url,
    anonymous: () => new TestClient(url),
    async twin(others = {}) {
      const second = openDatabase(own.url, 5, () => undefined);
      const bus = config.redisUrl ? await openRedis(config.redisUrl, () => undefined) : undefined;
      const other = await createApp({ ...config, ...others, dataFolder: join(folder, "twin") }, second, folder, {
        redis: bus,
      });
      const address = await other.listen({ host: "127.0.0.1", port: 0 });
      return {
        url: address,
        close: async () => {
          await other.close();
          await bus?.close();
          await second.close();
        },
      };
    },
    async signUp(name = `person${++accounts}`) {
      const client = new TestClient(url);
      const body = {
        username: name,
        email: `${name}@example.org`,
        first_name: name.charAt(0).toUpperCase() + name.slice(1),
        last_name: "Tester",
        password,
      };
      const registered = await client.post("/api/v3/auth/register", body);
      if (registered.status !== 200) throw new Error(`register ${name}: ${registered.text}`);
      await client.post("/api/v3/auth/onboarding", {});
      return Object.assign(client, { account: registered.json<AuthResponse>().account });
    },
    async close() {
      await http.close();
      await redis?.close();
      await database.close();
      // Processors outlive their server, but must not outlive the test.
      await endJobs(dataFolder);
      await rm(folder, { recursive: true, force: true });
      await own.drop();
    },
  };
}

export async function endJobs(dataFolder: string): Promise<void> {
  const jobs = await readdir(join(dataFolder, "jobs")).catch(() => []);
  const engine = createLocalEngine({
    ...readConfig({}).processors,
    dataFolder,
    address: () => "",
    sandbox: withoutSandbox(undefined),
    log: () => undefined,
  });
  for (const job of jobs) await engine.stop(job, null);
}
