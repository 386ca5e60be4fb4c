import type { JobSummary, JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { addOne, keptResults, ranNodes, resume, slowChain, slowNode } from "../../../testing/results/kept-results.ts";
import { endedRun } from "../../../testing/runs.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { type SocketListener, listen, script, Workbench } from "../../../testing/workbench.ts";
import { idleWords } from "./idle-jobs.ts";

// Six seconds, announced after three.
const minutes = 0.1;

let server: TestServer;
beforeAll(async () => {
  const processors = readConfig({ MIRANDA_IDLE_MINUTES: String(minutes) }).processors;
  server = await startTestServer({ processors, presenceExpiry: 1_000 });
});
afterAll(() => server.close());

/** A session whose people have left, and a listener of its owner that still receives its events. */
async function leftAlone(): Promise<{ bench: Workbench; watcher: SocketListener }> {
  const bench = await Workbench.open(server);
  const watcher = await watch(bench.owner, bench.graphId);
  await bench.start();
  bench.listener.socket.emit("leave_project", bench.graphId);
  bench.listener = watcher;
  return { bench, watcher };
}

/** Receives a graph's events without being present. */
async function watch(person: TestAccount, graphId: string): Promise<SocketListener> {
  const listener = await listen(server, person, graphId);
  await listener.socket.emitWithAck("leave_project", graphId);
  await listener.socket.emitWithAck("watch_project", graphId);
  return listener;
}

const nextUpdate = (listener: SocketListener, test: (job: JobSummary) => boolean, since = 0) =>
  listener.wait<JobSummary>("update[DOCKER_JOB]", test, since);
const isAnnounced = ({ ends_at }: JobSummary) => ends_at !== null;

describe("a session that nobody uses", () => {
  it("is announced, then ends as EXITED with the reason as the last line of its log", { timeout: 30_000 }, async () => {
    const { bench, watcher } = await leftAlone();
    const announced = await nextUpdate(watcher, isAnnounced);
    expect(announced.workflow_state).toBe("READY");
    // The lists show it, too.
    const { running } = (await bench.owner.get("/api/v3/jobs")).json<JobsResponse>();
    expect(running.find(({ id }) => id === bench.jobId)?.ends_at).toBe(announced.ends_at);
    const ended = await nextUpdate(watcher, ({ workflow_state }) => workflow_state === "EXITED");
    expect(ended.ends_at).toBeNull();
    expect((await bench.lines()).at(-1)).toEqual([1, idleWords(minutes * 60)]);
    expect((await bench.owner.put(`/api/v3/jobs/${bench.jobId}/keep`)).status).toBe(409);
    bench.close();
  });

  it("leaves its last run as it ended, and a new session continues from there", { timeout: 40_000 }, async () => {
    const { bench, watcher } = await leftAlone();
    const ids = await slowChain(bench, [addOne, "raise ValueError('no tide')"]);
    const since = watcher.received.length;
    await bench.run();
    await keptResults(server.db, bench.projectId, 1);
    await nextUpdate(watcher, ({ workflow_state }) => workflow_state === "EXITED", since);
    const run = await endedRun(bench);
    expect(run).toMatchObject({ state: "failed", failed_node: { wob_key: ids[1], name: "N2" } });
    expect(await bench.job()).toMatchObject({ last_run: { id: run.id, state: "failed" } });
    await bench.code(ids[1] ?? 0, slowNode("N2", addOne));
    await bench.start();
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N2"]);
    bench.close();
  });

  it("continues when somebody keeps it, and the idle time starts again", { timeout: 30_000 }, async () => {
    const { bench, watcher } = await leftAlone();
    const { ends_at } = await nextUpdate(watcher, isAnnounced);
    const since = watcher.received.length;
    const kept = await bench.owner.put(`/api/v3/jobs/${bench.jobId}/keep`);
    expect([kept.status, kept.json<JobSummary>().ends_at]).toEqual([200, null]);
    await nextUpdate(watcher, (job) => job.ends_at === null, since);
    const later = await nextUpdate(watcher, (job) => isAnnounced(job) && job.ends_at !== ends_at, since);
    expect(Date.parse(later.ends_at ?? "")).toBeGreaterThan(Date.parse(ends_at ?? ""));
    await nextUpdate(watcher, ({ workflow_state }) => workflow_state === "EXITED", since);
    bench.close();
  });

  it("goes on while it runs, and a run counts as use", { timeout: 40_000 }, async () => {
    const { bench, watcher } = await leftAlone();
    await bench.node(script("import time", "time.sleep(8)", "print('through')"));
    const since = watcher.received.length;
    await bench.send("start", "-1");
    await bench.state(since, "RUNNING");
    const ready = await bench.state(watcher.received.length, "READY");
    expect(ready.ends_at).toBeNull();
    expect((await bench.lines()).at(-1)?.[1]).toBe("through");
    const quiet = watcher.all<JobSummary>("update[DOCKER_JOB]").filter(({ ends_at }) => ends_at !== null);
    expect(quiet.filter(({ workflow_state }) => workflow_state === "RUNNING")).toEqual([]);
    bench.close();
  });

  it("continues while somebody who may change it is present, on any server", { timeout: 40_000 }, async () => {
    const twin = await server.twin();
    const bench = await Workbench.open(server);
    await bench.start();
    const there = await listen(twin, bench.owner, bench.graphId);
    const renewing = setInterval(() => there.socket.emit("renew_project_presence", bench.graphId), 300);
    const watcher = await watch(bench.owner, bench.graphId);
    bench.close();
    const before = await server.db
      .selectFrom("jobs")
      .select("used_at")
      .where("id", "=", bench.jobId)
      .executeTakeFirst();
    const used = async () =>
      (await server.db.selectFrom("jobs").select("used_at").where("id", "=", bench.jobId).executeTakeFirstOrThrow())
        .used_at;
    // Longer than it may be idle.
    await expect
      .poll(async () => (await used()).getTime() - (before?.used_at.getTime() ?? 0), { timeout: 15_000 })
      .toBeGreaterThan(7_000);
    expect(watcher.all<JobSummary>("update[DOCKER_JOB]").every(({ ends_at }) => ends_at === null)).toBe(true);
    clearInterval(renewing);
    there.close();
    await nextUpdate(watcher, ({ workflow_state }) => workflow_state === "EXITED");
    watcher.close();
    await twin.close();
  });

  it("is not kept alive by a reader: the owner would pay for a stranger", { timeout: 30_000 }, async () => {
    const { bench, watcher } = await leftAlone();
    const reader = await server.signUp();
    const there = await listen(server, reader, bench.graphId);
    const renewing = setInterval(() => there.socket.emit("renew_project_presence", bench.graphId), 300);
    // Readers see the announcement, and may not keep it.
    await nextUpdate(there, isAnnounced);
    expect((await reader.put(`/api/v3/jobs/${bench.jobId}/keep`)).status).toBe(403);
    await nextUpdate(watcher, ({ workflow_state }) => workflow_state === "EXITED");
    clearInterval(renewing);
    there.close();
    bench.close();
  });
});

describe("a server that starts", () => {
  it("knows how long a session was unused, and gives people time to reconnect", { timeout: 30_000 }, async () => {
    const bench = await Workbench.open(server);
    bench.close();
    await bench.store("local", { pid: 1, start: "1", host: "another-machine" }, new Date());
    const past = new Date(Date.now() - 3_600_000);
    await server.db.updateTable("jobs").set({ used_at: past, state_at: past }).where("id", "=", bench.jobId).execute();
    const ends = async () =>
      (await server.db.selectFrom("jobs").selectAll().where("id", "=", bench.jobId).executeTakeFirstOrThrow()).ends_at;
    await expect.poll(ends, { timeout: 10_000 }).not.toBeNull();
    // The full announcement time, however long ago it was used.
    expect((await ends())?.getTime()).toBeGreaterThan(Date.now() - 1_000);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 10_000 }).toMatch(/KILLING|EXITED/);
  });
});

describe("the idle time in words", () => {
  it.each([
    [1_800, "Ended after 30 minutes without use."],
    [60, "Ended after 1 minute without use."],
    [90, "Ended after 1.5 minutes without use."],
  ])("is, for %d seconds, %s", (seconds, words) => {
    expect(idleWords(seconds)).toBe(words);
  });
});

describe("MIRANDA_IDLE_MINUTES", () => {
  it("is 30 unless it is set, and 0 means never", () => {
    expect(readConfig({}).processors.idleSeconds).toBe(1_800);
    expect(readConfig({ MIRANDA_IDLE_MINUTES: "0" }).processors.idleSeconds).toBe(0);
    expect(() => readConfig({ MIRANDA_IDLE_MINUTES: "-1" })).toThrow(/MIRANDA_IDLE_MINUTES/);
  });
});
