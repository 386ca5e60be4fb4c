import type Docker from "dockerode";
import { totalmem } from "node:os";
import { z } from "zod";

/** What this machine has, or the container that the server runs in. */
export function ownMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

const DockerInfo = z.object({ MemTotal: z.number() });

/** The memory of a Docker Engine's machine. Without an answer, that of this machine. */
export async function dockerMemory(docker: Docker): Promise<number> {
  const info = DockerInfo.safeParse(await docker.info().catch(() => undefined));
  return info.data?.MemTotal || ownMemory();
}
