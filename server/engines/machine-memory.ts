import type Docker from "dockerode";
import { totalmem } from "node:os";

/** What this machine has, or the container that the server runs in. */
export function ownMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

/** The memory of a Docker Engine's machine. Without an answer, that of this machine. */
export async function dockerMemory(docker: Docker): Promise<number> {
  const info = (await docker.info().catch(() => undefined)) as { MemTotal?: number } | undefined;
  return info?.MemTotal || ownMemory();
}
