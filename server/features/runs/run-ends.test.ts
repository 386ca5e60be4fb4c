import type { RunEvent } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { endedRun, ForgedRun, listRuns, readRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

const { processors } = readConfig({});
const endless = script("import time", "print('begun', flush=True)", "time.sleep(600)");

let server: TestServer;
let bench: Workbench;
beforeAll(async () => {
  server = await startTestServer({ processors: { ...processors, heartbeatSeconds: 0.5, lostSeconds: 1 } });
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await Workbench.open(server);
});
afterEach(() => bench.close());

async function begin(source = endless): Promise<number> {
  const node = await bench.node(source, "Train");
  await bench.start();
  await bench.until("start", "-1", "RUNNING");
  if (source === endless) await expect.poll(async () => (await bench.lines()).at(-1)?.[1]).toBe("begun");
  return node;
}

describe("a run that goes on", () => {
  it("is alive, and cannot be deleted", async () => {
    await begin();
    const [run] = await listRuns(bench);
    expect(run).toMatchObject({ state: "running", time_ended: null });
    const answer = await bench.owner.delete(`/api/v3/runs/${run?.id}`);
    expect([answer.status, answer.text]).toEqual([409, "This run has not ended yet. Stop it first."]);
    expect(await listRuns(bench, "&state=alive")).toHaveLength(1);
  });

  it("is paused at a breakpoint, and runs on", async () => {
    const node = await bench.node(script("x = 1", "x = 2"), "Train");
    await bench.start();
    await bench.run({ [node]: [6] });
    await expect.poll(async () => (await listRuns(bench))[0]?.state).toBe("paused");
    await bench.until("continue", "", "READY");
    expect(await endedRun(bench)).toMatchObject({ state: "done" });
  });
});

describe("a run ends", () => {
  it("as stopped when somebody interrupts it", async () => {
    const node = await begin();
    await bench.send("interrupt");
    const run = await endedRun(bench);
    expect(run).toMatchObject({ state: "stopped", reason: "Interrupted." });
    expect(run.run_nodes).toMatchObject([{ wob_key: node, status: "stopped" }]);
    expect(run.run_nodes[0]?.spans).toHaveLength(1);
  });

  it("with a node that was stopped, which bears the cost of the time that it ran", async () => {
    const node = await begin();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // The worker is killed: nobody tells how long the node ran.
    await bench.send("stop");
    const { id } = await endedRun(bench);
    await expect.poll(async () => (await readRun(bench, id)).cost).toBeGreaterThan(0);
    const { run_nodes, cost, installing_cost } = await readRun(bench, id);
    expect(run_nodes).toMatchObject([{ wob_key: node, status: "stopped", cost }]);
    expect(run_nodes[0]?.seconds).toBeGreaterThan(1.4);
    expect(installing_cost).toBe(0);
  });

  it("as stopped when somebody stops its session", async () => {
    await begin();
    await bench.send("stop");
    expect(await endedRun(bench)).toMatchObject({ state: "stopped", reason: "The session was stopped." });
  });

  it("as stopped when somebody restarts its session", async () => {
    await begin();
    await bench.send("restart");
    expect(await endedRun(bench)).toMatchObject({ state: "stopped", reason: "The session was restarted." });
  });

  it("as crashed when its worker dies, with the words of the log and the node that was running", async () => {
    const node = await begin(script("import os, time", "os.kill(os.getppid(), 9)", "time.sleep(60)"));
    const run = await endedRun(bench);
    expect(run).toMatchObject({
      state: "crashed",
      reason: "Train: killed, perhaps because the machine ran out of memory (SIGKILL)",
      failed_node: { wob_key: node, name: "Train" },
      nodes: { failed: 1 },
    });
    expect(run.exceptions).toMatchObject([
      { wob_key: node, traceback: "Train: killed, perhaps because the machine ran out of memory (SIGKILL)" },
    ]);
    expect(await bench.job()).toMatchObject({ last_run: { id: run.id, state: "crashed" } });
  });

  it("as failed when nothing can be run", async () => {
    await bench.node(script("pass"), "Train");
    const forged = await ForgedRun.begin(server, bench);
    await forged.post(forged.done({ error: "That node is not in this workflow.", good: undefined }));
    expect(await forged.read()).toMatchObject({ state: "failed", reason: "That node is not in this workflow." });
  });

  it("as lost when its account has no credits left", async () => {
    const forged = await ForgedRun.begin(server, bench);
    await server.db.updateTable("accounts").set({ credits: 0 }).where("id", "=", bench.owner.account.id).execute();
    const since = bench.listener.received.length;
    await forged.post({ kind: "usage", sample: 1, seconds: 2, cpu_seconds: 2, ram_gb: 1 });
    await bench.state(since, "KILLING");
    const reason = "The session was stopped: You are out of credits.";
    await forged.post({ kind: "state", state: "EXITED", reason, command: forged.command + 1 });
    const run = await forged.read();
    expect(run).toMatchObject({ state: "lost", reason });
    expect(run.cost).toBeGreaterThan(0);
  });

  it("as lost when its machine is gone and nobody reports anything", async () => {
    const gone = { engine_ref: JSON.stringify({ pid: 999_999_999, start: "1" }) };
    const forged = await ForgedRun.begin(server, bench, gone);
    await server.db
      .updateTable("jobs")
      .set({ seen_at: new Date(0) })
      .where("id", "=", forged.jobId)
      .execute();
    expect(await endedRun(bench)).toMatchObject({
      state: "lost",
      reason: "The processor's process is gone: it was killed or its machine restarted.",
    });
  });

  it("when the disk has room again after it was full, with all its lines", async () => {
    await bench.node(script("import time", "for at in range(100): print(at); time.sleep(0.01)"));
    await bench.start();
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'No space left on device' using errcode = '53100'; end $$`.execute(server.db);
    await sql`create trigger full_disk before insert on log_chunks for each row execute function refuse()`.execute(
      server.db,
    );
    const since = bench.listener.received.length;
    try {
      await bench.send("start", "-1");
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    } finally {
      await sql`drop function refuse cascade`.execute(server.db);
    }
    await bench.state(since, "READY");
    expect(await endedRun(bench)).toMatchObject({ state: "done", reason: "", session: { exists: true } });
    expect((await bench.lines()).filter(([, text]) => /^\d+$/.test(text))).toHaveLength(100);
  });

  it("as lost when its session vanished without a word", async () => {
    const forged = await ForgedRun.begin(server, bench);
    await server.db.deleteFrom("jobs").where("id", "=", forged.jobId).execute();
    expect(await endedRun(bench)).toMatchObject({
      state: "lost",
      reason: "The session ended without a report about this run.",
      session: { exists: false },
    });
  });

  it("once: what is reported afterwards changes nothing, and one end is published", async () => {
    const forged = await ForgedRun.begin(server, bench);
    await forged.post(forged.done({ packages: { numpy: "2.0" } }), forged.state("READY"));
    const before = await forged.read();
    expect(before).toMatchObject({ state: "done", packages: { numpy: "2.0" } });
    await forged.post(forged.done({ good: false }), forged.state("ERROR", { reason: "The end." }));
    const after = await forged.read();
    expect(after).toMatchObject({ state: "done", time_ended: before.time_ended, revision: before.revision });
    await bench.listener.enter(bench.graphId);
    const ends = bench.listener.all<RunEvent>("update[RUN]").filter(({ run }) => run.time_ended !== null);
    expect(ends).toHaveLength(1);
  });
});

describe("what a run used", () => {
  it("is charged from its beginning to its end, with the sample that comes after it", async () => {
    const sample = (number: number, cpu_seconds: number) => ({
      ...{ kind: "usage", sample: number, seconds: 2, cpu_seconds, ram_gb: 0.5 },
      ...{ received_bytes: number * 1_000, sent_bytes: number * 100 },
    });
    const forged = await ForgedRun.begin(server, bench);
    await forged.post(sample(1, 1));
    await forged.post(sample(2, 2));
    await forged.post(forged.done(), forged.state("READY"));
    const early = await forged.read();
    await forged.post(sample(3, 4));
    const whole = await forged.read();
    expect(whole.cost).toBeGreaterThan(early.cost);
    await forged.post(sample(4, 100));
    const late = await forged.read();
    expect(late.cost).toBe(whole.cost);
    expect(late.usage?.cpu).toEqual([0.5, 1, 2]);
    expect(late.usage?.ram_gb).toEqual([0.5, 0.5, 0.5]);
    expect(late.usage?.received).toEqual([0, 500, 500]);
    expect(late.usage?.sent).toEqual([0, 50, 50]);
    const { total_cost } = await bench.job();
    expect(late.cost).toBeLessThan(total_cost ?? 0);
  });
});
