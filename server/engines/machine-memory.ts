import type Docker from "dockerode";
import { totalmem } from "node:os";

/** What this machine has, or the container that the server runs in. */
export function ownMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

/** What the machine of a Docker Engine has; one that does not answer may be this one. */
export async function dockerMemory(docker: Docker): Promise<number> {
  const info = (await docker.info().catch(() => undefined)) as { MemTotal?: number } | undefined;
  return info?.MemTotal || ownMemory();
}
