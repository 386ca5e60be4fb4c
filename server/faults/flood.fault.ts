import type { JobSummary, LogEntry } from "@miranda/contract/schemas/processors.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

import { markedBy } from "../engines/processes.ts";
import { script } from "../testing/workbench.ts";
import { Door, FaultBench } from "./fault-bench.ts";

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
  it("leaves the server's memory bounded and other people's calls usable; what is cut is said", async () => {
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
    bench.ear.close();
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "-1" });
    await sleep(3_000);
    const memory = await residentBytes(fault.server.pid);
    const flooded = await calls();
    await sleep(4_000);
    const later = await residentBytes(fault.server.pid);
    expect(later - memory).toBeLessThan(150e6);
    // Four processes share two cores here, so the machine itself is slower; the server must not be.
    expect(flooded).toBeLessThan(calm * 2 + 15);
    const entries = await bench.logs("?log_lines=1000000");
    expect(entries[0]?.message).toMatch(/^\d+ lines were cut here/);
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 15_000 }).toBe("EXITED");
    other.close();
  });
});

describe("PostgreSQL away under load (fault 15)", () => {
  it("comes back: no state, line or cost is lost, and /readyz says so meanwhile", async () => {
    let target = { host: "127.0.0.1", port: 0 };
    const door = await Door.open(() => target);
    fault = await FaultBench.open({ ...quick, MIRANDA_LOG_MB: "100" }, (url) => {
      const given = new URL(url);
      target = { host: given.hostname, port: Number(given.port) };
      given.hostname = "127.0.0.1";
      given.port = String(door.port);
      return given.href;
    });
    const bench = await fault.workbench();
    await bench.node(
      script(
        "import time",
        "for at in range(120):",
        "    for n in range(at * 500, at * 500 + 500): print(n)",
        "    time.sleep(0.1)",
      ),
    );
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await bench.ear.wait<LogEntry[]>(logsEvent(bench.jobId));
    expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
    door.shut();
    await sleep(1_000);
    expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${fault.server.url}/healthz`)).status).toBe(200);
    await sleep(6_000);
    door.reopen();
    await expect
      .poll(async () => (await bench.owner.get(`/api/v3/jobs/${bench.jobId}`)).status, { timeout: 20_000 })
      .toBe(200);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 40_000 }).toBe("READY");
    const numbers = (await bench.lines()).map(([, text]) => Number(text)).filter((number) => !Number.isNaN(number));
    expect(numbers).toEqual(Array.from({ length: 60_000 }, (_, at) => at));
    const samples = await fault.database.db
      .selectFrom("usage_samples")
      .select(["number", "seconds"])
      .where("job_id", "=", bench.jobId)
      .orderBy("number")
      .execute();
    expect(samples.map(({ number }) => number)).toEqual(samples.map((_, at) => at + 1));
    bench.close();
    door.close();
  });
});

describe("stop during create, 100 times (fault 9)", () => {
  it("leaves no process behind", { timeout: 300_000 }, async () => {
    fault = await FaultBench.open(quick);
    const bench = await fault.workbench();
    const ids: string[] = [];
    for (let at = 0; at < 100; at++) {
      const since = bench.ear.heard.length;
      const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: at + 1 });
      bench.jobId = made.json<{ id: string }>().id;
      ids.push(bench.jobId);
      // At every point of its making, from at once to well after it is there.
      await sleep((at % 10) * 12);
      await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
      await bench.ear.wait<JobSummary>(
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
