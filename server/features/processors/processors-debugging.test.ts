import { breakpointArgs, compileArgs, continueArgs, evaluateArgs, runArgs } from "@miranda/contract/command-args.ts";
import type {
  BreakEvent,
  CompileEvent,
  EvaluateEvent,
  ExceptionEvent,
  InfoEvent,
  PlanEvent,
} from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { looping, runToTheEnd } from "../../testing/debugged-program.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { listen, script, Workbench } from "../../testing/workbench.ts";

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

/** Sends a command that continues the code, and returns the next break. */
async function onwards(command: string, args = ""): Promise<BreakEvent> {
  const from = bench.listener.received.length;
  const answer = await bench.send(command, args);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String) as string]);
  return breaks(from);
}

describe("breakpoints", () => {
  it("S7-067 S7-117 stop on the line, also in functions, with the locals, and continue", async () => {
    await bench.code(node, looping);
    expect((await bench.run({ [node]: [4] })).workflow_state).toBe("RESUMEREADY");
    const hit = { job_id: bench.jobId, wob_key: node, line_number: 4, locals: { number: 0 }, reason: "breakpoint" };
    expect(await breaks()).toMatchObject({ ...hit, note: null, cuts: [] });
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor/break`)).json()).toMatchObject({
      line_number: 4,
    });
    expect(await onwards("continue", continueArgs([4]))).toMatchObject({ line_number: 4, locals: { number: 1 } });
    const last = await onwards("continue", continueArgs([12]));
    expect(last).toMatchObject({ line_number: 12, locals: { total: 6, number: 2 } });
    await runToTheEnd(bench);
    expect((await bench.lines()).at(-1)).toEqual([0, "total 6"]);
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor/break`)).json()).toBeNull();
  });

  it("keep the variables in the order of the code, also for somebody who comes later", async () => {
    await bench.code(node, script("longest = 1", "b = 2", "a = 3", "print(a)"));
    await bench.run({ [node]: [8] });
    const stored = await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor/break`);
    for (const { locals } of [await breaks(), stored.json<BreakEvent>()])
      expect(Object.keys(locals).filter((name) => name !== "self")).toEqual(["longest", "b", "a"]);
    await runToTheEnd(bench);
  });

  it("step over, into and out of functions", async () => {
    await bench.code(node, `${looping}# stepping\n`);
    await bench.run({ [node]: [11] });
    expect((await breaks()).line_number).toBe(11);
    expect((await onwards("step-in")).line_number).toBe(4);
    expect((await onwards("step-over")).line_number).toBe(5);
    expect((await onwards("step-out")).line_number).toBe(10);
    expect((await onwards("step-over")).line_number).toBe(11);
    await bench.until("clear", "", "RESUMEREADY");
    expect((await onwards("step-over")).line_number).toBe(10);
    await runToTheEnd(bench);
  });

  it("evaluate expressions where they stopped", async () => {
    await bench.code(node, `${looping}# evaluating\n`);
    await bench.run({ [node]: [12] });
    const evaluate = async (expression: string) => {
      const from = bench.listener.received.length;
      expect((await bench.send("evaluate", evaluateArgs(expression))).status).toBe(200);
      return bench.listener.wait<EvaluateEvent>("evaluate", () => true, from);
    };
    expect(await evaluate("total + 1")).toMatchObject({ value: 7, error: null, expression: "total + 1" });
    expect(await evaluate("[double(n) for n in (1, 2)]")).toMatchObject({ value: [2, 4] });
    expect((await evaluate("nothing")).error).toMatch(/NameError/);
    expect((await evaluate("1 +")).error).toMatch(/SyntaxError/);
    await runToTheEnd(bench);
  });

  it("stop threads too, and are shared by everybody; readers see no locals", async () => {
    const other = await server.signUp();
    const reader = await listen(server, other, bench.graphId);
    await bench.code(
      node,
      script(
        "import threading",
        "def work(secret):",
        "    print(secret)",
        "t = threading.Thread(target=work, args=('s',))",
        "t.start()",
        "t.join()",
      ),
    );
    await bench.run({ [node]: [7] });
    expect(await breaks()).toMatchObject({ line_number: 7, locals: { secret: "s" } });
    expect(await reader.wait<BreakEvent>("break")).toMatchObject({ line_number: 7, locals: {} });
    const seen = await other.get(`/api/v3/graphs/${bench.graphId}/processor/break`);
    expect(seen.json()).toMatchObject({ line_number: 7, locals: {} });
    await runToTheEnd(bench);
    reader.close();
  });

  it("move to the next line with code, and are ignored where there is none", async () => {
    await bench.code(node, script("x = 1", "", "# nothing here", "print(x)"));
    expect((await bench.run({ [node]: [6, 1e9], "999999": [1] })).workflow_state).toBe("RESUMEREADY");
    expect((await breaks()).line_number).toBe(8);
    await runToTheEnd(bench);
    for (const line of [0, -1, 1.5])
      expect((await bench.send("break", breakpointArgs({ [node]: [line] }))).status).toBe(400);
  });

  it("can be set while the code runs, and the code can be paused", async () => {
    await bench.code(node, script("import time", "n = 0", "while n >= 0:", "    n += 1", "    time.sleep(0.001)"));
    await bench.until("start", "-1", "RUNNING");
    const paused = await onwards("pause");
    expect(paused.wob_key).toBe(node);
    expect(paused.line_number).toBeGreaterThanOrEqual(6);
    const running = bench.listener.received.length;
    await bench.send("continue");
    await bench.state(running, "RUNNING");
    expect(await onwards("break", breakpointArgs({ [node]: [9] }))).toMatchObject({ line_number: 9 });
    await bench.send("evaluate", evaluateArgs("n := -5"));
    await bench.until("restart", "", "READY");
  });

  it("survive hostile variables", async () => {
    await bench.code(
      node,
      `from miranda import *

class Evil:
    def __repr__(self):
        while True: pass
    def __getattr__(self, name):
        raise RuntimeError(name)
    @property
    def __class__(self):
        raise RuntimeError("no class")

class Script(Node):
    def run(self):
        evil = Evil()
        big = "x" * 50_000_000
        numbers = list(range(1_000_000))
        loop = []; loop.append(loop)
        deep = []
        for _ in range(5000): deep = [deep]
        huge = 10 ** 5000
        table = {"__proto__": 1, (1, 2): evil, "nan": float("nan"), "nul": "\\0"}
        print("here")
`,
    );
    await bench.run({ [node]: [22] });
    const { locals } = await breaks();
    expect(JSON.stringify(locals).length).toBeLessThan(500_000);
    expect(locals["loop"]).toEqual(["<list that contains itself>"]);
    expect(locals["numbers"]).toHaveLength(100);
    await runToTheEnd(bench);
  });

  it("stop only where their condition holds, or log a message and do not stop", async () => {
    await bench.code(node, `${looping}# conditions\n`);
    const log = { line: 5, log: "{number} gives {result}" };
    await bench.run({ [node]: [{ line: 11, condition: "number == 2" }, log] });
    expect(await breaks()).toMatchObject({ line_number: 11, locals: { number: 2 }, note: null });
    const from = bench.listener.received.length;
    await bench.send("continue");
    await bench.state(from, "READY");
    expect((await bench.lines()).slice(-4)).toEqual([
      [1, "0 gives 0"],
      [1, "1 gives 2"],
      [1, "2 gives 4"],
      [0, "total 6"],
    ]);
  });

  it("stop and explain when their condition raises an exception", async () => {
    await bench.code(node, `${looping}# a condition that raises\n`);
    await bench.run({ [node]: [{ line: 12, condition: "totl > 1" }] });
    const { note } = await breaks();
    expect(note).toMatch(/^The condition of this breakpoint raised NameError: name 'totl' is not defined/);
    await runToTheEnd(bench);
  });
});

describe("exceptions", () => {
  it("carry node, line, function and a traceback without our frames, and leave the processor ready", async () => {
    await bench.code(node, script("def deeper():", "    return {}['key']", "deeper()"));
    expect((await bench.run()).workflow_state).toBe("READY");
    const event = await bench.listener.wait<ExceptionEvent>("exception", () => true, since);
    expect(event).toMatchObject({ wob_key: node, line_number: 6, funcname: "deeper" });
    expect(event.traceback).toMatch(/KeyError: 'key'/);
    expect(event.traceback).not.toMatch(/runtime\/miranda/);
    await bench.listener.wait<{ metadata_id: number; status: string }>(
      "status",
      ({ status }) => status === "error",
      since,
    );
  });

  it.each([
    ["a kill", "import os, signal; os.kill(os.getppid(), signal.SIGKILL)", /killed/],
    ["a signal", "import os, signal; os.kill(os.getppid(), signal.SIGSEGV)", /segmentation fault/],
  ])("a worker that dies of %s becomes ERROR with the reason, and restart works", async (_what, line, words) => {
    await bench.code(node, script(line, "import time; time.sleep(60)"));
    await bench.until("start", "-1", "ERROR");
    expect((await bench.lines()).at(-1)).toEqual([3, expect.stringMatching(words) as string]);
    const from = bench.listener.received.length;
    const answer = await bench.send("restart");
    expect(answer.status).toBe(200);
    bench.jobId = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<{ id: string }>().id;
    await bench.state(from, "READY");
  });
});

describe("compile, plan and info", () => {
  it("S7-066 S7-120 compile runs the code and finds attributes that only appear then", async () => {
    const code = `from miranda import *
class Script(Node):
    rows = Receiver("table")
for name in __miranda_attributes__.get("names", []):
    setattr(Script, name, Field(len(name)))
    getattr(Script, name).__set_name__(Script, name)
`;
    await bench.send(
      "compile",
      compileArgs({ nodeId: node, attributes: [{ name: "names", value: ["a", "bb"] }], code }),
    );
    const event = await bench.listener.wait<CompileEvent>("compile", () => true, since);
    expect(event).toMatchObject({ wob_key: node, error: null });
    expect(event.api?.attributes.map(({ name, value }) => [name, value])).toEqual([
      ["rows", null],
      ["a", 1],
      ["bb", 2],
    ]);
    await bench.state(since, "READY");
  });

  it.each([
    ["a syntax error", "class (:", /SyntaxError.*\(line 1\)/],
    ["an import error", "x = 1\nimport nothing_of_this_name", /ModuleNotFoundError.*\(line 2\)/],
    ["no class", "x = 1", /no class/],
  ])("compile reports the line of %s", async (_what, code, words) => {
    await bench.send("compile", compileArgs({ nodeId: node, attributes: [], code }));
    const event = await bench.listener.wait<CompileEvent>("compile", () => true, since);
    expect(event.error).toMatch(words);
    expect(event.api).toBeNull();
    await bench.state(since, "READY");
  });

  it("S7-066 accepts compile without args, and reports that there is no class", async () => {
    await bench.send("compile");
    const event = await bench.listener.wait<CompileEvent>("compile", () => true, since);
    expect(event).toMatchObject({ wob_key: null, error: expect.stringMatching(/no class/) });
    await bench.state(since, "READY");
  });

  it("reports the plan with its reasons, and runs one node or all", async () => {
    await bench.code(node, script("print('first')"));
    const plan = async () => {
      const from = bench.listener.received.length;
      await bench.send("plan", runArgs({ mode: "changed" }));
      return (await bench.listener.wait<PlanEvent>("plan", () => true, from)).plan;
    };
    expect(await plan()).toEqual([{ wob_key: node, run: true, reason: expect.any(String) as string, result: null }]);
    await bench.run();
    expect(await plan()).toEqual([{ wob_key: node, run: false, reason: "Nothing changed.", result: null }]);
    await bench.run();
    await bench.until("run", runArgs({ mode: "one", node }), "RUNNING");
    await bench.state(
      bench.listener.received.findLastIndex(({ event }) => event === "update[DOCKER_JOB]"),
      "READY",
    );
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts.filter((text) => text === "first")).toHaveLength(2);
  });

  it("answers info", async () => {
    await bench.send("info");
    const { info } = await bench.listener.wait<InfoEvent>("info", () => true, since);
    expect(info).toMatchObject({ python: expect.stringMatching(/^3\./) as string });
  });
});

describe("invalid commands", () => {
  it.each([
    ["start", "x"],
    ["start", "-1 ???"],
    ["start", `-1 ${btoa("[1]")}`],
    ["continue", "???"],
    ["compile", "%%%"],
    ["run", btoa('{"mode":"sideways"}')],
    ["run", btoa('{"mode":"one"}')],
    ["break", btoa('{"1":"x"}')],
    ["evaluate", ""],
    ["unfold", "x"],
    ["frame", "-1"],
    ["exceptions", "some"],
    ["break", btoa('{"1":[{"line":1,"condition":7}]}')],
  ])("%s with %s is refused", async (command, args) => {
    const answer = await bench.send(command, args);
    // A command that needs a paused processor is refused for that, whatever its arguments.
    expect([400, 409]).toContain(answer.status);
  });

  it("are refused in the wrong state, in the specification's words", async () => {
    for (const command of ["continue", "step-over", "step-in", "step-out"]) {
      const answer = await bench.send(command);
      expect([answer.status, answer.text]).toEqual([409, "Processor needs to be in RESUME_READY state to continue"]);
    }
    expect((await bench.send("pause")).status).toBe(409);
    expect((await bench.send("fly")).status).toBe(404);
    expect((await bench.send("fly")).text).toBe("There is no such command.");
    await bench.code(node, script("import time", "time.sleep(60)"));
    await bench.until("start", "-1", "RUNNING");
    for (const command of ["start", "compile", "run-setup", "plan"])
      expect((await bench.send(command, command === "compile" ? btoa("x") : "")).status).toBe(409);
    await bench.until("restart", "", "READY");
    await bench.until("stop", "", "EXITED");
    const answer = await bench.send("start", "-1");
    expect([answer.status, answer.text]).toEqual([404, "No processor to call command on"]);
  });
});
