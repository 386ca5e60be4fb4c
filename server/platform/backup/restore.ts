import { chmod, mkdir, readdir, rename, rm, statfs, symlink, writeFile } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

import { recordAuditEvent } from "../audit/audit-log.ts";
import { keyFiles } from "../cipher.ts";
import { type Db, openDatabase } from "../database/database.ts";
import { startEmbeddedPostgres } from "../database/postgres/embedded-postgres.ts";
import { listMigrations } from "../database/migrate.ts";
import { fileEntry, type Manifest, tableEntry } from "./archive-format.ts";
import { BackupError } from "./backup-error.ts";
import { type RestoreTargetState, loadDatabase, prepareDatabase, stateOf } from "./database-load-queries.ts";
import { type Archive, checkArchive, openArchive } from "./read-archive.ts";
import { findKeys } from "./sealed-key.ts";

export interface RestoreOrder {
  archive: string;
  /** Held by the caller, so that no server runs in it. */
  dataFolder: string;
  databaseUrl: string | undefined;
  migrations: string;
  passphrase: string | undefined;
  /** Keys that the operator has: MIRANDA_SECRET_KEY, and those that may have been used before. */
  keys: { fromSettings: Buffer | undefined; others: Buffer[] };
  /** Keeps what is there under another name. Without it a restore over something is refused. */
  replace: boolean;
  log: (line: string) => void;
}

export interface Restored {
  manifest: Manifest;
  /** Where the old data is, if there was some. */
  aside: string[];
}

/** Archives of versions before it have no log. */
const auditMigration = "0052-audit.sql";
const staging = "restoring";
const asidePrefix = "before-restore-";
/** What a data folder may contain that a restore does not touch. */
const untouched = new Set(["backups", "miranda.lock"]);

/** Checks everything first. Only then is anything changed. */
export async function restore(order: RestoreOrder): Promise<Restored> {
  const { dataFolder, replace, log } = order;
  await using archive = await openArchive(order.archive);
  const { manifest } = archive;
  await requireKnownVersion(order.migrations, manifest);
  const keys = await findKeys(manifest.key, order.passphrase, [
    ...(order.keys.fromSettings ? [order.keys.fromSettings] : []),
    ...order.keys.others,
  ]);
  const own = order.keys.fromSettings;
  if (own && keys[0] && !own.equals(keys[0]))
    throw new BackupError(
      "MIRANDA_SECRET_KEY is another key than that of the archive. Leave it out, and the key of the archive is written to the data folder. Nothing was changed.",
    );
  const present = await listOwn(dataFolder);
  if (present.length > 0 && !replace)
    throw new BackupError(
      `${dataFolder} is not empty. Name another folder in MIRANDA_DATA, or keep what is there aside with --replace. Nothing was changed.`,
    );
  const state = order.databaseUrl === undefined ? "empty" : await requireFreeDatabase(order.databaseUrl, replace);
  await requireRoom(dataFolder, manifest, order.databaseUrl === undefined);
  log("Checking the archive …");
  await checkArchive(archive, () => undefined);

  const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const staged = join(dataFolder, staging);
  await rm(staged, { recursive: true, force: true });
  await mkdir(staged, { mode: 0o711 });
  const aside: string[] = [];
  try {
    log("Restoring the files …");
    await restoreFiles(archive, staged);
    if (!own) await writeKeys(staged, keys);
    log("Restoring the database …");
    const { databaseUrl, migrations } = order;
    if (databaseUrl === undefined) await fillEmbedded(archive, staged, migrations);
    else aside.push(...(await fillGiven(archive, { databaseUrl, migrations, state, stamp })));
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw error;
  }
  if (present.length > 0) aside.push(await moveAside(dataFolder, present, `${asidePrefix}${stamp}`));
  for (const name of await readdir(staged)) await rename(join(staged, name), join(dataFolder, name));
  await rm(staged, { recursive: true, force: true });
  return { manifest, aside };
}

async function requireKnownVersion(folder: string, { migrations, version }: Manifest): Promise<void> {
  const known = new Set(await listMigrations(folder));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown)
    throw new BackupError(
      `The archive was made by a newer Miranda (${version}, it has ${unknown}). Restore it with that version. Nothing was changed.`,
    );
}

async function listOwn(dataFolder: string): Promise<string[]> {
  const names = await readdir(dataFolder).catch(() => []);
  return names.filter((name) => !untouched.has(name) && name !== staging && !name.startsWith(asidePrefix));
}

async function requireRoom(dataFolder: string, { files, tables }: Manifest, isEmbedded: boolean): Promise<void> {
  const { bavail, bsize } = await statfs(dataFolder);
  // Tables take about twice their text, with their indexes.
  const rows = isEmbedded ? 100_000_000 + 2 * tables.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
  const needed = files.bytes + rows;
  if (bavail * bsize < needed)
    throw new BackupError(
      `The disk of ${dataFolder} has too little room: ${megabytes(needed)} MB are needed, ${megabytes(bavail * bsize)} MB are free. Nothing was changed.`,
    );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}

async function restoreFiles({ files, read }: Archive, folder: string): Promise<void> {
  for (const { path, mode, number, target } of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    if (number !== undefined)
      await pipeline(await read(fileEntry(number)), createWriteStream(place, { flags: "wx", mode: mode & 0o777 }));
    else if (target === undefined) await mkdir(place, { recursive: true, mode: 0o700 });
  }
  // Links come after all files, so that no file is written through one. Folders that may not be written come last.
  for (const { path, target } of files) if (target !== undefined) await symlink(target, join(folder, path));
  for (const { path, mode, number, target } of files)
    if (number === undefined && target === undefined) await chmod(join(folder, path), mode);
}

async function writeKeys(folder: string, [current, old]: Buffer[]): Promise<void> {
  const files = keyFiles(folder);
  if (current) await writeFile(files.current, current, { mode: 0o600, flag: "wx" });
  if (old) await writeFile(files.old, old, { mode: 0o600, flag: "wx" });
}

/** A new cluster beside the old one: it takes its place when it is complete. */
async function fillEmbedded(archive: Archive, folder: string, migrations: string): Promise<void> {
  const postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  try {
    const database = openDatabase(postgres.url, 2, () => undefined);
    try {
      await loadDatabase(database.pool, migrations, archive.manifest, ({ name }) => archive.read(tableEntry(name)));
      await recordRestore(database.db, archive.manifest);
    } finally {
      await database.close();
    }
  } finally {
    await postgres.stop();
  }
}

/** Not "miranda": that is the name under which servers are looked for. */
const applicationName = "miranda-restore";

async function requireFreeDatabase(url: string, replace: boolean): Promise<RestoreTargetState> {
  const database = openDatabase(url, 1, () => undefined, applicationName);
  try {
    const state = await stateOf(database.pool);
    if (state === "in use")
      throw new BackupError("A server uses the database of DATABASE_URL. Stop it first. Nothing was changed.");
    if (state === "filled" && !replace)
      throw new BackupError(
        "The database of DATABASE_URL is not empty. Name another one, or keep its tables aside with --replace. Nothing was changed.",
      );
    return state;
  } finally {
    await database.close();
  }
}

interface Filling {
  databaseUrl: string;
  migrations: string;
  state: RestoreTargetState;
  stamp: string;
}

async function fillGiven(archive: Archive, { databaseUrl, migrations, state, stamp }: Filling): Promise<string[]> {
  const database = openDatabase(databaseUrl, 2, () => undefined, applicationName);
  try {
    const aside = `before_restore_${stamp}`;
    await prepareDatabase(database.pool, state, aside);
    await loadDatabase(database.pool, migrations, archive.manifest, ({ name }) => archive.read(tableEntry(name)));
    await recordRestore(database.db, archive.manifest);
    return state === "filled" ? [`the schema ${aside} of the database`] : [];
  } finally {
    await database.close();
  }
}

/** In the log that was restored: from here on it goes on in another place. */
async function recordRestore(db: Db, { made_at, migrations }: Manifest): Promise<void> {
  if (!migrations.includes(auditMigration)) return;
  const subject = { kind: "backup", name: made_at };
  const who = { actor: null, actorName: "The operator" };
  await recordAuditEvent(db, { kind: "backup.restore", ...who, subject, details: { made_at } });
}

async function moveAside(dataFolder: string, names: string[], aside: string): Promise<string> {
  const target = join(dataFolder, aside);
  await mkdir(target, { mode: 0o700 });
  for (const name of names) await rename(join(dataFolder, name), join(target, name));
  return target;
}
