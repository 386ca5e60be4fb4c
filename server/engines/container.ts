import type { ProcessorSettings } from "../platform/processor-settings.ts";
import type { Launch } from "./engine.ts";

// What every processor image has: these folders, and an entry point that starts the agent.
export const containerUser = "10001:10001";
export const workFolder = "/work";
export const storageFolder = "/storage";
export const doorFolder = "/run/miranda";
export const doorName = "socket";
const tokenFile = "/run/secrets/miranda";
export const temporaryBytes = 512 << 20;

export const labels = { job: "miranda.job", installation: "miranda.installation" };

export function volumeOf(installation: string, projectId: string): string {
  return `miranda-${installation}-${projectId}`;
}

/** What the agent is told, in its environment; it starts itself again without it before anybody can look. */
export function agentEnvironment(
  settings: ProcessorSettings,
  launch: Launch,
  { token, url }: { token: string | undefined; url: string },
): string[] {
  const told = {
    job: launch.jobId,
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
    disk_bytes: settings.diskBytes,
    // The kernel keeps this limit; the agent only has to say that it did.
    ram_bytes: 0,
    max_seconds: launch.maxSeconds,
  };
  const lines = Object.entries(told).map(([name, value]) => `${name}=${value}\n`);
  return [`MIRANDA_AGENT=${lines.join("")}`, `MIRANDA_JOB=${launch.jobId}`, `HOME=${workFolder}`, "LANG=C.UTF-8"];
}

export function volumePath(name: string): string {
  return `${storageFolder}/volumes/${name}`;
}
