import { metricChart } from "@miranda/contract/limits.ts";
import { RunMetrics, type RunMetricsEvent, RunPage, RunUsage } from "@miranda/contract/schemas/runs.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runMetrics as limits } from "../../limits.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { forge, script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function newestRun(bench: Workbench): Promise<string> {
  const page = RunPage.parse((await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json());
  return page.runs[0]?.id ?? "";
}

async function metricsOf(bench: Workbench, by: TestAccount = bench.owner): Promise<RunMetrics> {
  return RunMetrics.parse((await by.get(`/api/v3/runs/${await newestRun(bench)}/metrics`)).json());
}

async function ran(...lines: string[]): Promise<{ bench: Workbench; node: number }> {
  const bench = await Workbench.open(server);
  const node = await bench.node(script(...lines), "Train");
  await bench.start();
  await bench.run();
  return { bench, node };
}

describe("metrics of a run", () => {
  it("are stored with their steps and times, and sent while it runs", async () => {
    const { bench, node } = await ran(
      "for at in range(5): log_metric('loss', 1 / (at + 1))",
      "log_metric('rate', 0.1, step=7)",
      "log_metric('loss', float('nan'))",
      "log_metric('loss', 0.125)",
    );
    const [loss, rate] = await metricsOf(bench);
    expect(loss).toMatchObject({
      name: "loss",
      wob_key: node,
      steps: [0, 1, 2, 3, 4, 5, 6],
      values: [1, 0.5, 1 / 3, 0.25, 0.2, null, 0.125],
      count: 7,
    });
    expect(rate).toMatchObject({ name: "rate", steps: [7], values: [0.1] });
    expect(loss?.times.every((time, at) => time >= (loss.times[at - 1] ?? 0))).toBe(true);
    expect((await bench.lines()).map(([, text]) => text)).toContain(
      "The metric loss is nan at step 5: its line has a gap there.",
    );
    const run_id = await newestRun(bench);
    const events = bench.listener.all<RunMetricsEvent>("run_metrics");
    expect(events.every((event) => event.run_id === run_id)).toBe(true);
    const sent = events.flatMap(({ metrics }) => metrics.filter(({ name }) => name === "loss"));
    expect(sent.flatMap(({ values }) => values)).toEqual(loss?.values);
    expect(sent.at(-1)?.count).toBe(7);
    bench.close();
  });

  it("go on being added to their line while the node runs", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("for at in range(4):", "    log_metric('loss', at)", "    if at < 3: input('Go on?')"));
    await bench.start();
    const running = bench.run();
    for (let at = 1; at < 4; at++) {
      const seen = (event: RunMetricsEvent) => event.metrics[0]?.count === at;
      await bench.listener.wait<RunMetricsEvent>("run_metrics", seen);
      expect((await metricsOf(bench))[0]?.count).toBe(at);
      await expect
        .poll(() => bench.listener.all<{ question: string }>("ask_for_password").length, { timeout: 20_000 })
        .toBe(at);
      const question = bench.listener.all<{ question: string }>("ask_for_password").at(-1)?.question ?? "";
      const form = { question, answer: "yes" };
      expect((await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/answers`, form)).status).toBe(200);
    }
    await running;
    expect((await metricsOf(bench))[0]?.values).toEqual([0, 1, 2, 3]);
    // In one row, although they came one by one.
    const rows = await server.db
      .selectFrom("run_metrics")
      .select(["points"])
      .where("run_id", "=", await newestRun(bench))
      .execute();
    expect(rows).toEqual([{ points: 4 }]);
    bench.close();
  });

  it("a million points are thinned out: the log says so, and an answer has no more than a chart draws", async () => {
    const { bench } = await ran("for at in range(1_000_000): log_metric('loss', at)", "print('all logged')");
    const [loss] = await metricsOf(bench);
    expect(loss?.values.length).toBeLessThanOrEqual(metricChart.pointsMax);
    expect([loss?.values[0], loss?.values.at(-1)]).toEqual([0, 999_999]);
    expect(loss?.count).toBeGreaterThan(10_000);
    expect(loss?.count).toBeLessThan(100_000);
    const lines = (await bench.lines()).map(([, text]) => text);
    expect(lines).toContain("The metric loss has more than 10,000 points: from here on it is thinned out.");
    expect(lines).toContain("all logged");
    for (const { metrics } of bench.listener.all<RunMetricsEvent>("run_metrics"))
      for (const { values } of metrics) expect(values.length).toBeLessThanOrEqual(metricChart.pointsMax);
    bench.close();
  });

  it("a value that is no number fails the node with words that name it", async () => {
    const { bench } = await ran("log_metric('loss', 'much')");
    const lines = (await bench.lines()).map(([, text]) => text);
    expect(lines).toContain("TypeError: The value of the metric 'loss' is a text, not a number.");
    expect(await metricsOf(bench)).toEqual([]);
    bench.close();
  });

  it("of a hostile worker stay within their limits, and its run goes on", async () => {
    const { bench } = await ran(
      ...forge,
      "def metrics(points, run=1, node=None): send(json.dumps({'kind': 'metrics', 'node': node, 'run': run, 'points': points}).encode())",
      "metrics([[f'm{at}', 1, 1, 1] for at in range(400)])",
      "metrics([['other run', 1, 1, 1]], run=9)",
      "metrics([['other node', 1, 1, 1]], node=1)",
      "metrics([['zero \\0 and \\ud800', 1, 1, 1]])",
      "for round in range(110): metrics([['m0', at, at, 1] for at in range(5000)])",
      "print('still there')",
    );
    const stored = await server.db
      .selectFrom("run_metrics")
      .select(({ fn }) => [fn.sum<string>("points").as("points"), fn.count<string>("name").distinct().as("lines")])
      .where("run_id", "=", await newestRun(bench))
      .executeTakeFirstOrThrow();
    expect(Number(stored.points)).toBe(limits.pointsPerRun);
    expect(Number(stored.lines)).toBe(limits.linesPerRun);
    const names = (await metricsOf(bench)).map(({ name }) => name);
    expect(names).not.toContain("other run");
    expect(names).not.toContain("other node");
    const lines = (await bench.lines()).map(([, text]) => text);
    expect(lines).toContain("This run has 300 metrics: further ones are not kept.");
    expect(lines).toContain("The metrics of this run have 500000 points: further ones are not kept.");
    expect(lines).toContain("still there");
    bench.close();
  });

  it("are read by readers of the workflow and by nobody else", async () => {
    const { bench } = await ran("log_metric('loss', 1)");
    const [reader, stranger] = [await server.signUp(), await server.signUp()];
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    const form = { user: reader.account.username, role: "viewer" };
    await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form);
    expect(await metricsOf(bench, reader)).toHaveLength(1);
    const run = await newestRun(bench);
    for (const part of ["metrics", "usage"]) {
      expect((await reader.get(`/api/v3/runs/${run}/${part}`)).status).toBe(200);
      expect((await stranger.get(`/api/v3/runs/${run}/${part}`)).status).toBe(404);
      expect((await server.anonymous().get(`/api/v3/runs/${run}/${part}`)).status).toBe(401);
    }
    bench.close();
  });

  it("an unknown run has none, nor has what is no run", async () => {
    const person = await server.signUp();
    expect((await person.get("/api/v3/runs/018f0000-0000-7000-8000-000000000000/metrics")).status).toBe(404);
    expect((await person.get("/api/v3/runs/nonsense/metrics")).status).toBe(404);
  });

  it("are removed with their run", async () => {
    const { bench } = await ran("log_metric('loss', 1)");
    const run = await newestRun(bench);
    expect((await bench.owner.delete(`/api/v3/runs/${run}`)).status).toBe(200);
    const left = await server.db.selectFrom("run_metrics").select("name").where("run_id", "=", run).execute();
    expect(left).toEqual([]);
    bench.close();
  });
});

describe("what the session used", () => {
  it("is read while the run lives and afterwards", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("import time", "time.sleep(5)"));
    await bench.start();
    const running = bench.run();
    const read = async () =>
      RunUsage.nullable().parse((await bench.owner.get(`/api/v3/runs/${await newestRun(bench)}/usage`)).json());
    await expect.poll(async () => (await read())?.times.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);
    await running;
    const used = await read();
    expect(used?.cpu).toHaveLength(used?.times.length ?? -1);
    expect(used?.ram_gb.every((ram) => ram > 0)).toBe(true);
    bench.close();
  });
});
