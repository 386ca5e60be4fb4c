import { largestResult } from "../limits.ts";
import type { ProcessorSettings } from "../platform/settings/processor-settings.ts";
import type { Launch } from "./engine.ts";

// Every processor image has these folders, and an entry point that starts the agent.
export const userId = "10001";
export const containerUser = `${userId}:${userId}`;
export const workFolder = "/work";
const storageFolder = "/storage";
export const agentSocketFolder = "/run/miranda";
export const doorName = "socket";
export const tokenName = "miranda";
const tokenFile = `/run/secrets/${tokenName}`;
export const temporaryBytes = 512 << 20;

export const labels = { job: "miranda.job", installation: "miranda.installation" };

export function volumeName(installation: string, projectId: string): string {
  return `miranda-${installation}-${projectId}`;
}

/** The volume of a project, kept between its sessions. */
export function storageMount(installation: string, projectId: string, driver: string | undefined) {
  return {
    Type: "volume" as const,
    Source: volumeName(installation, projectId),
    Target: storageFolder,
    VolumeOptions: {
      NoCopy: false,
      Labels: { [labels.installation]: installation },
      DriverConfig: { Name: driver ?? "local", Options: {} },
    },
  };
}

/** The server's socket: a folder of the machine, or the volume that is mounted there in the server's own container. */
export function doorMount(folder: string, volume: string | undefined) {
  return volume === undefined
    ? { Type: "bind" as const, Source: folder, Target: agentSocketFolder, ReadOnly: true }
    : {
        Type: "volume" as const,
        Source: volume,
        Target: agentSocketFolder,
        ReadOnly: true,
        VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "", Options: {} } },
      };
}

/**
 * The agent's settings, in its environment. The agent restarts itself without them before node code could read them.
 */
export function agentEnvironment(
  settings: ProcessorSettings,
  launch: Launch,
  { token, url }: { token: string | undefined; url: string },
): string[] {
  const values = {
    job: launch.jobId,
    project: launch.projectId,
    ...(token === undefined ? { token_file: tokenFile } : { token }),
    url,
    address_file: "",
    folder: workFolder,
    storage: `${storageFolder}/workflows/${launch.graphId}`,
    environments: `${storageFolder}/environments`,
    heartbeat: settings.heartbeatSeconds,
    grace: settings.graceSeconds,
    give_up_after: settings.giveUpSeconds,
    processes: settings.mostProcesses,
    parallel: settings.parallelNodes || launch.cpus,
    disk_bytes: settings.diskBytes,
    // The kernel enforces these limits. The agent only reports it.
    cpus: 0,
    ram_bytes: 0,
    max_seconds: launch.maxSeconds,
    ...(launch.servesCalls && { serves_calls: 1 }),
    // Agent and node code have one account here, so no folder is closed to node code. Each container has its own copies.
    results: `${workFolder}/.miranda/loaded`,
    result_bytes: largestResult(settings.resultBytes),
  };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  return [`MIRANDA_AGENT=${lines.join("")}`, `MIRANDA_JOB=${launch.jobId}`, `HOME=${workFolder}`, "LANG=C.UTF-8"];
}

export function volumePath(name: string): string {
  return `${storageFolder}/volumes/${name}`;
}
