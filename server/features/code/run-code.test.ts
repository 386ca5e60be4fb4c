import { runArgs } from "@miranda/contract/command-args.ts";
import type { Commit, CommitPage, Draft, DraftEvent } from "@miranda/contract/schemas/code.ts";
import type { JobSummary, PlanEvent } from "@miranda/contract/schemas/processors.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { SharedCode } from "../../testing/shared-code.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";
import { giveToken, script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let other: TestAccount;
let sockets: TestSocket[] = [];

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  other = await server.signUp("bea");
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "bea", role: "editor" });
  await bench.start();
});
afterAll(async () => {
  bench?.close();
  await server?.close();
});

let train: number;
beforeEach(async () => {
  const nodes = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/graph`)).json<{ nodes: object }>().nodes;
  const metadata_ids = JSON.stringify(Object.keys(nodes).map(Number));
  await bench.owner.post(`/api/v3/graphs/${bench.graphId}/delete`, { metadata_ids });
  train = await bench.node(script("print('committed')"), "Train");
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

/** A person who has a node's code open, as in an editor. */
async function open(person: TestAccount, node: number): Promise<SharedCode> {
  const socket = await connect(server, person);
  sockets.push(socket);
  await socket.enter(bench.graphId);
  const code = new SharedCode(node);
  expect(await code.open(socket)).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  return code;
}

/** Replaces a piece of the text as if typed, and waits until the server has it. */
async function type(code: SharedCode, before: string, after: string): Promise<void> {
  const text = code.doc.getText("code");
  const at = text.toJSON().indexOf(before);
  code.doc.transact(() => {
    text.delete(at, before.length);
    text.insert(at, after);
  });
  expect(await code.socket?.ask("renew_project_presence", bench.graphId)).toBe(null);
  expect(code.refusals).toEqual([]);
}

const historyOf = async (node: number) =>
  (await bench.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>().commits;
const draftsNow = async () => (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/drafts`)).json<Draft[]>();

/** Runs, and returns what was printed. */
async function run(args: Parameters<typeof runArgs>[0] = { mode: "changed" }, person = bench.owner): Promise<string[]> {
  const before = (await bench.lines()).length;
  const since = bench.listener.received.length;
  const answer = await send("run", runArgs(args), person);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  await bench.state(since, "RUNNING");
  const isOver = ({ id, workflow_state }: JobSummary) => id === bench.jobId && workflow_state === "READY";
  const from = bench.listener.received.findIndex(
    ({ event, data }, at) =>
      at >= since && event === "update[DOCKER_JOB]" && (data as JobSummary).workflow_state === "RUNNING",
  );
  await bench.listener.wait<JobSummary>("update[DOCKER_JOB]", isOver, from);
  return (await bench.lines()).slice(before).map(([, text]) => text);
}

const send = (command: string, args: string, person = bench.owner) =>
  person.post(`/api/v3/graphs/${bench.graphId}/processor/${command}`, { args });

async function plan(args: Parameters<typeof runArgs>[0], person = bench.owner): Promise<PlanEvent["plan"]> {
  const since = bench.listener.received.length;
  const answer = await send("plan", runArgs(args), person);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  const { number } = answer.json<{ number: number }>();
  return (await bench.listener.wait<PlanEvent>("plan", (event) => event.number === number, since)).plan;
}

describe("a run takes the runner's own unsaved code", () => {
  it("commits it as Run, runs it, and leaves nothing unsaved", async () => {
    const code = await open(bench.owner, train);
    await type(code, "committed", "on the screen");
    expect(await run()).toEqual(["on the screen"]);
    const [commit, ...earlier] = await historyOf(train);
    expect(commit).toMatchObject({ message: "Run", number: 1, author: { username: bench.owner.account.username } });
    expect(earlier).toEqual([]);
    expect(await draftsNow()).toEqual([]);

    await type(code, "on the screen", "again");
    expect(await run()).toEqual(["again"]);
    const runs = await historyOf(train);
    expect(runs.map(({ message }) => message)).toEqual(["Run", "Run"]);
    const first = await bench.owner.post(`/api/v3/objects/${train}/commits/${runs[1]?.id}/restore`);
    expect(first.status).toBe(200);
    await until(() => code.text.includes("on the screen"), "the restored code did not come");
    expect(await run()).toEqual(["on the screen"]);
    expect((await historyOf(train)).map(({ message }) => message)).toEqual(["Restore #1: Run", "Run", "Run"]);
  });

  it("makes no commit when nothing is unsaved", async () => {
    expect(await run()).toEqual(["committed"]);
    expect(await historyOf(train)).toEqual([]);
  });

  it("does the same for `start`, and for an access token as its owner", async () => {
    await type(await open(bench.owner, train), "committed", "by a program");
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${await giveToken(bench.owner)}` };
    const since = bench.listener.received.length;
    const answer = await program.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "-1" });
    expect(answer.status).toBe(200);
    await bench.state(since, "READY");
    expect((await historyOf(train))[0]).toMatchObject({ message: "Run" });
  });

  it("refuses it when the code changed below it, and runs it once the person has decided", async () => {
    const code = await open(bench.owner, train);
    await type(code, "committed", "typed");
    const stored = script("print('merged')");
    await bench.owner.put(`/api/v3/objects/${train}/api`, { source_code: stored });
    const answer = await send("run", runArgs({ mode: "changed" }));
    expect([answer.status, answer.headers.get("x-miranda-place")]).toEqual([409, `${train}:1`]);
    expect(answer.text).toBe(
      "Train: the code changed below your draft. Keep the draft, take the stored code, or put both together. Nothing was run.",
    );
    expect(await historyOf(train)).toEqual([]);
    expect(code.text).toContain("typed");
    const kept = await bench.owner.post(`/api/v3/objects/${train}/draft/kept`, { source_code: stored });
    expect(kept.status).toBe(200);
    expect(await run()).toEqual(["typed"]);
  });

  it("keeps text typed while the run starts unsaved", async () => {
    const code = await open(bench.owner, train);
    await type(code, "committed", "first");
    const running = run();
    await type(code, "first", "second");
    const [printed] = await running;
    expect(["first", "second"]).toContain(printed);
    const stored = (
      await bench.owner.get(`/api/v3/objects/${train}/commits/${(await historyOf(train))[0]?.id}`)
    ).json<Commit>();
    expect(stored.source_code).toContain(printed);
    expect(code.text).toContain("second");
    expect(await run()).toEqual(printed === "first" ? ["second"] : []);
  });

  it("ignores nodes that it does not reach, and disabled or locked ones", async () => {
    const apart = await bench.node(script("print('apart')"), "Apart");
    await type(await open(bench.owner, apart), "apart", "not now");
    await type(await open(bench.owner, train), "committed", "now");
    expect(await run({ mode: "one", node: train })).toEqual(["now"]);
    expect(await historyOf(apart)).toEqual([]);
    await bench.owner.patch(`/api/v3/objects/${apart}`, { locked: true });
    expect(await run()).toEqual(["apart"]);
    expect(await historyOf(apart)).toEqual([]);
    expect(await draftsNow()).toMatchObject([{ metadata_id: apart }]);
    await bench.owner.patch(`/api/v3/objects/${apart}`, { locked: false });
  });
});

describe("somebody else's unsaved code", () => {
  it("is not run until the runner asks for it, and everybody sees whose it is", async () => {
    const beforeTyping = bench.listener.received.length;
    await type(await open(other, train), "committed", "by bea");
    expect(await run()).toEqual(["committed"]);
    expect(await historyOf(train)).toEqual([]);
    const event = await bench.listener.wait<DraftEvent>(
      "code_draft",
      ({ metadata_id }) => metadata_id === train,
      beforeTyping,
    );
    expect(event).toMatchObject({ unsaved: true, authors: [{ username: "bea" }] });
    expect(await draftsNow()).toMatchObject([{ metadata_id: train, authors: [{ username: "bea" }] }]);

    const since = bench.listener.received.length;
    expect(await run({ mode: "changed", include: [train] })).toEqual(["by bea"]);
    expect(await historyOf(train)).toMatchObject([
      { message: "Run", author: { username: bench.owner.account.username } },
    ]);
    const over = await bench.listener.wait<DraftEvent>("code_draft", ({ metadata_id }) => metadata_id === train, since);
    expect(over).toMatchObject({ unsaved: false, authors: [] });
  });

  it("includes code that two people have written, until one of them commits it", async () => {
    await type(await open(other, train), "committed", "by bea");
    const own = await open(bench.owner, train);
    await type(own, "by bea", "by both");
    expect(await run()).toEqual(["committed"]);
    const [draft] = await draftsNow();
    expect(draft?.authors.map(({ username }) => username)).toEqual([bench.owner.account.username, "bea"].toSorted());
    await bench.owner.post(`/api/v3/objects/${train}/commits`, { message: "Both" });
    await type(own, "by both", "mine alone");
    expect(await run()).toEqual(["mine alone"]);
  });

  it("ignores named nodes without unsaved code, and nodes of another workflow", async () => {
    expect(await run({ mode: "changed", include: [train, 1, 999_999_999] })).toEqual(["committed"]);
    const bad = await send("run", Buffer.from(JSON.stringify({ mode: "all", include: ["x"] })).toString("base64"));
    expect([bad.status, bad.text]).toEqual([400, "The arguments of that command could not be read."]);
  });
});

describe("code that does not parse", () => {
  const words = "Train, line 5: '(' was never closed";

  it("is refused with node and line; nothing is committed and nothing runs", async () => {
    const second = await bench.node(script("print('fine')"), "Second");
    await type(await open(bench.owner, second), "fine", "better");
    await type(await open(bench.owner, train), "print('committed')", "print('committed'");
    for (const [command, args] of [
      ["run", runArgs({ mode: "all" })],
      ["start", "-1"],
      ["plan", runArgs({ mode: "changed" })],
    ] as const) {
      const answer = await send(command, args);
      expect([answer.status, answer.text, answer.headers.get("x-miranda-place")]).toEqual([409, words, `${train}:5`]);
    }
    const check = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/run-check`, { args: "" });
    expect([check.status, check.text]).toEqual([409, words]);
    expect((await historyOf(second)).length + (await historyOf(train)).length).toBe(0);
    expect((await bench.job()).workflow_state).toBe("READY");

    expect(await run({ mode: "one", node: second })).toEqual(["better"]);
  });

  it("is refused when committed, unless its node is disabled", async () => {
    await bench.code(train, script("print('committed'"));
    const answer = await send("run", runArgs({ mode: "changed" }));
    expect([answer.status, answer.text]).toEqual([409, words]);
    await bench.owner.patch(`/api/v3/graphs/${bench.graphId}/nodes`, {
      changes: JSON.stringify({ [train]: { disabled: true } }),
    });
    expect(await run()).toEqual([]);
  });

  it("by another person does not stop a run that does not include it", async () => {
    await type(await open(other, train), "print('committed')", "print('committed'");
    expect(await run()).toEqual(["committed"]);
    const answer = await send("run", runArgs({ mode: "changed", include: [train] }));
    expect([answer.status, answer.text]).toEqual([409, words]);
  });

  it("is checked only for people who may write", async () => {
    const stranger = await server.signUp();
    const path = `/api/v3/graphs/${bench.graphId}/run-check`;
    expect((await stranger.post(path, { args: "" })).status).toBe(403);
    expect((await bench.owner.post(path, { args: "nonsense!" })).status).toBe(400);
  });
});

describe("a plan", () => {
  it("describes the code that would run, and changes nothing", async () => {
    const counter = await bench.node(
      script("self.count = getattr(self, 'count', 0) + 1", "print('count', self.count)"),
      "Counter",
    );
    await run();
    const reasons = async (args: Parameters<typeof runArgs>[0], person = bench.owner) =>
      Object.fromEntries(
        (await plan(args, person)).map(({ wob_key, run: runs, reason }) => [wob_key, runs ? reason : ""]),
      );
    expect(await reasons({ mode: "changed" })).toEqual({ [train]: "", [counter]: "" });
    const code = await open(bench.owner, counter);
    await type(code, "'count'", "'sum'");
    expect(await reasons({ mode: "changed" })).toEqual({ [train]: "", [counter]: "Its code changed." });
    expect(await reasons({ mode: "changed" }, other)).toEqual({ [train]: "", [counter]: "" });
    expect(await reasons({ mode: "changed", include: [counter] }, other)).toEqual({
      [train]: "",
      [counter]: "Its code changed.",
    });
    expect(await historyOf(counter)).toEqual([]);
    // Typed back: the node still has its instance.
    await type(code, "'sum'", "'count'");
    expect(await reasons({ mode: "changed" })).toEqual({ [train]: "", [counter]: "" });
    expect(await run({ mode: "one", node: counter })).toEqual(["count 2"]);
  });
});
