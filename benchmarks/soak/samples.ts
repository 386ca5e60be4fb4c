import { readdir, readFile, readlink } from "node:fs/promises";

import { descendantsOf } from "../../server/engines/processes.ts";

export interface Sample {
  /** Seconds since the first sample. */
  at: number;
  memoryMb: number;
  descriptors: number;
  /** Of the server and its child processes, without processors. */
  processes: number;
  latencyMs: number;
  /** The larger heap of the two browsers. */
  browserMb: number;
}

export type Curve = Exclude<keyof Sample, "at">;

export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

export async function socketsOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith("socket:")).length;
}

interface Sampled {
  server: () => { pid: number; url: string };
  browserMb: () => Promise<number>;
}

/** Takes a sample a second until it is stopped. While the server is away there is none. */
export function startSamples({ server, browserMb }: Sampled) {
  const samples: Sample[] = [];
  const began = performance.now();
  const ending = new AbortController();

  async function take(): Promise<void> {
    const { pid, url } = server();
    const at = (performance.now() - began) / 1_000;
    const memoryMb = await memoryOf(pid);
    const descriptors = (await readdir(`/proc/${pid}/fd`)).length;
    const processes = 1 + (await descendantsOf(pid)).length;
    const asked = performance.now();
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
    await answer.arrayBuffer();
    const latencyMs = performance.now() - asked;
    samples.push({ at, memoryMb, descriptors, processes, latencyMs, browserMb: await browserMb() });
  }

  const done = (async () => {
    while (!ending.signal.aborted) {
      await take().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  })();
  return {
    samples,
    async stop(): Promise<void> {
      ending.abort();
      await done;
    },
  };
}
