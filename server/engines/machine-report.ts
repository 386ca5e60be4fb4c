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

/** What this machine has and what of it is free. The disk is the one of this folder. */
export async function ownMachine(folder: string): Promise<Omit<MachineReport, "id" | "jobs">> {
  const disk = await statfs(folder).catch(() => undefined);
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

type Measured = Pick<MachineReport, "load" | "freeMemoryBytes" | "diskBytes" | "freeDiskBytes">;

export const notMeasured: Measured = { load: null, freeMemoryBytes: null, diskBytes: null, freeDiskBytes: null };

const DockerMachine = z.object({
  Name: z.string().default(""),
  ServerVersion: z.string().default(""),
  NCPU: z.number().default(0),
  MemTotal: z.number().default(0),
  DockerRootDir: z.string().default(""),
  Swarm: z.object({ NodeID: z.string().default("") }).optional(),
});

/** The machine of a Docker Engine. */
export async function dockerMachine(docker: Docker): Promise<Omit<MachineReport, "id" | "jobs">> {
  const info = DockerMachine.parse(await docker.info());
  const { Name, ServerVersion, NCPU, MemTotal } = info;
  return {
    ...{ name: Name, version: `Docker ${ServerVersion}`, cores: NCPU, memoryBytes: MemTotal, state: "ready" },
    ...(await measured(info)),
  };
}

/** Which machine of a Swarm its manager runs on, and what is free there. */
export async function managerMachine(docker: Docker): Promise<Measured & { nodeId: string }> {
  const info = DockerMachine.parse(await docker.info());
  return { nodeId: info.Swarm?.NodeID ?? "", ...(await measured(info)) };
}

/** Docker does not say what is free. On the machine of this server we measure it. */
async function measured({ Name, DockerRootDir }: z.infer<typeof DockerMachine>): Promise<Measured> {
  if (Name !== hostname()) return notMeasured;
  const { load, freeMemoryBytes, diskBytes, freeDiskBytes } = await ownMachine(DockerRootDir);
  return { load, freeMemoryBytes, diskBytes, freeDiskBytes };
}

const DockerInfo = z.object({ MemTotal: z.number() });

/** The memory of a Docker Engine's machine. Without an answer, that of this machine. */
export async function dockerMemory(docker: Docker): Promise<number> {
  const info = DockerInfo.safeParse(await docker.info().catch(() => undefined));
  return info.data?.MemTotal || ownMemory();
}
