import { createServer, type AddressInfo } from "node:net";

import { FaultBench } from "../faults/fault-bench.ts";
import { markedBy, type ProcessInfo } from "../engines/processes.ts";
import { processorImage, TestDocker } from "./docker.ts";

/** An engine and a server on it, for a suite that asks the same of every engine. */
export interface Ground {
  fault: FaultBench;
  docker: TestDocker | undefined;
  close(): Promise<void>;
}

export const groundNames = ["local", "sandbox", "docker", "swarm"] as const;
export type GroundName = (typeof groundNames)[number];

// Registries of the tests speak plain HTTP.
const insecure = ["--insecure-registry=10.0.0.0/8"];
const quick = {
  MIRANDA_HEARTBEAT_SECONDS: "0.5",
  MIRANDA_LOST_SECONDS: "2",
  MIRANDA_GRACE_SECONDS: "1",
  MIRANDA_PROCESSOR_PROCESSES: "60",
  MIRANDA_PROCESSORS_PER_ACCOUNT: "16",
};

type Environment = Record<string, string>;

export async function openGround(name: GroundName, more?: (docker?: TestDocker) => Environment): Promise<Ground> {
  const docker = name === "local" || name === "sandbox" ? undefined : await startDocker(name);
  const fault = await FaultBench.open({ ...quick, ...(await environmentOf(name, docker)), ...more?.(docker) });
  return {
    fault,
    docker,
    async close() {
      await fault.close();
      await docker?.close();
    },
  };
}

async function startDocker(name: "docker" | "swarm"): Promise<TestDocker> {
  // A Swarm and restarts without loss exclude each other.
  const docker = await TestDocker.start(name === "docker" ? ["--live-restore", ...insecure] : insecure);
  await docker.buildProcessorImage();
  if (name === "swarm") await startSwarm(docker);
  return docker;
}

/** Its machines are missed after a few seconds, not after half a minute. */
async function startSwarm({ client, namespace }: TestDocker): Promise<void> {
  const Spec = { Dispatcher: { HeartbeatPeriod: 1_000_000_000 } };
  await client.swarmInit({ ListenAddr: `${namespace.address}:2377`, AdvertiseAddr: namespace.address, Spec });
}

async function environmentOf(name: GroundName, docker: TestDocker | undefined): Promise<Environment> {
  if (!docker) return { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: name === "sandbox" ? "auto" : "off" };
  const common = { MIRANDA_ENGINE: name, MIRANDA_PROCESSOR_IMAGE: processorImage, DOCKER_HOST: docker.host };
  if (name === "docker") return common;
  // Known before the server starts, and the same after it was killed.
  const PORT = String(await freePort(docker.lan.hostAddress));
  const HOST = docker.lan.hostAddress;
  return { ...common, HOST, PORT, MIRANDA_RUNNER_URL: `http://${HOST}:${PORT}` };
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Everything of a job that runs on this machine, in whatever namespace. */
export async function processesOf(jobId: string): Promise<ProcessInfo[]> {
  return (await markedBy(`MIRANDA_JOB=${jobId}`)).filter(({ isZombie }) => !isZombie);
}

/** The agent: the one whose parent is none of them. */
export async function agentOf(jobId: string): Promise<number> {
  const all = await processesOf(jobId);
  const agent = all.find(({ parent }) => all.every(({ pid }) => pid !== parent));
  if (!agent) throw new Error("no agent");
  return agent.pid;
}
