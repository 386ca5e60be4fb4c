import { statfs } from "node:fs/promises";

const freshFor = 200;

/**
 * Whether a folder's disk has more free space than the reserve. PostgreSQL survives a full disk only while it can write
 * its log, so unbounded growth must stop before.
 */
export function createDiskRoom(folder: string, reserveBytes: number): () => Promise<boolean> {
  let askedAt = -freshFor;
  let hasRoom = true;
  return async () => {
    if (performance.now() - askedAt >= freshFor) {
      askedAt = performance.now();
      const { bavail, bsize } = await statfs(folder);
      hasRoom = bavail * bsize >= reserveBytes;
    }
    return hasRoom;
  };
}
