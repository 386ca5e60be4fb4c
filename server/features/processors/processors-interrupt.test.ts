import type {
  ExceptionEvent,
  InterruptingEvent,
  NodeRun,
  RunEndedEvent,
} from "@miranda/contract/schemas/processors.ts";
import type { AskForPasswordEvent, OpenQuestions } from "@miranda/contract/schemas/realtime.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
let since = 0;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  node = await bench.node(script("pass"), "Train");
  await bench.start();
});
beforeEach(() => {
  since = bench.listener.received.length;
});
afterAll(async () => {
  bench.close();
  await server.close();
});

async function begin(...lines: string[]): Promise<void> {
  const before = (await bench.lines()).length;
  await bench.code(node, script(...lines, `# ${before}`));
  await bench.until("start", "-1", "RUNNING");
}

const ended = () => bench.listener.wait<RunEndedEvent>("run_ended", () => true, since);
const statusOf = async () => {
  const runs = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/nodes`)).json<NodeRun[]>();
  return runs.find(({ wob_key }) => wob_key === node)?.status;
};

describe("an interrupt", () => {
  it("stops what runs, keeps the session, and is one line in the log", async () => {
    await begin("import time", "print('begun', flush=True)", "time.sleep(600)");
    await expect.poll(async () => (await bench.lines()).at(-1)?.[1]).toBe("begun");
    expect((await bench.send("interrupt")).status).toBe(200);
    expect(await ended()).toEqual({ job_id: bench.jobId, interrupted: true, failed: [] });
    await bench.state(since, "READY");
    expect((await bench.lines()).at(-1)).toEqual([1, "Interrupted"]);
    expect(await statusOf()).toBe("stopped");
    expect(bench.listener.received.slice(since).filter(({ event }) => event === "exception")).toEqual([]);
  });

  it("reaches a run that has only been requested", async () => {
    for (let round = 0; round < 5; round += 1) {
      since = bench.listener.received.length;
      await begin("import time", "time.sleep(600)", `# ${round}`);
      expect((await bench.send("interrupt")).status).toBe(200);
      expect(await ended()).toMatchObject({ interrupted: true });
      await bench.state(since, "READY");
    }
  });

  it("is published to everybody, with the person's name", async () => {
    await begin("import time", "time.sleep(600)");
    await bench.send("interrupt");
    const acted = await bench.listener.wait<{ command: string }>(
      "acted",
      ({ command }) => command === "interrupt",
      since,
    );
    expect(acted.command).toBe("interrupt");
    await ended();
    await bench.state(since, "READY");
  });

  it("reports what it waits for when node code does not stop", { timeout: 40_000 }, async () => {
    await begin(
      "import time",
      "until = time.monotonic() + 8",
      "print('begun', flush=True)",
      "while time.monotonic() < until:",
      "    try:",
      "        time.sleep(0.05)",
      "    except BaseException:",
      "        pass",
    );
    await expect.poll(async () => (await bench.lines()).at(-1)?.[1]).toBe("begun");
    await bench.send("interrupt");
    const event = await bench.listener.wait<InterruptingEvent>("interrupting", ({ nodes }) => nodes.length > 0, since);
    expect(event.job_id).toBe(bench.jobId);
    expect(event.seconds).toBeGreaterThanOrEqual(1);
    expect(event.nodes[0]).toMatchObject({ wob_key: node });
    await ended();
    await bench.state(since, "READY");
  });

  it("ends a pause at a breakpoint", async () => {
    await bench.code(node, script("here = 1", "print('went on')", "# a pause"));
    const paused = await bench.run({ [node]: [6] });
    expect(paused.workflow_state).toBe("RESUMEREADY");
    expect((await bench.send("interrupt")).status).toBe(200);
    expect(await ended()).toMatchObject({ interrupted: true });
    await bench.state(bench.listener.received.length - 1, "READY");
    expect((await bench.lines()).map(([, text]) => text)).not.toContain("went on");
  });

  it("is refused when nothing runs, and changes nothing", async () => {
    const refused = await bench.send("interrupt");
    expect([refused.status, refused.text]).toEqual([409, "Nothing runs that could be interrupted."]);
    expect((await bench.job()).workflow_state).toBe("READY");
  });
});

describe("a force stop of a node", () => {
  /** What the agent was told, without what every command has. */
  const lastCommand = () =>
    server.db
      .selectFrom("job_commands")
      .select("command")
      .where("job_id", "=", bench.jobId)
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();

  it("is refused while nothing runs, and without the number of a node", async () => {
    const refused = await bench.send("force-stop", `${node}`);
    expect([refused.status, refused.text]).toEqual([409, "Nothing runs that could be stopped."]);
    for (const args of ["", "node", "0", `${node} 2`]) expect((await bench.send("force-stop", args)).status).toBe(400);
    expect((await bench.send("interrupt", "soon")).status).toBe(400);
  });

  it("reaches the agent with the node, and everybody is told", async () => {
    await begin("import time", "print('begun', flush=True)", "time.sleep(600)");
    await expect.poll(async () => (await bench.lines()).at(-1)?.[1]).toBe("begun");
    expect((await bench.send("force-stop", `${node}`)).status).toBe(200);
    expect((await lastCommand()).command).toEqual({ command: "force-stop", node });
    await bench.listener.wait<{ command: string }>("acted", ({ command }) => command === "force-stop", since);
    await bench.send("interrupt");
    await ended();
    await bench.state(since, "READY");
  });

  it("comes by itself after the time that the person has set, or that the interrupt names", async () => {
    const set = (force_stop_after: string) => bench.owner.patch("/api/v3/auth/account", { force_stop_after });
    expect((await set("7")).status).toBe(400);
    for (const [seconds, args, sent] of [
      ["0", "", {}],
      ["30", "", { force_after: 30 }],
      ["30", "10", { force_after: 10 }],
      ["30", "0", {}],
    ] as const) {
      since = bench.listener.received.length;
      expect((await set(seconds)).json()).toMatchObject({ account: { force_stop_after: Number(seconds) } });
      await begin("import time", "time.sleep(600)", `# ${seconds} ${args}`);
      expect((await bench.send("interrupt", args)).status).toBe(200);
      expect((await lastCommand()).command).toEqual({ command: "interrupt", ...sent });
      await ended();
      await bench.state(since, "READY");
    }
    await set("0");
  });
});

describe("a run in which something fails", () => {
  it("names each failed node in its log and in its end event", async () => {
    const score = await bench.node(script("raise ValueError('no score')"), "Score");
    await bench.code(node, script("raise KeyError('no train')"));
    await bench.run();
    const { failed, interrupted } = await ended();
    expect(new Set(failed)).toEqual(new Set([node, score]));
    expect(interrupted).toBe(false);
    const words = (await bench.lines()).map(([, text]) => text).filter((text) => text.startsWith("Failed: "));
    expect(words).toHaveLength(1);
    expect(words[0]).toMatch(/^Failed: (Train, Score|Score, Train)$/);
    const raised = bench.listener.all<ExceptionEvent>("exception").map(({ wob_key }) => wob_key);
    expect(raised).toEqual(expect.arrayContaining([node, score]));
    await bench.owner.delete(`/api/v3/objects/${score}`);
  });
});

describe("input()", () => {
  const asked = () => bench.listener.wait<AskForPasswordEvent>("ask_for_password", () => true, since);
  const answer = (question: string | undefined, text: string) =>
    bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/answers`, { question: question ?? "", answer: text });

  it("asks the people in the graph, and shows the answer as typed", async () => {
    await begin("print('Hello', input('Your name? '))");
    const question = await asked();
    expect(question).toMatchObject({ hidden: false, wob_key: node, project_id: bench.graphId });
    expect(question.passwd_prompt.trim()).toBe("Your name?");
    // People who come now have not received the event.
    const open = await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor/questions`);
    expect(open.json<OpenQuestions>()).toEqual([question]);
    expect((await answer(question.question, "Ada Lovelace")).status).toBe(200);
    await ended();
    expect((await bench.lines()).map(([, text]) => text)).toContain("Hello Ada Lovelace");
    expect(await server.db.selectFrom("password_requests").selectAll().execute()).toEqual([]);
    expect((await answer(question.question, "twice")).status).toBe(409);
  });

  it("accepts an empty answer, and refuses one that is too long", async () => {
    await begin("print('got', repr(input()))");
    const { question } = await asked();
    expect((await answer(question, "x".repeat(65_537))).status).toBe(400);
    expect((await answer(question, "")).status).toBe(200);
    await ended();
    expect((await bench.lines()).at(-1)?.[1]).toBe("got ''");
  });

  it("is withdrawn by an interrupt", async () => {
    await begin("input('Never?')");
    const { question } = await asked();
    await bench.send("interrupt");
    expect(await ended()).toMatchObject({ interrupted: true });
    const closed = { question, answered: false };
    await expect.poll(() => bench.listener.all("password_closed")).toContainEqual(closed);
    expect((await answer(question, "late")).status).toBe(409);
    await bench.state(since, "READY");
  });

  it("refuses a password in the clear", async () => {
    await begin("print('length', len(ask_password('Password?')))");
    const { question } = await asked();
    expect((await answer(question, "hunter2")).status).toBe(409);
    await bench.send("interrupt");
    await ended();
  });
});
