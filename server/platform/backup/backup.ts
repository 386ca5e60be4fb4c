import { existsSync } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

import type { Keys } from "../cipher.ts";
import { messageOf, systemCodeOf } from "../errors/error-details.ts";
import { version } from "../version.ts";
import {
  fileEntry,
  formatNumber,
  type ListedFile,
  listName,
  type Manifest,
  manifestName,
  type TableCopy,
  tableEntry,
} from "./archive-format.ts";
import { BackupError } from "./backup-error.ts";
import { openSnapshot, type Snapshot } from "./database-copy-queries.ts";
import { type Found, walk } from "./file-tree.ts";
import { checkArchive, openArchive } from "./read-archive.ts";
import { sealKeys } from "./sealed-key.ts";
import { type ArchiveWriter, createArchiveWriter } from "./write-archive.ts";

export interface Progress {
  step: "files" | "database" | "check";
  done: number;
  total: number;
}

export interface BackupOrder {
  databaseUrl: string;
  dataFolder: string;
  keys: Keys;
  passphrase: string | undefined;
  /** Where the archive will be. Nothing may be there. */
  target: string;
  /** Called once no other backup can begin. */
  onBegin: () => Promise<void>;
  /** Called when it is done or has failed, before another one can begin. */
  onEnd: (result: BackupResult) => Promise<void>;
  onProgress: (progress: Progress) => void;
  /** Stops when the disk has less room than this: the database may be on it. */
  diskReserveBytes: number;
  signal?: AbortSignal | undefined;
}

export type BackupResult = { manifest: Manifest; bytes: number } | { problem: string };

// Tables shrink to a fifth even at the lowest level. Most artefacts are compressed already.
const levels = { database: 1, storage: 1, content: 0 } as const;

const mostLeftOut = 1_000;
const shownLength = 300;

/** Writes one archive of the database and the files, and reads it back. Returns its manifest. */
export async function makeBackup(order: BackupOrder): Promise<Manifest> {
  const { databaseUrl, dataFolder, keys, passphrase, target, onProgress, signal } = order;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw explain(error, target);
  });
  if (existsSync(target)) throw new BackupError(`${target} exists already. Give another name.`);
  const snapshot = await openSnapshot(databaseUrl);
  // One backup at a time: what is there was left by one that was killed.
  await rm(`${target}.part`, { force: true });
  const progress: Progress = { step: "files", done: 0, total: snapshot.estimatedBytes };
  const archive = createArchiveWriter(target, order.diskReserveBytes, (bytes) => {
    // The size of tables is an estimate, and files may grow.
    progress.done = Math.min(progress.total, progress.done + bytes);
    onProgress(progress);
  });
  let needsSnapshot = true;
  try {
    await order.onBegin();
    const files = createFileList(dataFolder, archive, signal);
    progress.total += await files.measure();
    await files.copy("artifacts", levels.content);
    await files.copy("results", levels.content);
    const missing = (await snapshot.namedFiles()).filter((path) => !files.paths.has(path));
    progress.step = "database";
    const tables = await copyTables(snapshot, archive, signal);
    progress.step = "files";
    await files.copy("storage", levels.storage);
    const list = await archive.add(listName, files.lines(), 1);
    const manifest: Manifest = {
      format: formatNumber,
      product: "miranda",
      version,
      made_at: new Date().toISOString(),
      migrations: snapshot.migrations,
      tables,
      sequences: snapshot.sequences,
      files: { ...files.counted(), list_bytes: list.bytes, list_sha256: list.sha256 },
      missing: [...missing, ...files.leftOut].slice(0, mostLeftOut),
      key: await sealKeys(keys, passphrase),
    };
    await archive.add(manifestName, once(JSON.stringify(manifest)), 1);
    await archive.finish();
    await snapshot.release();
    needsSnapshot = false;
    await readBack(archive.draft, manifest, onProgress, signal);
    await archive.publish();
    await order.onEnd({ manifest, bytes: (await stat(target)).size });
    return manifest;
  } catch (error) {
    await archive.discard();
    const explained = needsSnapshot && snapshot.isLost() ? connectionLost() : explain(error, target);
    await order.onEnd({ problem: messageOf(explained) });
    throw explained;
  } finally {
    await snapshot.close();
    // A file that was being opened while the backup failed appears late. A whole archive has its own name by now.
    await rm(archive.draft, { force: true });
  }
}

async function copyTables(
  snapshot: Snapshot,
  archive: ArchiveWriter,
  signal: AbortSignal | undefined,
): Promise<TableCopy[]> {
  const tables: TableCopy[] = [];
  for (const shape of snapshot.tables) {
    signal?.throwIfAborted();
    const { stream, rows } = snapshot.copy(shape);
    const written = await archive.add(tableEntry(shape.name), stream, levels.database);
    tables.push({ ...shape, rows: await rows(), ...written });
  }
  return tables;
}

/** Copies files under numbers: their own names could be anything that a disk accepts and a zip does not. */
function createFileList(dataFolder: string, archive: ArchiveWriter, signal: AbortSignal | undefined) {
  const listed: ListedFile[] = [];
  const leftOut: string[] = [];
  // The manifest has a largest size, and node code may choose long names.
  const leave = (path: string): void => {
    if (leftOut.length < mostLeftOut) leftOut.push(path.slice(0, shownLength));
  };
  const paths = new Set<string>();
  let count = 0;
  let bytes = 0;

  async function copyFile({ path, mode, open }: Found, level: number): Promise<void> {
    const file = await open();
    if (!file) return;
    const number = ++count;
    const written = await archive.add(fileEntry(number), file.createReadStream(), level);
    bytes += written.bytes;
    paths.add(path);
    listed.push({ path, mode, number, ...written });
  }

  return {
    paths,
    leftOut,
    counted: () => ({ count, bytes }),

    async measure(): Promise<number> {
      let sum = 0;
      for (const folder of ["artifacts", "results", "storage"])
        for await (const found of walk(dataFolder, folder, () => undefined)) sum += found.bytes;
      return sum;
    },

    async copy(folder: string, level: number): Promise<void> {
      for await (const found of walk(dataFolder, folder, leave)) {
        signal?.throwIfAborted();
        const { path, mode, kind, target } = found;
        // An upload that is on its way.
        if (folder !== "storage" && path.endsWith(".part")) continue;
        if (kind === "file") await copyFile(found, level);
        else listed.push({ path, mode, ...(target !== undefined && { target }) });
      }
    },

    async *lines(): AsyncGenerator<Buffer> {
      for (const file of listed) yield Buffer.from(`${JSON.stringify(file)}\n`);
    },
  };
}

/** A disk that loses what it was given is noticed now, not on the day of the restore. */
async function readBack(
  path: string,
  written: Manifest,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await using archive = await openArchive(path);
  if (JSON.stringify(archive.manifest) !== JSON.stringify(written))
    throw new BackupError("The archive that was written reads differently. The disk may be broken.");
  await checkArchive(archive, (done, total) => onProgress({ step: "check", done, total }), signal);
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function connectionLost(): BackupError {
  return new BackupError("The connection to the database was lost. No archive was left.");
}

function explain(error: unknown, target: string): unknown {
  const code = systemCodeOf(error);
  // PostgreSQL was stopped, or ended this connection.
  if (code?.startsWith("57P")) return connectionLost();
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${dirname(target)} is full. No archive was left there.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${dirname(target)} may not be written.`);
  return error;
}
