import { runMax } from "@miranda/contract/protocol/worker.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { runHistory } from "../../limits.ts";
import { ForgedRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

// What hostile node code can report about a run.

let server: TestServer;
let bench: Workbench;
let node: number;
let foreign: number;
beforeAll(async () => {
  server = await startTestServer();
  const other = await Workbench.open(server);
  foreign = await other.node(script("pass"), "Foreign");
  other.close();
});
afterAll(() => server.close());
beforeEach(async () => {
  bench?.close();
  bench = await Workbench.open(server);
  node = await bench.node(script("pass"), "Own");
});

const planned = (run: number, ...nodes: number[]) => ({
  ...{ kind: "planned", run, python: "3.14.0" },
  nodes: nodes.map((id) => ({ node: id, run: true, reason: "Everything runs." })),
});
const progress = (run: number, id: number, status: string, more: object = {}) => ({
  ...{ kind: "progress", running: null, run, statuses: { [id]: status } },
  ...more,
});
const exception = (id: number, more: object = {}) => ({
  ...{ kind: "exception", node: id, line: 1, function: "run", traceback: "ValueError: x\n" },
  ...more,
});

describe("a report about a run", () => {
  it("counts for nodes of the workflow only", async () => {
    const forged = await ForgedRun.begin(server, bench);
    expect(await forged.post(planned(1, node, foreign, 999_999_999), progress(1, foreign, "error"))).toBe(200);
    await forged.post(progress(1, node, "done", { times: { [node]: [0.5, 1] }, spans: { [node]: [[0, 0.1, 0.6]] } }));
    await forged.post(exception(foreign));
    const run = await forged.read();
    expect(run.run_nodes).toMatchObject([
      { wob_key: node, name: "Own", status: "done", seconds: 0.5, fires: 1, spans: [[0, 0.1, 0.6]] },
    ]);
    expect(run.exceptions).toEqual([]);
    expect(run.nodes).toEqual({ run: 1, skipped: 0, failed: 0, kept: 0 });
  });

  it("counts for the run that is alive only", async () => {
    const forged = await ForgedRun.begin(server, bench);
    await forged.post(planned(2, node), progress(7, node, "done"), progress(0, node, "error"));
    expect((await forged.read()).run_nodes).toEqual([]);
    await forged.post({ ...forged.done(), number: forged.command + 5 });
    expect(await forged.read()).toMatchObject({ state: "running" });
    await forged.post(forged.done(), forged.state("READY"));
    await forged.post(planned(1, node), progress(1, node, "error"), exception(node));
    const run = await forged.read();
    expect(run).toMatchObject({ state: "done", run_nodes: [], exceptions: [], nodes: { failed: 0 } });
  });

  it("plans once, and names a node once", async () => {
    const forged = await ForgedRun.begin(server, bench);
    await forged.post(planned(1, node, node));
    await forged.post({ ...planned(1, node), nodes: [{ node, run: false, reason: "Changed my mind." }] });
    expect((await forged.read()).run_nodes).toMatchObject([{ planned: true, reason: "Everything runs." }]);
  });

  it("keeps the first exceptions, shortened, and no variables beyond their limit", async () => {
    const forged = await ForgedRun.begin(server, bench);
    const frame = (text: string) => ({ node, line: 1, function: "run", file: "", locals: { text }, cuts: [] });
    await forged.post(
      exception(node, { traceback: `${"x".repeat(200_000)}\nValueError: the end`, frames: [frame("small")] }),
      exception(node, { frames: [frame("y".repeat(3 * runMax.frameBytes))] }),
    );
    for (let round = 0; round < 3; round += 1) await forged.post(...Array.from({ length: 40 }, () => exception(node)));
    const { exceptions, failed_node } = await forged.read();
    expect(exceptions).toHaveLength(runHistory.exceptions);
    expect(exceptions[0]?.traceback).toHaveLength(runHistory.tracebackMax);
    expect(exceptions[0]?.traceback).toMatch(/ValueError: the end$/);
    expect(exceptions.slice(0, 2).map(({ frames }) => frames.length)).toEqual([1, 0]);
    expect(failed_node).toEqual({ wob_key: node, name: "Own" });
  });

  it("is refused with more spans than a node may have, or times that are none", async () => {
    const forged = await ForgedRun.begin(server, bench);
    const spans = (count: number, span: unknown[]) =>
      progress(1, node, "done", { spans: { [node]: Array.from({ length: count }, () => span) } });
    expect(await forged.post(spans(runMax.spans + 1, [0, 1, 2]))).toBe(400);
    expect(await forged.post(spans(1, [0, -1, 2]))).toBe(400);
    expect(await forged.post(spans(1, [0, 1]))).toBe(400);
    expect(await forged.post(spans(runMax.spans, [0, 1, 2]))).toBe(200);
    expect((await forged.read()).run_nodes[0]?.spans).toHaveLength(runMax.spans);
  });

  it("is stored without null characters and half characters", async () => {
    const forged = await ForgedRun.begin(server, bench);
    const reason = "a\u0000b\ud800c";
    expect(await forged.post({ ...planned(1), nodes: [{ node, run: false, reason }], python: reason })).toBe(200);
    await forged.post(exception(node, { traceback: reason, function: reason }));
    await forged.post(forged.done({ error: reason, packages: { [reason]: reason } }));
    const run = await forged.read();
    expect(run.python).toBe("ab\ufffdc");
    expect(run.run_nodes[0]?.reason).toBe("a\ufffdb\ufffdc");
    expect(run.exceptions[0]?.traceback).toBe("ab\ufffdc");
    expect(run.reason).toBe("ab\ufffdc");
  });
});
