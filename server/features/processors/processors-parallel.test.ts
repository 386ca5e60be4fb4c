import type { NodeRun } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function runsOf(bench: Workbench): Promise<Map<number, NodeRun>> {
  const runs = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/nodes`)).json<NodeRun[]>();
  return new Map(runs.map((run) => [run.wob_key, run]));
}

describe("nodes that run at the same time", () => {
  const noisy = `import threading, time
from miranda import *

class Noisy(Node):
    def run(self):
        while not META:
            time.sleep(0.001)
        thread = threading.Thread(target=self.count, args=("thread",))
        thread.start()
        self.count("run")
        thread.join()
        self.log.info("NAME logged 0")
        raise ValueError("NAME fails")
    def count(self, where):
        for at in range(4000):
            print("NAME", where, at)
`;

  it("have separate lines, whole and in order, also from their threads", async () => {
    const bench = await Workbench.open(server);
    // Each waits until the other has begun.
    const code = (name: string) =>
      noisy
        .replaceAll("NAME", name)
        .replace("META", `[open("${name}.begun", "w"), __import__("glob").glob("*.begun")][1][1:]`);
    const nodes = { one: await bench.node(code("one"), "One"), two: await bench.node(code("two"), "Two") };
    await bench.start();
    await bench.run();
    const found: Record<string, number[]> = {};
    for (const { message, wob_key } of await bench.logs("?log_lines=1000000"))
      for (const line of message.split("\n")) {
        const [, name, where, at] = /^(one|two) (run|thread|logged) (\d+)$/.exec(line) ?? [];
        if (!name || !where) continue;
        expect(wob_key).toBe(nodes[name as "one" | "two"]);
        (found[`${name} ${where}`] ??= []).push(Number(at));
      }
    const all = Array.from({ length: 4000 }, (_, at) => at);
    for (const name of ["one", "two"]) {
      expect(found[`${name} run`]).toEqual(all);
      expect(found[`${name} thread`]).toEqual(all);
      expect(found[`${name} logged`]).toEqual([0]);
    }
    const failed = bench.listener
      .all<{ wob_key: number; traceback: string }>("exception")
      .map(({ wob_key }) => wob_key);
    expect(new Set(failed)).toEqual(new Set(Object.values(nodes)));
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("continue when another fails, and nodes after the failed one do not run", async () => {
    const bench = await Workbench.open(server);
    const source = (body: string) => `import time
from miranda import *

class N(Node):
    inp = Receiver(optional=True)
    out = Transmitter()
    def run(self):
        ${body}
`;
    const bad = await bench.node(source("raise ValueError('no')"), "Bad");
    const after = await bench.node(source("pass").replace("optional=True", ""), "After");
    const slow = await bench.node(source("time.sleep(0.5); print('slow is done')"), "Slow");
    await bench.edge(bad, "out", after, "inp");
    await bench.start();
    await bench.run();
    const runs = await runsOf(bench);
    expect([bad, after, slow].map((id) => runs.get(id)?.status)).toEqual(["error", "idle", "done"]);
    expect((await bench.lines()).map(([, line]) => line)).toContain("slow is done");
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("end although one of their threads does not", async () => {
    const bench = await Workbench.open(server);
    const endless = "import threading, time; threading.Thread(target=lambda: time.sleep(3600)).start(); print('over')";
    const node = await bench.node(script(endless));
    await bench.start();
    await bench.run();
    await bench.run();
    expect((await runsOf(bench)).get(node)?.status).toBe("done");
    expect((await bench.lines()).filter(([, line]) => line === "over")).toHaveLength(1);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });
});
