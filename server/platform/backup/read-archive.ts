import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";

import { systemCodeOf } from "../errors/error-details.ts";
import {
  fileEntry,
  formatNumber,
  isSafeLink,
  isSafePath,
  ListedFile,
  listName,
  Manifest,
  manifestName,
  tableEntry,
} from "./archive-format.ts";
import { BackupError } from "./backup-error.ts";

export interface Archive extends AsyncDisposable {
  manifest: Manifest;
  files: ListedFile[];
  read(entry: string): Promise<Readable>;
}

const manifestMax = 16 * 1024 * 1024;
const damaged = (what: string): BackupError => new BackupError(`The archive is damaged: ${what}. Nothing was changed.`);

/** Opens an archive, and checks its names and lists. Its content is checked by `checkArchive`. */
export async function openArchive(path: string): Promise<Archive> {
  const handle = await open(path).catch((error: unknown) => {
    throw systemCodeOf(error) === "ENOENT" ? new BackupError(`There is no file ${path}.`) : error;
  });
  const close = async (): Promise<void> => handle.close();
  try {
    const { zip, entries } = await readEntries(handle.fd);
    const read = async (name: string): Promise<Readable> => {
      const entry = entries.get(name);
      if (!entry) throw damaged(`${name} is missing`);
      return zip.openReadStreamPromise(entry);
    };
    const manifest = await readManifest(entries, read);
    const files = await readList(manifest, read);
    const expected = [
      manifestName,
      listName,
      ...manifest.tables.map(({ name }) => tableEntry(name)),
      ...files.flatMap(({ number }) => (number === undefined ? [] : [fileEntry(number)])),
    ];
    if (expected.length !== entries.size || expected.some((name) => !entries.has(name)))
      throw damaged("it does not contain exactly what its manifest lists");
    return { manifest, files, read, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readEntries(fd: number): Promise<{ zip: ZipFile; entries: Map<string, Entry> }> {
  const entries = new Map<string, Entry>();
  try {
    const zip = await fromFdPromise(fd, { autoClose: false, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (((entry.externalFileAttributes >>> 16) & 0o17_0000) === 0o12_0000) throw damaged(`${fileName} is a link`);
      if (entries.has(fileName)) throw damaged(`${fileName} is there twice`);
      entries.set(fileName, entry);
    }
    return { zip, entries };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    // A zip ends with its list of entries, so one that was cut has none.
    throw new BackupError("This is no archive of Miranda, or it was cut. Nothing was changed.");
  }
}

async function readManifest(entries: Map<string, Entry>, read: (name: string) => Promise<Readable>): Promise<Manifest> {
  const entry = entries.get(manifestName);
  if (!entry || entry.uncompressedSize > manifestMax)
    throw new BackupError("This is no archive of Miranda: it has no manifest. Nothing was changed.");
  const parts: Buffer[] = [];
  for await (const part of await read(manifestName)) parts.push(part as Buffer);
  const value = parse(Buffer.concat(parts).toString("utf8"));
  const format = typeof value === "object" && value && "format" in value ? value.format : undefined;
  if (typeof format === "number" && format > formatNumber)
    throw new BackupError("The archive was made by a newer Miranda. Restore it with that version.");
  const parsed = Manifest.safeParse(value);
  if (!parsed.success) throw damaged("its manifest is not readable");
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readList(manifest: Manifest, read: (name: string) => Promise<Readable>): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const [places, folders] = [new Set<string>(), new Set<string>()];
  const hash = createHash("sha256");
  const stream = await read(listName);
  for await (const line of linesOf(stream, (piece) => hash.update(piece))) {
    const parsed = ListedFile.safeParse(parse(line));
    if (!parsed.success) throw damaged("its list of files is not readable");
    const file = parsed.data;
    if (!isSafePath(file.path)) throw damaged(`${shown(file.path)} leads out of the data folder`);
    if (file.target !== undefined && !isSafeLink(file.path, file.target))
      throw damaged(`${shown(file.path)} is a link that leads out of its project`);
    if (places.has(file.path)) throw damaged(`${shown(file.path)} is there twice`);
    places.add(file.path);
    for (let at = file.path.lastIndexOf("/"); at > 0; at = file.path.lastIndexOf("/", at - 1))
      folders.add(file.path.slice(0, at));
    files.push(file);
  }
  if (hash.digest("hex") !== manifest.files.list_sha256) throw damaged("its list of files was changed");
  for (const { path, number, target } of files)
    if ((number !== undefined || target !== undefined) && folders.has(path))
      throw damaged(`${shown(path)} is a file and a folder`);
  return files;
}

/** Ends lines at "\n" only: names of files may contain other characters that end a line, such as U+2028. */
async function* linesOf(stream: Readable, onPiece: (piece: Buffer) => void): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const piece of stream) {
    onPiece(piece as Buffer);
    const lines = (rest + decoder.write(piece as Buffer)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function shown(path: string): string {
  return path.replaceAll(/\p{Cc}/gu, "?").slice(0, 200);
}

/** Reads everything once, and compares it with the manifest. */
export async function checkArchive(
  archive: Archive,
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { manifest, files } = archive;
  const total = manifest.files.bytes + manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  async function check(entry: string, what: string, bytes: number | undefined, sha256: string | undefined) {
    signal?.throwIfAborted();
    const hash = createHash("sha256");
    let size = 0;
    try {
      for await (const piece of await archive.read(entry)) {
        const data = piece as Buffer;
        hash.update(data);
        size += data.length;
        onProgress((done += data.length), total);
      }
    } catch (error) {
      if (error instanceof BackupError) throw error;
      throw damaged(`${what} cannot be read`);
    }
    if (size !== bytes || hash.digest("hex") !== sha256) throw damaged(`${what} was changed`);
  }
  for (const { name, bytes, sha256 } of manifest.tables)
    await check(tableEntry(name), `the table ${name}`, bytes, sha256);
  for (const { path, number, bytes, sha256 } of files)
    if (number !== undefined) await check(fileEntry(number), shown(path), bytes, sha256);
}
