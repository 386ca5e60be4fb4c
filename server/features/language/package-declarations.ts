import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const declaring = /\.pyi?$|^py\.typed$/;
const largestFile = 4_000_000;
const mostBytes = 400_000_000;
const mostFolders = 4;

/**
 * What installed packages declare, copied to where a language server may read: the newest installations first. The
 * originals are node code's to change, and a language server would follow a link that it finds there to any file.
 */
export async function copyPackages(from: string, to: string): Promise<string[]> {
  const names = await readdir(from).catch(() => []);
  // One that is being made has another name until it is whole.
  const made = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{24}$/.test(name))
      .map(async (name) => ({ name, at: (await stat(join(from, name))).mtimeMs })),
  );
  const newest = made.toSorted((one, other) => other.at - one.at).slice(0, mostFolders);
  const copied: string[] = [];
  for (const { name } of newest) if (await copyOnce(join(from, name), join(to, name))) copied.push(join(to, name));
  return copied;
}

async function copyOnce(from: string, to: string): Promise<boolean> {
  if (await stat(to).catch(() => undefined)) return true;
  await using folder = await openFolder(from);
  if (!folder) return false;
  const making = `${to}.${randomUUID()}`;
  await copyFolder(folder, making, { bytes: mostBytes });
  // Somebody else may have been faster; theirs is the same.
  await rename(making, to).catch(() => rm(making, { recursive: true, force: true }));
  return true;
}

function openFolder(path: string): Promise<FileHandle | undefined> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
}

/** By what is held open, never by a path: what a path leads to can be exchanged between a look and a read. */
async function copyFolder(folder: FileHandle, to: string, left: { bytes: number }): Promise<void> {
  const here = `/proc/self/fd/${folder.fd}`;
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(here, { withFileTypes: true })) {
    const path = `${here}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name === "__pycache__") continue;
      await using inner = await openFolder(path);
      if (inner) await copyFolder(inner, join(to, entry.name), left);
    } else if (entry.isFile() && declaring.test(entry.name)) await copyFile(path, join(to, entry.name), left);
  }
}

async function copyFile(path: string, to: string, left: { bytes: number }): Promise<void> {
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  const found = await file?.stat();
  if (!file || !found?.isFile() || found.size > Math.min(largestFile, left.bytes)) return;
  left.bytes -= found.size;
  await writeFile(to, await file.readFile());
}
