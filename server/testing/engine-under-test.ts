import { sandboxProblem } from "../../scripts/sandbox.ts";
import { FaultBench } from "../faults/fault-bench.ts";
import { markedBy, type ProcessInfo } from "../engines/processes.ts";
import { dockerProblem, processorImage, reachable, TestDocker } from "./services/docker.ts";

/** An engine, for a suite that tests all engines alike. */
export interface EngineUnderTest {
  docker: TestDocker | undefined;
  /** Starts a server on this engine. */
  server(environment?: Environment): Promise<FaultBench>;
  close(): Promise<void>;
}

/** An engine and one server on it. */
export interface EngineWithServer {
  fault: FaultBench;
  docker: TestDocker | undefined;
  close(): Promise<void>;
}

export const engineVariants = ["local", "sandbox", "docker", "swarm"] as const;
export type EngineVariant = (typeof engineVariants)[number];

// The tests' registries use plain HTTP.
const insecure = ["--insecure-registry=10.0.0.0/8"];
const quick = {
  MIRANDA_HEARTBEAT_SECONDS: "0.5",
  MIRANDA_LOST_SECONDS: "2",
  MIRANDA_GRACE_SECONDS: "1",
  MIRANDA_PROCESSOR_PROCESSES: "60",
  MIRANDA_PROCESSORS_PER_ACCOUNT: "16",
};

type Environment = Record<string, string>;

export function isAvailable(name: EngineVariant): boolean {
  if (name === "sandbox") return sandboxProblem() === undefined;
  return name === "local" || dockerProblem() === undefined;
}

export async function openEngineUnderTest(name: EngineVariant, options: string[] = []): Promise<EngineUnderTest> {
  const docker = name === "local" || name === "sandbox" ? undefined : await startDocker(name, options);
  return {
    docker,
    server: async (environment) =>
      FaultBench.open({ ...quick, ...(await environmentOf(name, docker)), ...environment }),
    close: async () => docker?.close(),
  };
}

export async function openEngineWithServer(
  name: EngineVariant,
  more?: (docker?: TestDocker) => Environment,
  options?: string[],
): Promise<EngineWithServer> {
  const { docker, ...underTest } = await openEngineUnderTest(name, options);
  const fault = await underTest.server(more?.(docker));
  return {
    fault,
    docker,
    async close() {
      await fault.close();
      await underTest.close();
    },
  };
}

async function startDocker(name: "docker" | "swarm", more: string[]): Promise<TestDocker> {
  // Docker's live restore and Swarm exclude each other.
  const options = name === "docker" ? ["--live-restore"] : [];
  const docker = await TestDocker.start([...options, ...insecure, ...more]);
  await docker.buildProcessorImage();
  if (name === "swarm") await docker.startSwarm();
  return docker;
}

async function environmentOf(name: EngineVariant, docker: TestDocker | undefined): Promise<Environment> {
  if (!docker) return { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: name === "sandbox" ? "auto" : "off" };
  const common = { MIRANDA_ENGINE: name, MIRANDA_PROCESSOR_IMAGE: processorImage, DOCKER_HOST: docker.host };
  return name === "docker" ? common : { ...common, ...(await reachable(docker)) };
}

/** All processes of a job on this machine, in any namespace. */
export async function processesOf(jobId: string): Promise<ProcessInfo[]> {
  return (await markedBy(`MIRANDA_JOB=${jobId}`)).filter(({ isZombie }) => !isZombie);
}

/** The agent: the process whose parent is not one of them. */
export async function agentOf(jobId: string): Promise<number> {
  const all = await processesOf(jobId);
  const agent = all.find(({ parent }) => all.every(({ pid }) => pid !== parent));
  if (!agent) throw new Error("no agent");
  return agent.pid;
}
