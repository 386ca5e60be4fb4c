import type { RunDeletedEvent, RunEvent } from "@miranda/contract/schemas/runs.ts";
import { VersionGraph } from "@miranda/contract/schemas/versions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { listRuns, versionedRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const sender =
  "from miranda import *\n\nclass A(Node):\n    out = Transmitter()\n    def run(self):\n        show('seen')\n        self.out.send(1)\n";
const taker =
  "from miranda import *\n\nclass B(Node):\n    inp = Receiver()\n    def run(self):\n        print('taken', self.inp)\n";

async function chain(bench: Workbench): Promise<[number, number]> {
  const a = await bench.node(sender, "First");
  const b = await bench.node(taker, "Second");
  await bench.edge(a, "out", b, "inp");
  return [a, b];
}

describe("a run", () => {
  it("is a row with its nodes, times, version, lines, outputs and cost", async () => {
    const bench = await Workbench.open(server);
    const [a, b] = await chain(bench);
    const job = await bench.start();
    await bench.run();
    const run = await versionedRun(bench);
    expect(run).toMatchObject({
      number: 1,
      mode: "changed",
      source: "person",
      state: "done",
      reason: "",
      by: { username: bench.owner.account.username },
      graph: { id: bench.graphId, project_id: bench.projectId, name: "Flow", project_name: "Tides" },
      session: { id: job, exists: true },
      nodes: { run: 2, skipped: 0, failed: 0, kept: 0 },
      outputs_removed: false,
    });
    expect(run.python).toMatch(/^3\.\d+/);
    expect(run.time_ended).not.toBeNull();
    expect(run.last_line).toBeGreaterThanOrEqual(run.first_line);
    const [first, second] = run.run_nodes;
    expect(first).toMatchObject({ wob_key: a, name: "First", planned: true, status: "done", fires: 1 });
    expect(first?.reason).toBe("It has not run yet.");
    expect(second).toMatchObject({ wob_key: b, name: "Second", status: "done" });
    const [ready, began, ended] = second?.spans[0] ?? [0, 0, 0];
    expect(ready).toBeGreaterThan(0);
    expect(began).toBeGreaterThanOrEqual(ready);
    expect(ended).toBeGreaterThanOrEqual(began);
    const graph = VersionGraph.parse((await bench.owner.get(`/api/v3/runs/${run.id}/graph`)).json());
    expect(graph.nodes[a]?.source_code).toBe(sender);
    const outputs = (await bench.owner.get(`/api/v3/runs/${run.id}/outputs?node=${a}`)).json<{ data: unknown }[]>();
    expect(outputs).toHaveLength(1);
    const lines = (await bench.owner.get(`/api/v3/runs/${run.id}/logs?node=${b}`)).json<{ message: string }[]>();
    expect(lines.map(({ message }) => message)).toEqual(["taken 1"]);
    bench.close();
  });

  it("says which nodes it skipped and why, and counts on after a restart", async () => {
    const bench = await Workbench.open(server);
    const [a, b] = await chain(bench);
    await bench.start();
    await bench.run();
    await bench.code(b, taker.replace("taken", "had"));
    await bench.run();
    const second = await versionedRun(bench);
    expect(second).toMatchObject({ number: 2, nodes: { run: 1, skipped: 1 } });
    expect(second.run_nodes.find(({ wob_key }) => wob_key === a)).toMatchObject({
      planned: false,
      status: "",
      reason: "Nothing changed.",
    });
    await bench.until("restart", "", "READY");
    await bench.run();
    expect(await versionedRun(bench)).toMatchObject({ number: 3, nodes: { run: 2 } });
    // The outputs of earlier runs are still there.
    const [, , first] = await listRuns(bench);
    const kept = await bench.owner.get(`/api/v3/runs/${first?.id}/outputs`);
    expect(kept.json<unknown[]>()).toHaveLength(1);
    bench.close();
  });

  it("fails with the exception and the node that raised it, and the session says so", async () => {
    const bench = await Workbench.open(server);
    const bad = await bench.node(script("raise ValueError('no tide')"), "Bad");
    await bench.start();
    await bench.run();
    const run = await versionedRun(bench);
    expect(run).toMatchObject({
      state: "failed",
      reason: "ValueError: no tide",
      failed_node: { wob_key: bad, name: "Bad" },
      nodes: { run: 1, failed: 1 },
    });
    expect(run.exceptions).toMatchObject([{ number: 1, wob_key: bad, line: 5, function: "run" }]);
    expect(await bench.job()).toMatchObject({ last_run: { id: run.id, state: "failed" } });
    bench.close();
  });

  it("is published when it begins and when it ends", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("import time", "time.sleep(0.5)"));
    await bench.start();
    await bench.run();
    const first = await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.state === "running");
    const last = await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.state === "done");
    expect(last.run.id).toBe(first.run.id);
    expect(last.run.revision).toBeGreaterThan(first.run.revision);
    bench.close();
  });

  it("is announced when a person deletes it", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("pass"));
    await bench.start();
    await bench.run();
    const { id } = await versionedRun(bench);
    expect((await bench.owner.delete(`/api/v3/runs/${id}`)).status).toBe(200);
    const gone = await bench.listener.wait<RunDeletedEvent>("delete[RUN]");
    expect(gone).toEqual({ run_id: id });
    bench.close();
  });
});
