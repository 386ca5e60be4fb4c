import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Opens a folder that is not a link. Undefined when there is none. Links in the path to it are followed, so the path
 * must be ours.
 */
export function openFolder(path: string): Promise<FileHandle | undefined> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
}

/** The path of an open folder's entries, whatever happens to the path that led to it. */
export function pathOf(folder: FileHandle): string {
  return `/proc/self/fd/${folder.fd}`;
}

/**
 * Opens a file or folder beneath a folder that others, such as node code, write to. No link is followed, even if one
 * replaces a folder in between: each part of the path is opened from the folder before it. Only ordinary files are
 * opened: a pipe would block for ever.
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

/** The first `size` bytes of a file, even if it grows meanwhile. */
export async function readBytes(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await file.read(buffer, 0, size, 0);
  return buffer.subarray(0, bytesRead);
}
