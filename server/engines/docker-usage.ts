import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";

import type { Engine, Usage } from "./engine.ts";
import { safely } from "../platform/errors/safely.ts";

// Docker measures all containers about once a second, and answers with the next measurement. An agent's events wait for
// the answer, so only a session's last sample waits as long as it takes.
const timeoutMs = 50;
const freshFor = 3_000;

/** The usage of containers as Docker measures it. */
export function measureContainers(docker: Docker, nameOf: (jobId: string) => string): NonNullable<Engine["usage"]> {
  const late = new Map<string, Usage>();

  async function read(jobId: string): Promise<Usage | undefined> {
    try {
      return toUsage(await docker.getContainer(nameOf(jobId)).stats({ stream: false, "one-shot": true }));
    } catch {
      // Without Docker's sample the agent's counts. The next one corrects it.
      return undefined;
    }
  }

  function keep(jobId: string, usage: Usage): void {
    late.set(jobId, usage);
    setTimeout(
      safely(() => late.get(jobId) === usage && late.delete(jobId)),
      freshFor,
    ).unref();
  }

  return async (jobId, isLast) => {
    const reading = read(jobId);
    if (isLast) return reading;
    const inTime = await Promise.race([reading, sleep(timeoutMs, "late" as const)]);
    if (inTime !== "late") return inTime;
    const before = late.get(jobId);
    void reading.then((usage) => usage && keep(jobId, usage));
    return before;
  };
}

function toUsage({ cpu_stats, memory_stats, networks }: Docker.ContainerStats): Usage | undefined {
  if (!memory_stats?.usage) return undefined;
  const sum = (pick: "rx_bytes" | "tx_bytes") => Object.values(networks ?? {}).reduce((all, one) => all + one[pick], 0);
  // Do not count the kernel's file cache as memory of node code.
  const { inactive_file, total_inactive_file }: Partial<typeof memory_stats.stats> = memory_stats.stats ?? {};
  return {
    cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9,
    ramBytes: Math.max(0, memory_stats.usage - (total_inactive_file ?? inactive_file ?? 0)),
    receivedBytes: sum("rx_bytes"),
    sentBytes: sum("tx_bytes"),
  };
}
