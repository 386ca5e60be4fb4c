import type { Pool } from "pg";

import { backups as limits } from "../platform/backup/backup-limits.ts";
import { openKeys, unseal } from "../platform/cipher.ts";
import { createBackupRecordQueries } from "../platform/backup/backup-records-queries.ts";
import type { Database } from "../platform/database/database.ts";
import { listMigrations } from "../platform/database/migrate.ts";
import { nextSealed, sealedColumns } from "../platform/keys/sealed-values-queries.ts";
import type { Config } from "../platform/settings/config.ts";
import { readDatabaseFacts } from "./database-facts-queries.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";

const clockOff = 30_000;
const sampled = 200;

export async function checkDatabase({ pool }: Database, migrationsFolder: string): Promise<Finding[]> {
  const known = await listMigrations(migrationsFolder);
  const state = await readDatabaseFacts(pool);
  const findings = [ok("Database", `PostgreSQL ${state.version}`)];
  if (Number.parseInt(state.version, 10) < 15)
    findings.push(problem("Database", `PostgreSQL ${state.version} is too old`, "Use PostgreSQL 15 or later."));
  if (state.is_cut)
    findings.push(
      problem("Database", "a restore into it was cut", "Run `npm run restore` again before you start the server."),
    );
  const newer = state.applied.find((name) => !known.includes(name));
  const pending = known.filter((name) => !state.applied.includes(name));
  if (newer)
    findings.push(
      problem(
        "Migrations",
        `the database was used by a newer Miranda (it has ${newer})`,
        "Start that version instead.",
      ),
    );
  else if (pending.length > 0)
    findings.push(
      warning(
        "Migrations",
        `${pending.length} are pending`,
        "They are applied by the next start. Make a backup before.",
      ),
    );
  else findings.push(ok("Migrations", "all are applied"));
  const off = Math.abs(state.now.getTime() - Date.now());
  findings.push(
    off > clockOff
      ? problem(
          "Clock",
          `it differs from the database's by ${Math.round(off / 1_000)} seconds`,
          "Turn on time synchronisation (NTP) on both machines.",
        )
      : ok("Clock", "agrees with the database's"),
  );
  return findings;
}

/** A key that does not open what is stored is found now, not by the first run that needs a secret. */
export async function checkSealedValues(pool: Pool, config: Config): Promise<Finding> {
  const { current, old } = (await openKeys(config))();
  let closed = 0;
  for (const column of sealedColumns)
    for (const value of await nextSealed(pool, column, Buffer.alloc(0), sampled))
      if ([current, ...old].every((key) => unseal(key, value) === undefined)) closed += 1;
  return closed === 0
    ? ok("Secrets", "the key opens what is stored")
    : problem(
        "Secrets",
        `${closed} stored values do not open with this key`,
        "Set the key that they were sealed with: MIRANDA_SECRET_KEY, or the file secret-key.",
      );
}

export async function checkBackups({ db }: Database, { backups }: Config): Promise<Finding> {
  const part = "Backup";
  const advice = "Run `npm run backup`, or set MIRANDA_BACKUP_EVERY.";
  const records = createBackupRecordQueries(db);
  const [newest] = await records.newest(1);
  const last = await records.lastDone();
  if (newest?.state === "FAILED")
    return problem(part, `the last one failed: ${newest.problem ?? ""}`, "Do what it says, then run `npm run backup`.");
  if (!last) return warning(part, "there is none", advice);
  const days = Math.floor((Date.now() - last.started_at.getTime()) / 86_400_000);
  const late = Date.now() - last.started_at.getTime() > Math.max(limits.oldAfter, 2 * (backups.every ?? 0));
  return late
    ? warning(part, `the last one is ${days} days old`, advice)
    : ok(part, `${last.file} of ${last.started_at.toISOString()}`);
}
