import { startArgs } from "@miranda/contract/command-args.ts";
import { LedgerPage, SpendingOfSession } from "@miranda/contract/schemas/billing/spending.ts";
import { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import type { RunDetails, RunEvent } from "@miranda/contract/schemas/runs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";
import { sql } from "kysely";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { endedRun, ForgedRun, listRuns, readRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { until } from "../../testing/test-socket.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ webhookPrivate: true, currency: "€" });
});
afterAll(() => server.close());

interface Called {
  run: { seconds: number; times: RunDetails["times"]; cost: number; currency: string; words: Record<string, string> };
}

/** What a webhook of the project is sent when a run ends. */
async function called(bench: Workbench): Promise<Called[]> {
  const bodies: Called[] = [];
  const receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Called);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void receiver.close());
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`;
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/webhooks`, { url, events: '["run_ended"]' });
  return bodies;
}

describe("how long a run took and what it cost", () => {
  it("is the same in its page, the list, the event, the notification, the webhook, billing and the CSV (R14)", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.put("/api/v3/accounts/notification-settings", { min_seconds: 0 });
    const bodies = await called(bench);
    await bench.node(script("import time", "time.sleep(0.3)"));
    await bench.start();
    await bench.run();
    await until(() => bodies.length > 0, "no call of the webhook came");
    const run = await endedRun(bench);
    const { times, cost } = run;
    const [took, price] = [durationText(times.took), moneyText(cost, "€")];
    expect(cost).toBeGreaterThan(0);
    expect(times.took).toBe((Date.parse(run.time_ended ?? "") - Date.parse(run.time_began)) / 1_000);

    const { run: hooked } = bodies[0] ?? { run: undefined };
    expect(hooked).toMatchObject({ seconds: times.took, times, cost, currency: "€", words: { took, cost: price } });
    const { notifications } = NotificationPage.parse((await bench.owner.get("/api/v3/notifications")).json());
    expect(notifications.map(({ body }) => body)).toEqual([`Run 1 took ${took} and cost ${price}.`]);
    const [listed] = await listRuns(bench);
    expect(listed).toMatchObject({ times, cost });
    const events = bench.listener.all<RunEvent>("update[RUN]");
    expect(events.at(-1)?.run).toMatchObject({ times, cost });

    await bench.until("stop", "", "EXITED");
    const at = "/api/v3/billing";
    const spent = SpendingOfSession.parse((await bench.owner.get(`${at}/sessions/${bench.jobId}`)).json());
    expect(spent.runs).toMatchObject([{ seconds: times.took }]);
    expect(spent.runs.map((one) => moneyText(one.cost, "€"))).toEqual([price]);
    expect(Number(spent.runs[0]?.cost)).toBe(cost);
    expect(spent.runs[0]?.nodes.map((node) => Number(node.cost))).toEqual(run.run_nodes.map((node) => node.cost));
    expect(Number(spent.between) + cost).toBeCloseTo(Number(spent.cost), 9);
    const ledger = LedgerPage.parse((await bench.owner.get(`${at}/ledger?kind=usage`)).json());
    expect(ledger.entries.map(({ amount }) => Number(amount))).toEqual([-Number(spent.cost)]);
    const csv = (await bench.owner.get(`${at}/ledger.csv?kind=usage`)).text.trim().split("\r\n");
    expect(csv[0]).toMatch(/,amount,.*,currency$/);
    expect(csv[1]).toContain(`,-${spent.cost},`);
    expect(csv[1]).toMatch(/,€$/);
    // Nothing of it changes later.
    expect(await readRun(bench, run.id)).toMatchObject({ times, cost });
    bench.close();
  });

  it("is told when its last sample is known, and no later sample counts", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.put("/api/v3/accounts/notification-settings", { min_seconds: 0 });
    const run = await ForgedRun.begin(server, bench);
    const usage = (sample: number, seconds: number) => ({
      ...{ kind: "usage", sample, seconds, cpu_seconds: 0, ram_gb: 0, run: 1 },
    });
    expect(await run.post(usage(1, 3_600), run.done(), run.state("READY"), usage(2, 7_200))).toBe(200);
    const { cost } = await run.read();
    expect(await run.post(usage(3, 36_000))).toBe(200);
    expect((await run.read()).cost).toBe(cost);
    const told = async () =>
      NotificationPage.parse((await bench.owner.get("/api/v3/notifications")).json()).notifications.map(
        ({ body }) => body.split(" cost ")[1],
      );
    await expect.poll(told, { timeout: 20_000 }).toEqual([`${moneyText(cost, "€")}.`]);
    bench.close();
  });
});

describe("the time of a run", () => {
  it("tells installing apart from running", async () => {
    const bench = await Workbench.open(server);
    const run = await ForgedRun.begin(server, bench);
    await run.post({ kind: "installing", total: 2, done: 0, what: "six" });
    // As if all of it had begun so long ago.
    await sql`update runs set began_at = began_at - interval '71 seconds', installing_since = installing_since - interval '30 seconds'
      where id = ${run.runId}`.execute(server.db);
    const living = await run.read();
    expect(living.times.installing).toBeGreaterThanOrEqual(30);
    await run.post({ kind: "installing", total: 2, done: 1, what: "six" });
    await run.post({ kind: "installing", total: 0, done: 0, what: "" });
    const between = (await run.read()).times;
    await run.post(run.done(), run.state("READY"));
    const { times } = await run.read();
    expect(times.installing).toBe(between.installing);
    expect(times.installing).toBeGreaterThanOrEqual(living.times.installing);
    expect(times.took).toBeGreaterThanOrEqual(71);
    expect(times.running).toBeCloseTo(times.took - times.installing, 3);
    expect(times.waiting).toBe(0);
    bench.close();
  });

  it("counts installing until the end of a run that ends meanwhile", async () => {
    const bench = await Workbench.open(server);
    const run = await ForgedRun.begin(server, bench);
    await run.post({ kind: "installing", total: 2, done: 0, what: "six" });
    // A whole millisecond, as far as the page reads times: a part of one would count as running.
    const began = sql`date_trunc('milliseconds', began_at) - interval '30 seconds'`;
    await sql`update runs set began_at = ${began}, installing_since = ${began} where id = ${run.runId}`.execute(
      server.db,
    );
    await run.post(run.state("ERROR", { reason: "Out of memory." }));
    const { times } = await run.read();
    expect(times).toMatchObject({ installing: times.took, running: 0 });
    bench.close();
  });

  it("says how long the first run waited for the session that was started for it, and only then", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("pass"));
    const since = bench.listener.received.length;
    const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 7, for_run: true });
    bench.jobId = made.json<{ id: string }>().id;
    const ready = await bench.state(since, "READY");
    await bench.until("start", startArgs(), "READY");
    await bench.until("start", startArgs(), "READY");
    const waited = (Date.parse(ready.state_since) - Date.parse(ready.time_created)) / 1_000;
    await endedRun(bench);
    const [second, first] = await listRuns(bench);
    expect(first?.times.waiting).toBeCloseTo(waited, 3);
    expect(second?.times.waiting).toBe(0);
    // It is not part of how long the run took.
    expect(Date.parse(first?.time_began ?? "")).toBeGreaterThanOrEqual(Date.parse(ready.state_since));
    bench.close();

    const other = await Workbench.open(server);
    await other.node(script("pass"));
    await other.start();
    await other.run();
    expect((await endedRun(other)).times.waiting).toBe(0);
    other.close();
  });
});
