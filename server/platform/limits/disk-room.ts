import { statfs } from "node:fs/promises";

const freshFor = 200;

/**
 * Whether a folder's disk has more than the reserve left. PostgreSQL survives a full disk only as long as it can write down
 * what it does: what may grow without end stops before that.
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
