import { runArgs, type RunArgs } from "@miranda/contract/command-args.ts";
import type { PlanEvent } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";
import { keptResults } from "../../testing/kept-results.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A node that takes long enough to be kept, and says that it runs. */
const slow = (name: string, line: string) => `from miranda import *
import time

class ${name}(Node):
    inp = Receiver()
    out = Transmitter()

    def run(self):
        time.sleep(0.003)
        print("${name} runs")
        ${line}
`;

async function chain(bench: Workbench, lines: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const [at, line] of lines.entries()) {
    ids.push(await bench.node(slow(`N${at + 1}`, line), `N${at + 1}`));
    if (at > 0) await bench.edge(ids[at - 1] ?? 0, "out", ids[at] ?? 0, "inp");
  }
  return ids;
}

const counting = Array.from({ length: 10 }, () => "self.out.send((self.inp or 0) + 1)");

async function plan(bench: Workbench, args: Partial<RunArgs> = {}): Promise<PlanEvent["plan"]> {
  const { number } = (await bench.send("plan", runArgs({ mode: "changed", ...args }))).json<{ number: number }>();
  return (await bench.listener.wait<PlanEvent>("plan", (event) => event.number === number)).plan;
}

const resume = runArgs({ mode: "changed", resume: true });

async function ran(bench: Workbench): Promise<string[]> {
  return (await bench.lines()).map(([, text]) => text).filter((text) => text.endsWith(" runs"));
}

describe("results that survive their session", () => {
  it("runs only the fixed node and those after it when a new session continues", async () => {
    const bench = await Workbench.open(server);
    const ids = await chain(bench, counting.with(8, "raise ValueError('node 9')"));
    await bench.start();
    await bench.run();
    await keptResults(server, bench.projectId, 8);
    await bench.until("stop", "", "EXITED");

    await bench.code(ids[8] ?? 0, slow("N9", counting[8] ?? ""));
    await bench.start();
    const entries = await plan(bench, { resume: true });
    expect(entries.map(({ run }) => run)).toEqual([...Array.from({ length: 8 }, () => false), true, true]);
    expect(entries[0]?.reason).toMatch(/^Kept.*(just now|ago)\.$/);
    await bench.until("run", resume, "READY");
    expect(await ran(bench)).toEqual(["N9 runs", "N10 runs"]);
    expect((await plan(bench)).map(({ reason }) => reason)).toEqual(
      Array.from({ length: 10 }, () => "Nothing changed."),
    );
    bench.close();
  });
});
