import { FaultBench } from "../faults/fault-bench.ts";
import { markedBy, type ProcessInfo } from "../engines/processes.ts";
import { processorImage, TestDocker } from "./docker.ts";

/** An engine and a server on it, for a suite that asks the same of every engine. */
export interface Ground {
  fault: FaultBench;
  docker: TestDocker | undefined;
  close(): Promise<void>;
}

export const groundNames = ["local", "sandbox", "docker"] as const;
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
  const docker =
    name === "local" || name === "sandbox" ? undefined : await TestDocker.start("--live-restore", ...insecure);
  await docker?.buildProcessorImage();
  const engine = {
    ...(name === "sandbox" ? { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "auto" } : { MIRANDA_ENGINE: name }),
    MIRANDA_PROCESSOR_IMAGE: processorImage,
    ...(docker && { DOCKER_HOST: docker.host }),
  };
  const fault = await FaultBench.open({ ...quick, ...engine, ...more?.(docker) });
  return {
    fault,
    docker,
    async close() {
      await fault.close();
      await docker?.close();
    },
  };
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
