import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";

import { listRuns } from "../testing/runs.ts";
import type { Workbench } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

const quick = { MIRANDA_HEARTBEAT_SECONDS: "0.5", MIRANDA_LOST_SECONDS: "2", MIRANDA_GRACE_SECONDS: "1" };
const rounds = 6;

/** A node that passes its number on after a moment. */
const step = (seconds: number) =>
  [
    "from miranda import *",
    "import time",
    "class Step(Node):",
    "    given = Receiver(optional=True)",
    "    out = Transmitter()",
    "    def run(self):",
    `        time.sleep(${seconds})`,
    "        self.out.send(1)",
  ].join("\n");

let fault: FaultBench;
afterEach(() => fault.close());

/** As agents see it: the server may be away at any moment. */
async function order(bench: Workbench, command: string): Promise<void> {
  await bench.send(command, command === "start" ? "-1" : "").catch(() => undefined);
}

it("ends every run once when the server is killed at any moment of it", { timeout: 300_000 }, async () => {
  fault = await FaultBench.open(quick);
  let bench = await fault.workbench();
  const nodes: number[] = [];
  for (let at = 0; at < 4; at += 1) nodes.push(await bench.node(step(0.15), `Step ${at}`));
  for (const [at, node] of nodes.slice(1).entries()) await bench.edge(nodes[at] ?? 0, "out", node, "given");
  await bench.start();
  let begun = 0;
  for (let round = 0; round < rounds; round += 1) {
    await bench.code(nodes[0] ?? 0, `${step(0.15)}\n# ${round}`);
    const wait = sleep(Math.random() * 1_000);
    const ordering = order(bench, "start");
    // Some runs are stopped or restarted at that moment too.
    const also = wait.then(() => (round % 4 === 3 ? order(bench, "restart") : undefined));
    await wait;
    await fault.server.kill("SIGKILL");
    await Promise.all([ordering, also]);
    await fault.restart();
    bench = await fault.follow(bench);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 30_000 }).toBe("READY");
    begun = (await fault.database.db.selectFrom("runs").select("id").execute()).length;
  }
  expect(begun).toBeGreaterThan(rounds / 2);
  const [last] = await listRuns(bench);
  await expect.poll(async () => (await listRuns(bench))[0]?.version ?? null, { timeout: 30_000 }).not.toBeNull();
  expect((await bench.owner.get(`/api/v3/runs/${last?.id}/graph`)).status).toBe(200);
  const alive = async () => (await listRuns(bench, "&state=alive")).length;
  await expect.poll(alive, { timeout: 10_000 }).toBe(0);
  const runs = await listRuns(bench);
  expect(runs.map(({ number }) => number)).toEqual(Array.from(runs, (_, at) => runs.length - at));
  for (const { id, state, reason, time_ended, nodes: counts } of runs) {
    expect(["done", "stopped"]).toContain(state);
    expect(time_ended).not.toBeNull();
    if (state === "stopped") expect(reason).toBe("The session was restarted.");
    else expect(counts).toMatchObject({ failed: 0 });
    const rows = await fault.database.db
      .selectFrom("run_nodes")
      .select("status")
      .where("run_id", "=", id)
      .where("status", "in", ["running", "waiting"])
      .execute();
    expect(rows).toEqual([]);
  }
  bench.close();
});

it("ends a run whose agent and server were both killed", { timeout: 120_000 }, async () => {
  fault = await FaultBench.open(quick);
  let bench = await fault.workbench();
  await bench.node(step(600));
  await bench.start();
  await bench.until("start", "-1", "RUNNING");
  const job = await fault.database.db
    .selectFrom("jobs")
    .select("engine_ref")
    .where("id", "=", bench.jobId)
    .executeTakeFirstOrThrow();
  const pid = Number(job.engine_ref?.["pid"]);
  await fault.server.kill("SIGKILL");
  process.kill(pid, "SIGKILL");
  await fault.restart();
  bench = await fault.follow(bench);
  await expect.poll(async () => (await listRuns(bench))[0]?.state, { timeout: 60_000 }).toBe("lost");
  const [run] = await listRuns(bench);
  expect(run?.reason).toBe("The processor's process is gone: it was killed or its machine restarted.");
  bench.close();
});
