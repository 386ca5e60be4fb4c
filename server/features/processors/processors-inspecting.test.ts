import { evaluateArgs, runArgs, unfoldArgs } from "@miranda/contract/command-args.ts";
import type {
  BreakEvent,
  EvaluateEvent,
  ExceptionEvent,
  FrameEvent,
  UnfoldEvent,
} from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { looping, runToTheEnd } from "../../testing/debugged-program.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  node = await bench.node(script("pass"), "Script");
  await bench.start();
});
afterAll(async () => {
  bench.close();
  await server.close();
});

let since = 0;
beforeEach(() => {
  since = bench.listener.received.length;
});

const breaks = (from = since) => bench.listener.wait<BreakEvent>("break", () => true, from);

describe("where a program stopped", () => {
  it("shows the stack, and the variables of the chosen frame", async () => {
    await bench.code(node, `${looping}# the stack\n`);
    await bench.run({ [node]: [4] });
    const { stack } = await breaks();
    expect(stack?.map(({ wob_key, line_number, funcname }) => [wob_key, line_number, funcname])).toEqual([
      [node, 4, "double"],
      [node, 11, "run"],
    ]);
    await bench.send("frame", "1");
    const outer = await bench.listener.wait<FrameEvent>("frame", () => true, since);
    expect(outer).toMatchObject({ frame: 1, error: null, locals: { total: 0, number: 0 } });
    await bench.send("evaluate", evaluateArgs("print(total)\nlen(str(total))", { frame: 1 }));
    const result = await bench.listener.wait<EvaluateEvent>("evaluate", () => true, since);
    expect(result).toMatchObject({ error: null, output: "0\n", value: 1, frame: 1 });
    await bench.send("evaluate", evaluateArgs("number = 50"));
    await bench.send("frame", "7");
    const none = await bench.listener.wait<FrameEvent>("frame", ({ frame }) => frame === 7, since);
    expect(none.error).toBe("There is no such frame.");
    await runToTheEnd(bench);
    expect((await bench.lines()).at(-1)).toEqual([0, "total 106"]);
  });

  it("S9-024 unfolds a long list in hundreds, and refuses to after it continued", async () => {
    await bench.code(node, script("numbers = list(range(250))", "print(len(numbers))"));
    await bench.run({ [node]: [6] });
    const { locals, cuts = [] } = await breaks();
    expect(locals["numbers"]).toHaveLength(100);
    expect(cuts).toEqual([
      { path: ["numbers"], size: 250, shown: 100, text: false, reference: expect.any(Number) as number },
    ]);
    const reference = cuts[0]?.reference ?? 0;
    await bench.send("unfold", unfoldArgs({ reference, from: 200 }));
    const part = await bench.listener.wait<UnfoldEvent>("unfold", () => true, since);
    expect(part).toMatchObject({ reference, from: 200, size: 250, error: null });
    expect(part.entries.map(([name]) => Number(name))).toEqual(Array.from({ length: 50 }, (_, at) => 200 + at));
    await runToTheEnd(bench);
    expect((await bench.send("unfold", unfoldArgs({ reference, from: 0 }))).status).toBe(409);
  });

  it("stops an evaluation that never ends, and stays paused", async () => {
    await bench.code(node, script("x = 1", "print('went on')"));
    await bench.run({ [node]: [6] });
    await bench.send("evaluate", evaluateArgs("while True: pass"));
    await bench.send("cancel-evaluate");
    const ended = await bench.listener.wait<EvaluateEvent>("evaluate", () => true, since);
    expect(ended.error).toBe("Stopped.");
    await bench.send("evaluate", evaluateArgs("while True: pass", { seconds: 0.2 }));
    const late = await bench.listener.wait<EvaluateEvent>("evaluate", ({ error }) => error !== "Stopped.", since);
    expect(late.error).toBe("Stopped: it took too long.");
    await runToTheEnd(bench);
    expect((await bench.lines()).at(-1)).toEqual([0, "went on"]);
  });

  it.each([
    ["off", [], "READY"],
    ["uncaught", [9], "RESUMEREADY"],
    ["all", [6, 9], "RESUMEREADY"],
  ] as const)("stops at exceptions as asked: %s", async (exceptions, lines, first) => {
    await bench.code(node, script("try:", "    int('x')", "except ValueError:", "    pass", `{}['${exceptions}']`));
    const from = bench.listener.received.length;
    await bench.until("run", runArgs({ mode: "changed", exceptions }), "RUNNING");
    const running = bench.listener.received.findLastIndex(({ event }) => event === "update[DOCKER_JOB]");
    await bench.state(running, first);
    let at = from;
    for (const line of lines) {
      const stop = await breaks(at);
      expect([stop.line_number, stop.reason]).toEqual([line, "exception"]);
      expect(stop.note).toMatch(line === 9 ? `KeyError: '${exceptions}'` : /^ValueError/);
      at = bench.listener.received.length;
      await bench.send("continue");
    }
    await bench.state(at, "READY");
    expect(bench.listener.all<ExceptionEvent>("exception").at(-1)).toMatchObject({ line_number: 9 });
  });
});
