import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** A folder that is no link. Undefined when there is none. The way to it must be ours: links in it are followed. */
export function openFolder(path: string): Promise<FileHandle | undefined> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
}

/** Where an open folder's own entries are found, whatever becomes of the path that led to it. */
export function pathOf(folder: FileHandle): string {
  return `/proc/self/fd/${folder.fd}`;
}

/**
 * A file or folder beneath a folder that others write to, such as node code. No link is followed, not even one that
 * takes a folder's place between a look and a read: each part of the path is opened from the open folder before it. What
 * is no ordinary file is left alone, and none is waited for: a pipe would never end.
 */
export async function openBeneath(
  folder: FileHandle,
  path: string,
  kind: "file" | "folder",
): Promise<FileHandle | undefined> {
  const [name = "", ...rest] = path.split("/");
  if (name === "" || name === "." || name === "..") return undefined;
  if (rest.length > 0) {
    await using next = await openFolder(`${pathOf(folder)}/${name}`);
    return next && (await openBeneath(next, rest.join("/"), kind));
  }
  if (kind === "folder") return openFolder(`${pathOf(folder)}/${name}`);
  const file = await open(`${pathOf(folder)}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** The first so many bytes of a file, however it grows while it is read. */
export async function readBytes(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await file.read(buffer, 0, size, 0);
  return buffer.subarray(0, bytesRead);
}
