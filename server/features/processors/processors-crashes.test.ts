import type { ExceptionEvent, NodeRun, RunEndedEvent } from "@miranda/contract/schemas/processors.ts";
import type { StatusEvent } from "@miranda/contract/schemas/realtime.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
beforeAll(async () => {
  const processors = readConfig({ MIRANDA_PROCESSOR_RAM_GB: "0.3" }).processors;
  server = await startTestServer({ processors });
});
beforeEach(async () => {
  bench = await Workbench.open(server);
});
afterEach(() => bench.close());
afterAll(() => server.close());

const lastLine = async () => (await bench.lines()).at(-1)?.[1];
const statusesOf = async () => {
  const runs = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/nodes`)).json<NodeRun[]>();
  return Object.fromEntries(runs.map(({ wob_key, status }) => [wob_key, status]));
};

/** Two nodes in a row, and how the session is when the first has died. */
async function dies(state: "READY" | "ERROR", ...lines: string[]): Promise<{ train: number; after: number }> {
  const source = script(...lines).replace("    def run", "    out = Transmitter('any')\n    def run");
  const train = await bench.node(source, "Train");
  const receiver = script("print(self.given)").replace("    def run", "    given = Receiver('any')\n    def run");
  const after = await bench.node(receiver, "Score");
  await bench.edge(train, "out", after, "given");
  await bench.start();
  const from = bench.listener.received.length;
  await bench.until("start", "-1", "RUNNING");
  await bench.state(from, state);
  return { train, after };
}

describe("a node whose process dies", () => {
  it.each([
    ["with an exit code", ["import os; os._exit(3)"], /Train ended: its code ended the process with exit code 3\.$/m],
    ["of a kill", ["import os; os.kill(os.getpid(), 9)"], /Train ended: the system ended it, .*memory\.$/m],
    ["of a segmentation fault", ["import ctypes; ctypes.string_at(0)"], /Train ended: .*\(segmentation fault\)\.$/m],
  ])("%s is named, however early, and the session goes on", async (_how, lines, words) => {
    const { train, after } = await dies("READY", ...lines);
    expect((await bench.lines()).map(([, text]) => text).join("\n")).toMatch(words);
    const event = await bench.listener.wait<ExceptionEvent>("exception");
    expect(event).toMatchObject({ wob_key: train, traceback: expect.stringMatching(words) as string });
    expect((await statusesOf())[train]).toBe("error");
    expect((await statusesOf())[after] ?? "idle").toBe("idle");
    const status = await bench.listener.wait<StatusEvent>(
      "status",
      (one) => one.metadata_id === train && one.status === "error",
    );
    expect(status.status).toBe("error");
  });

  it("reports the line of a crash", async () => {
    await dies("READY", "import ctypes", "ctypes.string_at(0)");
    const event = await bench.listener.wait<ExceptionEvent>("exception");
    expect(event).toMatchObject({ line_number: 7, funcname: "run" });
    expect(event.traceback).toContain("line 7 in run");
  });

  it("reports the memory of a session that was ended for it", async () => {
    await dies("ERROR", "import time", "held = bytearray(b'x') * 600_000_000", "time.sleep(60)");
    expect(await lastLine()).toMatch(/^Train was killed: the session used 0\.\d+ of 0\.3 GB of memory\.$/);
  });

  it("counts memory shared by forked processes once", { timeout: 40_000 }, async () => {
    const node = await bench.node(
      script(
        "import os, time",
        "held = bytearray(b'x') * 120_000_000",
        "children = [os.fork() for _ in range(2)]",
        "if 0 in children: time.sleep(60)",
        "time.sleep(5)",
        "for child in children: os.kill(child, 9)",
        "for child in children: os.waitpid(child, 0)",
        "print('went on')",
      ),
      "Fork",
    );
    await bench.start();
    expect((await bench.run()).workflow_state).toBe("READY");
    expect(await lastLine()).toBe("went on");
    expect(node).toBeGreaterThan(0);
  });

  it("names no node when none was running", async () => {
    const end = "os.kill(os.getppid(), signal.SIGTERM)";
    await bench.node(script("import os, signal, threading", `threading.Timer(4, lambda: ${end}).start()`), "Train");
    await bench.start();
    await bench.run();
    await bench.state(0, "ERROR");
    expect(await lastLine()).toBe("The worker was asked to end by a process outside Miranda.");
  });

  it("cannot name another workflow's node", async () => {
    const other = await Workbench.open(server);
    const foreign = await other.node(script("pass"), "Foreign");
    await bench.node(
      script(
        "import os, time",
        "notes = os.open(f'/proc/{os.getppid()}/fd/9', os.O_RDWR)",
        `os.pwrite(notes, (${foreign}).to_bytes(8, 'little'), 8)`,
        "os.kill(os.getppid(), 9)",
        "time.sleep(60)",
      ),
      "Train",
    );
    await bench.start();
    await bench.until("start", "-1", "ERROR");
    expect(await lastLine()).toMatch(/^Train: killed, .*\(SIGKILL\)$/);
    expect(bench.listener.all<ExceptionEvent>("exception").map(({ wob_key }) => wob_key)).not.toContain(foreign);
    other.close();
  });
});

describe("the end of a run", () => {
  it("reports no failed node when all went well", async () => {
    await bench.node(script("pass"), "Train");
    await bench.start();
    await bench.run();
    expect(await bench.listener.wait<RunEndedEvent>("run_ended")).toEqual({
      job_id: bench.jobId,
      interrupted: false,
      failed: [],
    });
  });
});
