import { open } from "node:fs/promises";

/** Returns when the disk has everything that was written to a file or a folder. */
export async function syncFile(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}
