import type { Backup, Health, HealthPart } from "@miranda/contract/schemas/operations/health.ts";
import { statfs } from "node:fs/promises";

import { backups as limits } from "../../../platform/backup/backup-limits.ts";
import type { Database } from "../../../platform/database/database.ts";
import { listMigrations } from "../../../platform/database/migrate.ts";
import { messageOf } from "../../../platform/errors/error-details.ts";
import { findPython } from "../../../platform/python.ts";
import type { Config } from "../../../platform/settings/config.ts";
import { version } from "../../../platform/version.ts";
import { withTimeout } from "../../../platform/with-timeout.ts";
import type { Backups } from "../backups/backups-service.ts";
import { createHealthQueries } from "./health-queries.ts";

/** What the composition root knows about the parts that this feature may not touch. */
export interface Parts {
  engine: { name: string; warnings: { message: string }[]; ask: () => Promise<unknown> };
  /** Undefined: there is no Redis. */
  redis: (() => Promise<unknown>) | undefined;
}

interface Dependencies {
  database: Database;
  config: Config;
  migrations: string;
  backups: Backups;
  parts: Parts;
}

const timeoutMs = 3_000;

/** Whether the parts of the installation work, as seen from this server. */
export function createHealth({ database, config, migrations, backups, parts }: Dependencies) {
  const { db, pool } = database;
  const queries = createHealthQueries(db);
  const startedAt = new Date().toISOString();
  const { dataFolder, processors, databaseUrl, databasePool } = config;

  async function readDatabase() {
    const connections = {
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      most: databasePool,
    };
    const rest = { is_embedded: databaseUrl === undefined, connections };
    try {
      const found = await withTimeout(queries.database(), timeoutMs);
      const part: HealthPart =
        connections.waiting > 0
          ? { state: "warning", words: `${connections.waiting} calls wait for a connection. Raise DATABASE_POOL.` }
          : { state: "ok", words: "It answers." };
      const known = await listMigrations(migrations);
      const pending = known.filter((name) => !found.applied.includes(name));
      return { ...{ found, pending }, part: { ...part, ...rest, bytes: found.bytes } };
    } catch (error) {
      const part: HealthPart = { state: "failed", words: `It does not answer: ${messageOf(error)}` };
      return { found: undefined, pending: [], part: { ...part, ...rest, bytes: null } };
    }
  }

  async function readDisk(): Promise<Health["disk"]> {
    const { bavail, blocks, bsize } = await statfs(dataFolder);
    const [free_bytes, total_bytes] = [bavail * bsize, blocks * bsize];
    const reserve = processors.diskReserveBytes;
    const part: HealthPart =
      free_bytes < reserve
        ? { state: "failed", words: "It is full: sessions that print wait, and nothing is saved. Free some room." }
        : free_bytes < Math.max(4 * reserve, total_bytes * 0.05)
          ? { state: "warning", words: "It is almost full. Free some room." }
          : { state: "ok", words: "It has room." };
    return { ...part, free_bytes, total_bytes };
  }

  async function readEngine(): Promise<Health["engine"]> {
    const { name, warnings, ask } = parts.engine;
    const answer = await attempt(ask, "It answers.");
    const [warning] = warnings;
    return answer.state === "ok" && warning ? { name, state: "warning", words: warning.message } : { name, ...answer };
  }

  async function readBackup(): Promise<Health["backup"]> {
    const { every = null, keep, passphrase } = config.backups;
    const recent = await withTimeout(backups.list(), timeoutMs).catch((): Backup[] => []);
    const done = recent.find(({ state }) => state === "DONE");
    const rest = { every, keep, folder: backups.folder, has_passphrase: passphrase !== undefined, recent };
    return { ...backupPart(done, recent[0], every), ...rest };
  }

  return {
    async read(): Promise<Health> {
      const [{ found, pending, part }, disk, engine, redis, backup, python] = await Promise.all([
        readDatabase(),
        readDisk(),
        readEngine(),
        parts.redis
          ? attempt(parts.redis, "It answers.")
          : { state: "off" as const, words: "Not in use: this server is alone." },
        readBackup(),
        findPython(),
      ]);
      return {
        versions: {
          miranda: version,
          node: process.versions.node,
          postgres: found?.version ?? null,
          python: python?.version.join(".") ?? null,
        },
        database: part,
        migrations:
          pending.length === 0
            ? { state: "ok", words: "The tables are those of this version.", pending }
            : { state: "warning", words: "They are applied when a server of this version starts.", pending },
        ...{ disk, engine, redis, backup },
        started_at: startedAt,
      };
    },
  };
}

function backupPart(done: Backup | undefined, newest: Backup | undefined, every: number | null): HealthPart {
  if (newest?.state === "FAILED")
    return { state: "failed", words: `The last backup failed: ${newest.problem ?? "unknown reason"}` };
  if (!done) return { state: "warning", words: "There is no backup yet." };
  const age = Date.now() - Date.parse(done.started_at);
  if (age > Math.max(2 * (every ?? 0), limits.oldAfter))
    return { state: "warning", words: `The last backup is ${Math.floor(age / 86_400_000)} days old.` };
  return {
    state: "ok",
    words: done.has_key ? "There is a recent one." : "There is a recent one. It does not contain the secret key.",
  };
}

async function attempt(ask: () => Promise<unknown>, words: string): Promise<HealthPart> {
  try {
    await withTimeout(ask(), timeoutMs);
    return { state: "ok", words };
  } catch (error) {
    return { state: "failed", words: `It does not answer: ${messageOf(error)}` };
  }
}
