import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateServiceOptions } from "dockerode";

import { findPython } from "../server/platform/python.ts";
import { sandboxProblem } from "../scripts/sandbox.ts";
import { dockerProblem, processorImage, reachable, TestDocker } from "../server/testing/services/docker.ts";
import { type Measurement, median, size, sized } from "./measuring/measurement.ts";
import { openProduct } from "./measuring/product.ts";

interface Engine {
  name: string;
  environment: Record<string, string>;
  rounds: number;
  budget: number;
  bare: { name: string; run: () => void | Promise<void> };
}

/** The time from the click on Start until the client receives READY, on every engine that this machine has. */
export async function start(): Promise<Measurement[]> {
  const python = await findPython();
  if (!python) throw new Error("no Python");
  const bare = { name: "python -c pass", run: () => void execFileSync(python.executable, ["-c", "pass"]) };
  const local = { rounds: sized(15, { quick: 7 }), budget: 8, bare };
  const plain = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" };
  const results = size === "quick" ? [] : [await measure({ ...local, name: "local engine", environment: plain })];
  if (sandboxProblem() === undefined) {
    const environment = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "auto" };
    results.push(await measure({ ...local, budget: 4, name: "local engine in its sandbox", environment }));
  }
  if (size === "full" && dockerProblem() === undefined) results.push(await inContainers(), await inSwarm());
  return results;
}

async function inContainers(): Promise<Measurement> {
  const docker = await TestDocker.start();
  try {
    await docker.buildProcessorImage();
    const environment = { DOCKER_HOST: docker.host, MIRANDA_PROCESSOR_IMAGE: processorImage };
    const args = ["run", "--rm", "--entrypoint", "python3", processorImage, "-c", "pass"];
    const run = () => void execFileSync("docker", args, { env: { ...process.env, ...environment } });
    return await measure({
      name: "docker engine",
      environment: { ...environment, MIRANDA_ENGINE: "docker" },
      rounds: sized(11),
      budget: 2,
      bare: { name: "docker run of the same image", run },
    });
  } finally {
    await docker.close();
  }
}

async function inSwarm(): Promise<Measurement> {
  const docker = await TestDocker.start();
  try {
    await docker.buildProcessorImage();
    await docker.startSwarm();
    const places = { DOCKER_HOST: docker.host, MIRANDA_PROCESSOR_IMAGE: processorImage, ...(await reachable(docker)) };
    return await measure({
      name: "swarm engine",
      environment: { ...places, MIRANDA_ENGINE: "swarm" },
      rounds: sized(11),
      budget: 2,
      bare: { name: "a one-off service of the same image", run: () => runJob(docker) },
    });
  } finally {
    await docker.close();
  }
}

/** `python3 -c pass` as a one-off service, until the Swarm knows that it is done. */
async function runJob({ client }: TestDocker): Promise<void> {
  const job: CreateServiceOptions = {
    Mode: { Replicated: { Replicas: 1 } },
    TaskTemplate: {
      ContainerSpec: { Image: processorImage, Command: ["python3", "-c", "pass"] },
      RestartPolicy: { Condition: "none", MaxAttempts: 0 },
    },
  };
  const made = await client.createService(job);
  const service = made.id ?? (made as { ID?: string }).ID ?? "";
  for (;;) {
    const tasks = (await client.listTasks({ filters: { service: [service] } })) as { Status: { State: string } }[];
    const state = tasks[0]?.Status.State;
    if (state === "complete") return;
    if (state === "failed" || state === "rejected") throw new Error(`The service's task is ${state}.`);
    await sleep(5);
  }
}

async function measure({ name, environment, rounds, budget, bare }: Engine): Promise<Measurement> {
  const product = await openProduct(environment);
  const { bench } = product;
  const baseline: number[] = [];
  const ours: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const before = performance.now();
      await bare.run();
      baseline.push(performance.now() - before);
      const clicked = performance.now();
      await bench.start();
      ours.push(performance.now() - clicked);
      await bench.until("stop", "", "EXITED");
    }
  } finally {
    await product.close();
  }
  const ratio = median(ours) / median(baseline);
  return {
    name: `from Start until READY, ${name}`,
    ours: `${median(ours).toFixed(0)} ms`,
    bare: `${median(baseline).toFixed(1)} ms (${bare.name})`,
    ratio: `${ratio.toFixed(1)} x`,
    budget: `<= ${budget} x`,
    passes: ratio <= budget,
    times: ratio,
  };
}
