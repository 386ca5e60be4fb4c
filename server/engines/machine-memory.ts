import type Docker from "dockerode";
import { statfs } from "node:fs/promises";
import { availableParallelism, freemem, hostname, loadavg, totalmem } from "node:os";
import { z } from "zod";

import { version } from "../platform/version.ts";
import type { MachineReport } from "./engine.ts";

/** What this machine has, or the container that the server runs in. */
export function ownMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

/** What this machine has and what of it is free. The disk is the one of the data folder. */
export async function ownMachine(dataFolder: string): Promise<Omit<MachineReport, "id" | "jobs">> {
  const disk = await statfs(dataFolder).catch(() => undefined);
  return {
    name: hostname(),
    version: `Miranda ${version}`,
    cores: availableParallelism(),
    load: loadavg()[0] ?? null,
    memoryBytes: ownMemory(),
    freeMemoryBytes: Math.min(freemem(), ownMemory()),
    diskBytes: disk ? disk.blocks * disk.bsize : null,
    freeDiskBytes: disk ? disk.bavail * disk.bsize : null,
    state: "ready",
  };
}

const DockerMachine = z.object({
  Name: z.string().default(""),
  ServerVersion: z.string().default(""),
  NCPU: z.number().default(0),
  MemTotal: z.number().default(0),
});

/** The machine of a Docker Engine. Docker does not say what is free there. */
export async function dockerMachine(docker: Docker): Promise<Omit<MachineReport, "id" | "jobs">> {
  const { Name, ServerVersion, NCPU, MemTotal } = DockerMachine.parse(await docker.info());
  return {
    ...{ name: Name, version: `Docker ${ServerVersion}`, cores: NCPU, memoryBytes: MemTotal, state: "ready" },
    ...{ load: null, freeMemoryBytes: null, diskBytes: null, freeDiskBytes: null },
  };
}

const DockerInfo = z.object({ MemTotal: z.number() });

/** The memory of a Docker Engine's machine. Without an answer, that of this machine. */
export async function dockerMemory(docker: Docker): Promise<number> {
  const info = DockerInfo.safeParse(await docker.info().catch(() => undefined));
  return info.data?.MemTotal || ownMemory();
}
