import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

import { markedBy } from "../engines/processes.ts";
import { script } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

const quick = {
  MIRANDA_HEARTBEAT_SECONDS: "0.5",
  MIRANDA_LOST_SECONDS: "2",
  MIRANDA_GRACE_SECONDS: "1",
  MIRANDA_PROCESSORS_PER_ACCOUNT: "8",
  MIRANDA_LOG_MB: "5",
};

let fault: FaultBench | undefined;
afterEach(async () => {
  await fault?.close();
  fault = undefined;
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

function percentile(values: number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}

describe("a node that prints without end (fault 12)", () => {
  it("keeps the server's memory bounded and other calls usable, and marks what was cut", async () => {
    fault = await FaultBench.open(quick);
    const bench = await fault.workbench();
    const other = await fault.workbench();
    await bench.node(script("n = 0", "while True:", "    print('line', n); n += 1"));
    await bench.start();
    const calls = async (): Promise<number> => {
      const times: number[] = [];
      for (let at = 0; at < 40; at++) {
        const before = performance.now();
        await other.owner.get("/api/v3/projects/");
        times.push(performance.now() - before);
        await sleep(25);
      }
      return percentile(times, 0.5);
    };
    await calls();
    const calm = await calls();
    bench.listener.close();
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "-1" });
    await sleep(3_000);
    const memory = await residentBytes(fault.server.pid);
    const flooded = await calls();
    await sleep(4_000);
    const later = await residentBytes(fault.server.pid);
    expect(later - memory).toBeLessThan(150e6);
    // Four processes share two cores here, so the machine itself is slower. The server must not be.
    expect(flooded).toBeLessThan(calm * 2 + 15);
    const entries = await bench.logs("?log_lines=1000000");
    expect(entries[0]?.message).toMatch(/^\d+ lines were cut here/);
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 15_000 }).toBe("EXITED");
    other.close();
  });
});

describe("a server that everybody has left after a load", () => {
  it("gives its memory back", { timeout: 240_000 }, async () => {
    fault = await FaultBench.open({ MIRANDA_LOG_MB: "200" });
    const { pid } = fault.server;
    await sleep(5_000);
    const fresh = await residentBytes(pid);
    const bench = await fault.workbench();
    const other = await fault.workbench();
    await bench.node(script("for number in range(800_000): print('a numbered line', number)"));
    await bench.start();
    bench.listener.socket.onAny(() => (bench.listener.received.length = 0));
    await bench.send("start", "-1");
    const edited = await other.node(script("pass"));
    let isRunning = true;
    for (let at = 0; at < 500 || isRunning; at += 1) {
      await other.owner.patch(`/api/v3/objects/${edited}`, { name: `${at}` });
      if (at % 50 === 0) isRunning = (await bench.job()).workflow_state === "RUNNING";
    }
    await bench.owner.get(`/api/v3/jobs/${bench.jobId}?log_lines=1000000`);
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    bench.close();
    other.close();
    await expect.poll(() => residentBytes(pid), { timeout: 90_000, interval: 1_000 }).toBeLessThan(fresh * 1.3);
  });
});

describe("stop during create, 100 times (fault 9)", () => {
  it("leaves no process behind", { timeout: 300_000 }, async () => {
    fault = await FaultBench.open(quick);
    const bench = await fault.workbench();
    const ids: string[] = [];
    for (let at = 0; at < 100; at++) {
      const since = bench.listener.received.length;
      const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: at + 1 });
      bench.jobId = made.json<{ id: string }>().id;
      ids.push(bench.jobId);
      // At every moment of the launch, from at once to well after it.
      await sleep((at % 10) * 12);
      await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
      await bench.listener.wait<JobSummary>(
        "update[DOCKER_JOB]",
        (job) => job.id === bench.jobId && job.workflow_state === "EXITED",
        since,
      );
    }
    const left = async () => (await Promise.all(ids.map((id) => markedBy(`MIRANDA_JOB=${id}`)))).flat();
    await expect.poll(async () => (await left()).length, { timeout: 30_000, interval: 2_000 }).toBe(0);
    bench.close();
  });
});
