import { packageCopies as limits } from "../../limits.ts";
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, opendir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openBeneath, openFolder, pathOf, readBytes } from "../../platform/open-beneath.ts";

const declaring = /\.pyi?$|^py\.typed$/;
// An unfinished environment has another name.
const installation = /^[0-9a-f]{24}$/;
const version = /^python3\.\d{1,3}$/;

/** The remaining limits of a copy, and the owner of its files. */
interface Copying {
  bytes: number;
  files: number;
  entries: number;
  owner: number;
}

/**
 * Copies the declarations of installed packages to where a language server may read, the newest installations first.
 * Node code can change the originals, and a language server would follow a link there to any file.
 */
export async function copyPackages(from: string, to: string, filesMost: number = limits.files): Promise<string[]> {
  await using environments = await openFolder(from);
  if (!environments) return [];
  const newest = await newestIn(environments);
  const copied: string[] = [];
  for (const name of newest) {
    await using folder = await openBeneath(environments, name, "folder");
    await using packages = folder && (await openPackages(folder));
    if (packages && (await copyOnce(packages, join(to, name), filesMost))) copied.push(join(to, name));
  }
  // Node code can make any number of installations: without this each would leave a copy.
  for (const name of await readdir(to).catch(() => []))
    if (installation.test(name) && !newest.includes(name)) await rm(join(to, name), { recursive: true, force: true });
  return copied;
}

/** The packages of a virtual environment: `lib/python3.13/site-packages`. */
async function openPackages(environment: FileHandle): Promise<FileHandle | undefined> {
  await using lib = await openBeneath(environment, "lib", "folder");
  if (!lib) return undefined;
  let seen = 0;
  for await (const { name } of await opendir(pathOf(lib))) {
    if (seen++ >= limits.installationsSeen) break;
    if (!version.test(name)) continue;
    await using python = await openBeneath(lib, name, "folder");
    const packages = python && (await openBeneath(python, "site-packages", "folder"));
    if (packages) return packages;
  }
  return undefined;
}

async function newestIn(environments: FileHandle): Promise<string[]> {
  const found: { name: string; at: number }[] = [];
  let seen = 0;
  for await (const { name } of await opendir(pathOf(environments))) {
    if (seen++ >= limits.installationsSeen) break;
    if (!installation.test(name)) continue;
    await using folder = await openBeneath(environments, name, "folder");
    if (folder) found.push({ name, at: (await folder.stat()).mtimeMs });
  }
  return found
    .toSorted((one, other) => other.at - one.at)
    .slice(0, limits.installations)
    .map(({ name }) => name);
}

async function copyOnce(folder: FileHandle, to: string, files: number): Promise<boolean> {
  if (await stat(to).catch(() => undefined)) return true;
  const making = `${to}.${randomUUID()}`;
  const { uid: owner } = await folder.stat();
  const { bytes, entries } = limits;
  try {
    await copyFolder(folder, making, { bytes, files, entries, owner }, 1);
    // Another copy may have finished first. It is the same.
    await rename(making, to).catch(() => undefined);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return true;
}

/** Through open handles, never by path: a path can be swapped between a check and a read. */
async function copyFolder(folder: FileHandle, to: string, left: Copying, depth: number): Promise<void> {
  left.files -= 1;
  await mkdir(to, { recursive: true });
  for await (const entry of await opendir(pathOf(folder))) {
    if (left.entries-- <= 0 || left.files <= 0) return;
    const target = join(to, entry.name);
    if (Buffer.byteLength(target) > limits.pathBytes) continue;
    if (entry.isDirectory() && entry.name !== "__pycache__" && depth < limits.depth) {
      await using inner = await openBeneath(folder, entry.name, "folder");
      // A folder has no hard links, so it belongs to nobody else.
      if (inner) await copyFolder(inner, target, left, depth + 1);
    } else if (entry.isFile() && declaring.test(entry.name)) {
      await using file = await openBeneath(folder, entry.name, "file");
      if (file) await copyFile(file, target, left);
    }
  }
}

async function copyFile(file: FileHandle, to: string, left: Copying): Promise<void> {
  const { uid, size } = await file.stat();
  // A file may be a hard link to another account's file. Installed files belong to the owner of their folder.
  if (uid !== left.owner || size > Math.min(limits.fileBytes, left.bytes)) return;
  left.files -= 1;
  left.bytes -= size;
  await writeFile(to, await readBytes(file, size));
}
