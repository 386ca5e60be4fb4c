import { isUtf8 } from "node:buffer";
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";

import { systemCodeOf } from "../errors/error-details.ts";
import { openFolder, pathOf } from "../open-beneath.ts";
import { isSafeLink, longestPath } from "./archive-format.ts";

export interface Found {
  /** Relative to the data folder. */
  path: string;
  mode: number;
  kind: "file" | "folder" | "link";
  bytes: number;
  target?: string;
  /** Opens the file. Undefined when it is gone, or is left out because it cannot be read. */
  open(): Promise<FileHandle | undefined>;
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
// Each level keeps one file of the server open.
const mostLevels = 200;
const hasProc = existsSync("/proc/self/fd");

/**
 * Everything beneath a folder that node code may write to. No link is followed, even if one replaces a folder in
 * between. `leaveOut` is told what no archive can hold: what is neither a file, a folder, nor a link that stays in its
 * project, what cannot be read, paths that are too long or too deep, and names that are not UTF-8.
 */
export async function* walk(root: string, path: string, leaveOut: (path: string) => void): AsyncGenerator<Found> {
  await using folder = await openFolder(`${root}/${path}`);
  if (folder) yield* walkOpen(folder, `${root}/${path}`, path, leaveOut);
}

async function* walkOpen(
  folder: FileHandle,
  place: string,
  path: string,
  leaveOut: (path: string) => void,
): AsyncGenerator<Found> {
  // Without /proc there is no path to an open folder. Then a folder that is exchanged meanwhile is not noticed.
  const base = hasProc ? pathOf(folder) : place;
  for (const name of (await readdir(base, { encoding: "buffer" })).sort(Buffer.compare)) {
    const [inner, own] = [`${path}/${name.toString()}`, `${base}/${name.toString()}`];
    if (!isUtf8(name) || Buffer.byteLength(inner) > longestPath || inner.split("/").length > mostLevels) {
      leaveOut(inner);
      continue;
    }
    const found = await lstat(own).catch(() => undefined);
    if (!found) continue;
    const mode = found.mode & 0o777;
    const rest = { path: inner, mode, bytes: 0, open: async () => undefined };
    if (found.isFile()) {
      yield { ...rest, kind: "file", bytes: found.size, open: () => openFile(own, () => leaveOut(inner)) };
    } else if (found.isSymbolicLink()) {
      const target = await readTarget(own);
      if (isSafeLink(inner, target)) yield { ...rest, kind: "link", target };
      else leaveOut(inner);
    } else if (found.isDirectory()) {
      yield { ...rest, kind: "folder" };
      await using next = await openFolder(own);
      if (next) yield* walkOpen(next, `${place}/${name.toString()}`, inner, leaveOut);
      else if (await lstat(own).catch(() => undefined)) leaveOut(inner);
    } else leaveOut(inner);
  }
}

/** Where a link leads. Empty, which is not safe, when it is gone or its target is not UTF-8. */
async function readTarget(path: string): Promise<string> {
  const target = await readlink(path, { encoding: "buffer" }).catch(() => Buffer.alloc(0));
  return isUtf8(target) ? target.toString() : "";
}

async function openFile(path: string, leaveOut: () => void): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    // It was removed since its folder was read.
    if (systemCodeOf(error) === "ENOENT") return undefined;
  }
  leaveOut();
  return undefined;
}
