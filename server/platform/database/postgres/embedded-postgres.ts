import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants, existsSync, readlinkSync, realpathSync } from "node:fs";
import { chmod, chown, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { StartupError } from "../../errors/startup-error.ts";
import { type Binaries, getBinaries, isOpenToAll } from "./postgres-binaries.ts";
import { adminRole, applicationRole, databaseName, prepareDatabase } from "./postgres-roles.ts";
import { openSocketFolder, type Owner, socketSettings, socketUrl } from "./postgres-socket.ts";
import { messageOf } from "../../errors/error-details.ts";
import { ignore, safely } from "../../errors/safely.ts";

export interface EmbeddedPostgres {
  /** The application's login: its own database and no other rights. */
  url: string;
  /** The database `postgres` as superuser. For tests, never for the application. */
  adminUrl: string;
  stop(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  ended: Promise<string>;
}

// Small on purpose: the whole idle server, database included, must fit into 250 MB.
const settings = {
  shared_buffers: "32MB",
  max_connections: "60",
  max_worker_processes: "2",
  max_parallel_workers: "0",
  autovacuum_max_workers: "1",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  io_method: "sync",
  jit: "off",
  log_min_messages: "warning",
  timezone: "UTC",
};

// Even in the socket's folder a password is needed. There is no other way to connect.
const hostRules = "local all all scram-sha-256\n";
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
const startTimeout = 30_000;
const stopTimeout = 20_000;
const longestPause = 8_000;

/**
 * Starts a real PostgreSQL whose files are in `folder`, created on first use. It listens on a socket in a private
 * folder and on no port, so node code on this machine cannot reach it. When it ends unexpectedly (full disk, killed) it
 * is restarted at the same address until it stays up. The server lives on. `meanwhile` is called once, when its process has
 * been started and is not yet ready.
 */
export async function startEmbeddedPostgres(
  folder: string,
  logLine: (line: string) => void,
  meanwhile?: () => void,
): Promise<EmbeddedPostgres> {
  const owner = databaseOwner();
  const binaries = await getBinaries(owner !== undefined);
  const cluster = join(folder, "cluster");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (owner) await chown(folder, owner.uid, owner.gid);
  const adminPassword = await keepPassword(folder, owner);
  const wrap = wrapper(owner, folder);

  if (!existsSync(join(cluster, "PG_VERSION"))) await initialise(binaries, cluster, folder, wrap);
  const access = join(folder, "pg_hba.conf");
  await rm(access, { force: true });
  await writeNew(access, hostRules, owner);
  const socket = await openSocketFolder(folder, owner);
  // A new one at every start, stored nowhere.
  const password = randomPassword();
  const adminUrl = (database: string): string => socketUrl(socket.path, adminRole, adminPassword, database);
  const allSettings = { ...settings, ...socketSettings(socket.path), hba_file: access };
  const options = Object.entries(allSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command, args] = wrap(binaries.postgres, ["-D", cluster, ...options]);

  async function run(): Promise<Running> {
    await endOrphan(cluster);
    await socket.clear();
    // The folder belongs to the database's account. Where the server is root, a link there must not make it write to
    // another file.
    const log = await open(join(folder, "postgres.log"), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    // In a process session of its own: Ctrl-C reaches us first, and requests in flight still find the database.
    const child = spawn(command, args, { detached: true, stdio: ["ignore", log.fd, log.fd], env: environment() });
    const ended = new Promise<string>((resolve) => {
      child.once(
        "exit",
        safely((code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`)),
      );
      child.once(
        "error",
        safely((error) => resolve(error.message)),
      );
    });
    await log.close();
    meanwhile?.();
    meanwhile = undefined;
    try {
      await awaitReady(adminUrl("postgres"), ended);
    } catch (error) {
      await stopChild(child, ended);
      const last = (await readFile(join(folder, "postgres.log"), "utf8").catch(() => "")).trim().split("\n").at(-1);
      throw new StartupError(`The embedded PostgreSQL did not start: ${last || messageOf(error)}`);
    }
    return { child, ended };
  }

  async function start(): Promise<Running> {
    const first = await run();
    try {
      await prepareDatabase(adminUrl, password);
    } catch (error) {
      await stopChild(first.child, first.ended);
      throw new StartupError(`The embedded PostgreSQL could not be prepared: ${messageOf(error)}`);
    }
    return first;
  }

  let running = await start().catch(async (error: unknown) => {
    await socket.remove();
    throw error;
  });
  const stopping = new AbortController();
  const keeping = keep();

  async function keep(): Promise<void> {
    for (;;) {
      const reason = await running.ended;
      if (stopping.signal.aborted) return;
      logLine(`The embedded PostgreSQL is gone: ${reason}. It is started again.`);
      for (let pause = 500; ; pause = Math.min(pause * 2, longestPause)) {
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        try {
          running = await run();
          logLine("The embedded PostgreSQL is back.");
          break;
        } catch (error) {
          logLine(messageOf(error));
        }
      }
    }
  }

  return {
    url: socketUrl(socket.path, applicationRole, password, databaseName),
    adminUrl: adminUrl("postgres"),
    async stop() {
      stopping.abort();
      await stopChild(running.child, running.ended);
      await keeping;
      // It may have been restarted while it was being stopped.
      await stopChild(running.child, running.ended);
      await socket.remove();
    },
  };
}

/** PostgreSQL refuses to run as root, so root runs it as `nobody`. */
function databaseOwner(): Owner | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}

/** The superuser's password. Earlier versions kept it in the same place. */
async function keepPassword(folder: string, owner: Owner | undefined): Promise<string> {
  const file = join(folder, "password");
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known) return known;
  const password = randomPassword();
  await rm(file, { force: true });
  await writeNew(file, password, owner);
  return password;
}

function randomPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** Never overwrite: in a folder of another account, the name may be a link to any file. */
async function writeNew(path: string, text: string, owner: Owner | undefined): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    if (owner) await file.chown(owner.uid, owner.gid);
  } finally {
    await file.close();
  }
}

type Wrap = (command: string, args: string[]) => [string, string[]];

/**
 * Runs a database program as its owner, and ends it when this server is killed: an orphan would hold the folder. Where
 * the owner cannot reach its own folder (a clone below /root) it gets the right to read, no more.
 */
function wrapper(owner: Owner | undefined, folder: string): Wrap {
  const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));
  if (!setpriv) {
    if (owner)
      throw new StartupError("Running as root needs setpriv (Debian: util-linux), or run as an ordinary user.");
    return (command, args) => [command, args];
  }
  const identity = owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"] : [];
  const reading =
    owner && !isOpenToAll(folder) ? ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"] : [];
  return (command, args) => [setpriv, ["--pdeathsig", "INT", ...identity, ...reading, command, ...args]];
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" };
}

async function initialise(binaries: Binaries, cluster: string, folder: string, wrap: Wrap): Promise<void> {
  // Created beside and renamed when complete: a kill in between must not leave half a cluster.
  const draft = `${cluster}.new`;
  await rm(draft, { recursive: true, force: true });
  const access = ["-U", adminRole, "--auth=scram-sha-256", `--pwfile=${join(folder, "password")}`];
  const text = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"];
  const [command, args] = wrap(binaries.initdb, ["-D", draft, ...access, ...text, "--no-sync", "--no-instructions"]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: environment() });
  let output = "";
  child.stdout?.on(
    "data",
    safely((chunk) => (output += chunk)),
  );
  child.stderr?.on(
    "data",
    safely((chunk) => (output += chunk)),
  );
  const code = await new Promise<number | null>((resolve) => {
    child.once(
      "error",
      safely((error) => {
        output += error.message;
        resolve(null);
      }),
    );
    child.once("close", resolve);
  });
  if (code !== 0)
    throw new StartupError(
      `The embedded PostgreSQL could not be set up: ${output.trim().split("\n").slice(-1).join("")}`,
    );
  await chmod(draft, 0o700);
  await rename(draft, cluster);
}

/** The database of a killed server ends by itself in a second or two. If it does not, stop it. */
async function endOrphan(cluster: string): Promise<void> {
  const asked = Date.now();
  while (Date.now() - asked < stopTimeout) {
    const pid = Number((await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0]);
    if (!pid || !isPostmasterOf(pid, cluster)) return;
    if (Date.now() - asked > 3_000) process.kill(pid, "SIGINT");
    await sleep(100);
  }
  throw new StartupError(`The database in ${cluster} is held by another process that does not end.`);
}

function isPostmasterOf(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}

async function awaitReady(url: string, ended: Promise<string>): Promise<void> {
  let over: string | undefined;
  void ended.then((reason) => (over = reason));
  const asked = Date.now();
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", ignore);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (over) throw new Error(over, { cause: error });
      if (Date.now() - asked > startTimeout) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(40);
  }
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
  // Fast shutdown: ends connections, writes everything to disk.
  child.kill("SIGINT");
  const timer = new AbortController();
  const late = sleep(stopTimeout, "late", { signal: timer.signal }).catch(() => "");
  if ((await Promise.race([ended, late])) === "late") child.kill("SIGQUIT");
  timer.abort();
  await ended;
}
