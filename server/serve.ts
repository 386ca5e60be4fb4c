import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";

import { openMachineSandbox } from "./engines/sandbox/machine-sandbox.ts";
import { type Config, readConfig } from "./platform/settings/config.ts";
import { holdDataFolder } from "./platform/data-folder.ts";
import { checkDatabase, type Database, openDatabase } from "./platform/database/database.ts";
import { startEmbeddedPostgres } from "./platform/database/postgres/embedded-postgres.ts";
import type { Http } from "./platform/http/http-server.ts";
import { listMigrations, migrate } from "./platform/database/migrate.ts";
import { removeMallocSettings, startIdleMemory } from "./platform/idle-memory.ts";
import { StartupError } from "./platform/errors/startup-error.ts";
import { buildWebClient } from "./platform/web-client/build-web-client.ts";
import { messageOf, systemCodeOf } from "./platform/errors/error-details.ts";
import { ignore, reportFault, safely } from "./platform/errors/safely.ts";

const root = resolve(import.meta.dirname, "..");
/** The exit code after a fault that nobody caught. */
const diedOf = 70;
const closers: (() => Promise<void>)[] = [];

/** Ends, in reverse order, everything this process started. */
async function stopAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => print(`While stopping: ${String(error)}`));
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function start(config: Config): Promise<void> {
  const data = await holdDataFolder(config.dataFolder);
  closers.push(data.release);
  const webFolder = join(root, "dist", "web");
  if (config.development) await mkdir(webFolder, { recursive: true });
  else await buildWebClient(root, webFolder, print);

  const { engine } = config.processors;
  const sandbox =
    engine === "auto" || engine === "local" ? openMachineSandbox(config.processors, data.path) : undefined;
  // Whoever waits for it gets its error. It may end before anybody does.
  sandbox?.catch(ignore);
  // The database's process starts while our modules are loaded.
  const loaded = Promise.withResolvers<Parts>();
  const load = (): void => loaded.resolve(loadParts());
  const url = config.databaseUrl ?? (await startOwnDatabase(data.path, load));
  if (config.databaseUrl) load();
  const database = openDatabase(url, config.databasePool, () => undefined);
  closers.push(database.close);
  if (config.databaseUrl) await checkDatabase(database.pool, url, print);
  await prepareTables(database);

  const redis = config.redisUrl ? await openBus(config.redisUrl) : undefined;
  const { createApp, closeHttp } = await loaded.promise;
  const http = await createApp(config, database, webFolder, { redis, sandbox });
  await listen(http, config);
  closers.push(() => closeHttp(http));
  const stopIdleMemory = startIdleMemory();
  closers.push(async () => stopIdleMemory());
  print(`Miranda is at ${config.publicUrl ?? ownAddress(http, config)}`);
}

async function prepareTables({ pool }: Database): Promise<void> {
  const folder = join(root, "server", "migrations");
  const applied = await migrate(pool, folder);
  if (applied.length === (await listMigrations(folder)).length)
    print(`Made the tables (${applied.length} migrations).`);
  else for (const name of applied) print(`Applied the migration ${name}.`);
}

function reportRedis(error: unknown, what: string): void {
  print(`${what}: ${messageOf(error)}`);
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

/** Nearly all of the server. */
async function loadParts() {
  const [{ createApp }, { closeHttp }] = await Promise.all([
    import("./app.ts"),
    import("./platform/http/http-server.ts"),
  ]);
  return { createApp, closeHttp };
}

async function openBus(url: string) {
  const { openRedis } = await import("./platform/redis.ts");
  const redis = await openRedis(url, reportRedis);
  closers.push(redis.close);
  return redis;
}

async function startOwnDatabase(dataFolder: string, meanwhile: () => void): Promise<string> {
  const postgres = await startEmbeddedPostgres(join(dataFolder, "postgres"), print, meanwhile);
  closers.push(postgres.stop);
  return postgres.url;
}

async function listen(http: Http, { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "EADDRINUSE") throw new StartupError(`Port ${port} is in use. Set PORT to another one.`);
    if (code === "EACCES")
      throw new StartupError(`Port ${port} may not be used by this account. Set PORT to one above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new StartupError(`HOST ${host} is not an address of this machine.`);
    throw error;
  }
}

function ownAddress(http: Http, { host }: Config): string {
  const address = http.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}

async function fail(error: unknown): Promise<never> {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${error instanceof StartupError ? error.message : details}\n`);
  await stopAll();
  process.exit(1);
}

/** Ctrl-C reaches the terminal's processes all at once, and npm and start.sh pass it on: that is one wish, not three. */
const sameWish = 1_000;
let stoppingSince: number | undefined;
async function stop(): Promise<void> {
  // A second signal means: exit at once.
  if (stoppingSince !== undefined) {
    if (Date.now() - stoppingSince < sameWish) return;
    process.exit(130);
  }
  stoppingSince = Date.now();
  await stopAll();
  process.exit(0);
}

process.on(
  "SIGINT",
  safely(() => void stop()),
);
process.on(
  "SIGTERM",
  safely(() => void stop()),
);
process.on(
  "uncaughtException",
  safely((error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    // Not 1, which says that it cannot start: start.sh starts it again.
    process.exit(diedOf);
  }),
);
// A promise that nobody awaits ends no more than itself.
process.on("unhandledRejection", safely(reportFault));
removeMallocSettings();
try {
  await start(readConfig(process.env));
} catch (error) {
  await fail(error);
}
