import { workflowFiles as limits } from "@miranda/contract/limits.ts";
import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, getFileNameLowLevel, validateFileName, type ZipFile } from "yauzl";

import { AppError } from "../../../platform/errors/app-error.ts";

/** The files of a zip by path, or a refusal. Nothing is unpacked beyond the limits, whatever the zip says of itself. */
export async function readZip(zip: Buffer): Promise<Map<string, Buffer>> {
  try {
    return await unpack(await fromBufferPromise(zip, { decodeStrings: false, validateEntrySizes: true }));
  } catch (error) {
    // The library's own errors say that the file is broken.
    throw error instanceof AppError ? error : new AppError("zip_unreadable");
  }
}

async function unpack(zip: ZipFile): Promise<Map<string, Buffer>> {
  if (zip.entryCount > limits.entriesMax)
    throw new AppError("workflow_files_too_large", `A zip can have at most ${limits.entriesMax} files.`);
  // All names and sizes first: entries may share their bytes, so a small zip could keep us unpacking for long.
  const entries: [string, Entry][] = [];
  const names = new Set<string>();
  let announced = 0;
  for await (const entry of zip.eachEntry()) {
    const path = pathOf(entry);
    if (path.endsWith("/")) continue;
    refuseTwice(path, names);
    announced += entry.uncompressedSize;
    if (announced > limits.unpackedMax) throw new AppError("zip_bomb");
    entries.push([path, entry]);
  }
  const files = new Map<string, Buffer>();
  let unpacked = 0;
  for (const [path, entry] of entries) {
    const data = await contentOf(zip, entry, limits.unpackedMax - unpacked);
    unpacked += data.length;
    files.set(path, data);
  }
  return files;
}

/** A path inside the folder. Anything else could write or name a file outside of it. */
function pathOf(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  const path = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true).normalize("NFC");
  const isUnsafe =
    validateFileName(path) !== null ||
    path.length > limits.pathMax ||
    /[\p{Cc}\\:]/u.test(path) ||
    path.split("/").some((part) => part === "." || part === "..") ||
    path.includes("//");
  if (isUnsafe) throw unsafe(path, "has a name that leads out of its folder");
  if (isLink(entry)) throw unsafe(path, "is a link");
  if (entry.isEncrypted()) throw new AppError("zip_unreadable", "This zip has a password. Nothing was imported.");
  return path;
}

function unsafe(path: string, words: string): AppError {
  return new AppError("zip_unsafe_name", `${shown(path)} ${words}. Nothing was imported.`);
}

function shown(path: string): string {
  return path.replaceAll(/\p{Cc}/gu, "?").slice(0, 100);
}

/** The upper half of the attributes is the file's mode on Unix. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o17_0000) === 0o12_0000;
}

/** On many laptops two such files would be one, and one of them would be lost. */
function refuseTwice(path: string, names: Set<string>): void {
  const plain = path.toLowerCase();
  if (names.has(plain)) throw unsafe(path, "is in this zip twice");
  names.add(plain);
}

async function contentOf(zip: ZipFile, entry: Entry, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of await zip.openReadStreamPromise(entry)) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > most) throw new AppError("zip_bomb");
    parts.push(part);
  }
  const data = Buffer.concat(parts, size);
  if (crc32(data) !== entry.crc32) throw new AppError("zip_unreadable");
  return data;
}
