import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

import { getBinaries } from "../platform/database/postgres/postgres-binaries.ts";

const run = promisify(execFile);
const nobody = 65_534;
const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
// The right to reach its own folder below one that only root may enter.
const reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"];

/**
 * An embedded PostgreSQL as versions before the socket made it: it listens on a port of 127.0.0.1, and the application
 * signs in as the role that initdb made. What `fill` does with its database is what such a version left in the folder.
 */
export async function makeOldCluster(folder: string, fill: (url: string) => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  const binaries = await getBinaries(isRoot);
  const cluster = join(folder, "cluster");
  const passwordFile = join(folder, "password");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, "old-password", { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  const as = isRoot ? ["setpriv", ...identity, ...reading] : ["env"];
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" };

  const access = ["-U", "miranda", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const text = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"];
  const [command = "", ...before] = as;
  await run(command, [...before, binaries.initdb, "-D", cluster, ...access, ...text, "--no-sync"], { env });
  const port = await freePort();
  const options = ["-D", cluster, "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
  const quiet = ["-c", "unix_socket_directories=", "-c", "io_method=sync", "-c", "wal_level=minimal"];
  const child = spawn(command, [...before, binaries.postgres, ...options, ...quiet, "-c", "max_wal_senders=0"], {
    env,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const base = `postgres://miranda:old-password@127.0.0.1:${port}`;
  try {
    await createDatabase(`${base}/postgres`);
    await fill(`${base}/miranda`);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}

async function createDatabase(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return void (await client.query("create database miranda"));
    } catch (error) {
      if (attempt > 300) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(100);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  return typeof address === "object" && address ? address.port : 0;
}
