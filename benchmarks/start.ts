import { execFileSync } from "node:child_process";

import { openSandbox } from "../server/engines/sandbox.ts";
import { findPython } from "../server/platform/python.ts";
import { dockerProblem, processorImage, TestDocker } from "../server/testing/docker.ts";
import { type Measurement, median } from "./measurement.ts";
import { openProduct } from "./product.ts";

interface Engine {
  name: string;
  environment: Record<string, string>;
  rounds: number;
  budget: number;
  bare: { name: string; run: () => void };
}

/** From the click on Start until the client knows that the processor is READY, on every engine that is here. */
export async function start(): Promise<Measurement[]> {
  const python = await findPython();
  if (!python) throw new Error("no Python");
  const bare = { name: "python -c pass", run: () => void execFileSync(python.executable, ["-c", "pass"]) };
  const local = { rounds: 15, budget: 8, bare };
  const plain = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" };
  const results = [await measure({ ...local, name: "local engine", environment: plain })];
  const { around } = await openSandbox({ sandbox: true, sandboxPaths: [] });
  if (around) {
    const environment = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "auto" };
    results.push(await measure({ ...local, name: "local engine in its sandbox", environment }));
  }
  if (dockerProblem() === undefined) results.push(await inContainers());
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
      rounds: 11,
      budget: 2,
      bare: { name: "docker run of the same image", run },
    });
  } finally {
    await docker.close();
  }
}

async function measure({ name, environment, rounds, budget, bare }: Engine): Promise<Measurement> {
  const product = await openProduct(environment);
  const { bench } = product;
  const limit: number[] = [];
  const ours: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const before = performance.now();
      bare.run();
      limit.push(performance.now() - before);
      const clicked = performance.now();
      await bench.start();
      ours.push(performance.now() - clicked);
      await bench.until("stop", "", "EXITED");
    }
  } finally {
    await product.close();
  }
  const ratio = median(ours) / median(limit);
  return {
    name: `start to READY, ${name}`,
    ours: `${median(ours).toFixed(0)} ms`,
    bare: `${median(limit).toFixed(1)} ms (${bare.name})`,
    ratio: `${ratio.toFixed(1)} x`,
    budget: `<= ${budget} x`,
    passes: ratio <= budget,
  };
}
