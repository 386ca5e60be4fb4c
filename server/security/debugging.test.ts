import { breakpointArgs, continueArgs, evaluateArgs, runArgs, unfoldArgs } from "@miranda/contract/command-args.ts";
import type { BreakEvent, EvaluateEvent, FrameEvent, UnfoldEvent } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type TestAccount, startTestServer, type TestServer } from "../testing/test-server.ts";
import { giveToken, listen, script, Workbench } from "../testing/workbench.ts";

// What somebody may try with a debugger in another person's run.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function editorOf(bench: Workbench): Promise<TestAccount> {
  const editor = await server.signUp();
  await giveToken(editor);
  const given = await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, {
    user: editor.account.username,
    role: "editor",
  });
  expect(given.status).toBe(200);
  return editor;
}

const refusal =
  "This run uses personal secrets of the person who started it, so only that person can evaluate code in it.";

describe("personal secrets in a debugged run", () => {
  const withSecret = ["import miranda", "x = 1", "y = len(miranda.secret('mine'))", "print(y)", "z = 1"];

  async function paused(line: number) {
    const bench = await Workbench.open(server);
    const editor = await editorOf(bench);
    await bench.owner.post("/api/v3/secrets", { key: "mine", value: "of the owner" });
    const node = await bench.node(script(...withSecret));
    await bench.start();
    await bench.run({ [node]: [line] });
    const send = (command: string, args: string) =>
      editor.post(`/api/v3/graphs/${bench.graphId}/processor/${command}`, { args });
    return { bench, node, send };
  }

  it("cannot be read by another person's condition or log message", async () => {
    const { bench, node, send } = await paused(6);
    const log = breakpointArgs({ [node]: [{ line: 9, log: "{miranda.secret('mine')[::-1]}" }] });
    expect((await send("break", log)).status).toBe(200);
    const since = bench.listener.received.length;
    await bench.send("continue");
    await bench.state(since, "READY");
    expect(JSON.stringify(bench.listener.all("exception").at(-1))).toContain("somebody else has evaluated code in it");
    expect(JSON.stringify(await bench.lines())).not.toContain("renwo");
    bench.close();
  });

  it("prevent others from setting conditions in the run, but not plain breakpoints", async () => {
    const { bench, node, send } = await paused(8);
    const refused = await send("break", breakpointArgs({ [node]: [{ line: 9, condition: "y > 1" }] }));
    expect([refused.status, refused.text]).toEqual([403, refusal]);
    expect((await send("break", breakpointArgs({ [node]: [9] }))).status).toBe(200);
    bench.close();
  });

  it("are safe from another person's continue, which drops the conditions it carries", async () => {
    const { bench, node, send } = await paused(8);
    await bench.send("break", breakpointArgs({ [node]: [9] }));
    const since = bench.listener.received.length;
    const leak = { line: 9, condition: "print(miranda.secret('mine')[::-1])" };
    expect((await send("continue", continueArgs([leak]))).status).toBe(200);
    expect(await bench.listener.wait<BreakEvent>("break", () => true, since)).toMatchObject({
      line_number: 9,
      note: null,
    });
    expect(JSON.stringify(await bench.lines())).not.toContain("renwo");
    bench.close();
  });

  it("are not removed by watches, which are evaluated in one's own run only", async () => {
    const { bench, send } = await paused(6);
    const refused = await send("evaluate", evaluateArgs("x", { onlyOwn: true }));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("Somebody else started this run");
    const since = bench.listener.received.length;
    await bench.send("evaluate", evaluateArgs("1 + 1", { onlyOwn: true }));
    expect((await bench.listener.wait<EvaluateEvent>("evaluate", () => true, since)).error).toBeNull();
    await bench.send("continue");
    await bench.state(since, "READY");
    expect((await bench.lines()).at(-1)).toEqual([0, "12"]);
    bench.close();
  });

  it("cannot be read by conditions that somebody set before the run", async () => {
    const bench = await Workbench.open(server);
    const editor = await editorOf(bench);
    await bench.owner.post("/api/v3/secrets", { key: "mine", value: "of the owner" });
    const node = await bench.node(script(...withSecret));
    await bench.start();
    const args = breakpointArgs({ [node]: [{ line: 9, log: "{miranda.secret('mine')[::-1]}" }] });
    const left = await editor.post(`/api/v3/graphs/${bench.graphId}/processor/break`, { args });
    expect(left.status).toBe(200);
    // A run without breakpoints of its own keeps the plain ones that are set.
    const since = bench.listener.received.length;
    await bench.send("run", runArgs({ mode: "all" }));
    await bench.state(since, "RUNNING");
    await bench.state(
      bench.listener.received.findLastIndex(({ event }) => event === "update[DOCKER_JOB]"),
      "READY",
    );
    expect((await bench.lines()).at(-1)).toEqual([0, "12"]);
    bench.close();
  });
});

describe("readers of a paused workflow", () => {
  it("see where it stopped, but no variables of frames, unfolded values or evaluations", async () => {
    const bench = await Workbench.open(server);
    const node = await bench.node(script("hidden = list(range(250))", "print(1)"));
    await bench.start();
    const other = await server.signUp();
    const reader = await listen(server, other, bench.graphId);
    await bench.run({ [node]: [{ line: 6, condition: "hidden_is_gone" }] });
    const { cuts = [] } = await bench.listener.wait<BreakEvent>("break");
    const place = { wob_key: node, line_number: 6 };
    const seen = await reader.wait<BreakEvent>("break");
    expect(seen).toMatchObject({ ...place, locals: {}, cuts: [], note: null });
    expect(seen.stack).toMatchObject([place]);
    const read = (await other.get(`/api/v3/graphs/${bench.graphId}/processor/break`)).json();
    expect(read).toMatchObject({ ...place, locals: {}, cuts: [], note: null });

    const reference = cuts[0]?.reference ?? 0;
    await bench.send("unfold", unfoldArgs({ reference, from: 100 }));
    expect(await reader.wait<UnfoldEvent>("unfold")).toMatchObject({ entries: [], text: null, cuts: [], size: 0 });
    await bench.send("frame", "0");
    expect(await reader.wait<FrameEvent>("frame")).toMatchObject({ locals: {}, cuts: [] });
    await bench.send("evaluate", evaluateArgs("print(hidden); hidden"));
    expect(await reader.wait<EvaluateEvent>("evaluate")).toMatchObject({ value: null, output: "", cuts: [] });
    for (const [command, args] of [
      ["unfold", unfoldArgs({ reference, from: 0 })],
      ["frame", "0"],
      ["evaluate", evaluateArgs("hidden")],
      ["cancel-evaluate", ""],
      ["exceptions", "all"],
    ] as const)
      expect((await other.post(`/api/v3/graphs/${bench.graphId}/processor/${command}`, { args })).status).toBe(403);
    reader.close();
    bench.close();
  });
});

describe("inspecting a hostile program", () => {
  it("cannot flood the client with output or values, and stays paused", async () => {
    const bench = await Workbench.open(server);
    const node = await bench.node(
      script(
        "class Liar(dict):",
        "    def __len__(self): return 10**12",
        "    def items(self): 1/0",
        "x = Liar(a=1)",
        "y = [[['z' * 9999] * 999] * 999] * 999",
        "print(1)",
      ),
    );
    await bench.start();
    await bench.run({ [node]: [10] });
    const stop = await bench.listener.wait<BreakEvent>("break");
    expect(JSON.stringify(stop).length).toBeLessThan(1_000_000);
    expect(stop.locals["x"]).toEqual({ a: 1 });
    const since = bench.listener.received.length;
    await bench.send("evaluate", evaluateArgs("print('x' * 3_000_000); ['y' * 5_000_000] * 200"));
    const result = await bench.listener.wait<EvaluateEvent>("evaluate", () => true, since);
    expect(JSON.stringify(result).length).toBeLessThan(1_000_000);
    expect((await bench.job()).workflow_state).toBe("RESUMEREADY");
    bench.close();
  });
});
