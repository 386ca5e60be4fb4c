import { sessionBudget as limits } from "../limits.ts";
import { socket as socketLimits } from "@miranda/contract/limits.ts";
import type { NodeOutput } from "@miranda/contract/schemas/processors.ts";
import type { RealtimeCounts } from "@miranda/contract/schemas/realtime.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../platform/settings/config.ts";
import { hashToken, newId } from "../platform/crypto.ts";
import { TestClient } from "../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { connect } from "../testing/test-socket.ts";
import { Workbench } from "../testing/workbench.ts";

// How much a session can store in the database, and in the server's memory for slow readers.

const outputBytes = 2_000_000;
const token = "the right token";
const { processors } = readConfig({});

let server: TestServer;
let bench: Workbench;
let jobId: string;
let agent: TestClient;

beforeAll(async () => {
  server = await startTestServer({ processors: { ...processors, outputBytes } });
  bench = await Workbench.open(server);
  agent = server.anonymous();
  agent.headers = { authorization: `Bearer ${token}` };
});
afterAll(async () => {
  bench.close();
  await server.close();
});
beforeEach(async () => {
  await server.db.deleteFrom("jobs").execute();
  jobId = await makeJob(server, bench);
});

async function makeJob(at: TestServer, { graphId, owner }: Workbench): Promise<string> {
  const id = newId();
  const row = { id, tag: 1, graph_id: graphId, account_id: owner.account.id, name: "Flow", engine: "local" };
  const seen_at = new Date(Date.now() + 3_600_000);
  await at.db
    .insertInto("jobs")
    .values({ ...row, state: "STARTING", token_hash: hashToken(token), total_cost: null, seen_at })
    .execute();
  return id;
}

const post = (first: number, ...events: object[]) => agent.postJson(`/api/runner/${jobId}/events`, { first, events });
const list = <One>(length: number, one: (at: number) => One): One[] => Array.from({ length }, (_, at) => one(at));
const output = (number: number, text = "x") => ({
  kind: "output",
  node: null,
  run: 1,
  number,
  data: { text },
  metadata: {},
});
const question = (number: number) => ({ kind: "ask_password", question: number, prompt: `Number ${number}` });
const withdraw = (number: number) => ({ kind: "withdraw", question: number });
const model = (name: string, metrics: object = { loss: 1 }) => ({
  kind: "model",
  node: null,
  run: 1,
  name,
  metrics,
  hardware: [],
  authors: [],
});
const brk = { kind: "break", node: null, line: 1, locals: { x: 1 } };
const warnings = async (): Promise<string[]> => {
  const { logs } = (await bench.owner.get(`/api/v3/jobs/${jobId}?log_lines=1000`)).json<{
    logs: { tag: number; message: string }[];
  }>();
  return logs.filter(({ tag }) => tag === 2).map(({ message }) => message);
};
const outputs = () => server.db.selectFrom("job_outputs").selectAll().where("job_id", "=", jobId).execute();
const questions = () => server.db.selectFrom("password_requests").selectAll().where("job_id", "=", jobId).execute();
const models = () => server.db.selectFrom("models").selectAll().where("graph_id", "=", bench.graphId).execute();
const received = (event: string, since: number): unknown[] =>
  bench.listener.received.slice(since).flatMap((one) => (one.event === event ? [one.data] : []));

/** Everything that was published before has arrived. */
async function caughtUp(): Promise<void> {
  await bench.listener.enter(bench.graphId);
}

describe("the outputs of a session", () => {
  it("are stored however many come at once", async () => {
    expect((await post(1, ...list(12_000, (at) => output(at)))).status).toBe(200);
    expect(await outputs()).toHaveLength(12_000);
  });

  it("are stored with null characters and half characters replaced", async () => {
    expect((await post(1, output(1, "a\u0000b\ud800c"))).status).toBe(200);
    expect((await outputs()).map(({ data }) => data)).toEqual([{ text: "a\ufffdb\ufffdc" }]);
  });

  it("are neither stored nor published beyond their budget, and the log says so once", async () => {
    const since = bench.listener.received.length;
    const large = "x".repeat(300_000);
    await post(1, ...list(5, (at) => output(at, large)));
    await post(6, ...list(5, (at) => output(5 + at, large)));
    await post(11, output(10), output(11));
    expect((await outputs()).map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await warnings()).toEqual([
      "This session has shown more than 2 MB: further outputs are neither kept nor shown.",
    ]);
    await caughtUp();
    expect(received("output", since)).toHaveLength(6);
  });

  it("count once however often one is replaced, and the newest of a batch is published", async () => {
    const since = bench.listener.received.length;
    const large = "x".repeat(300_000);
    for (let first = 1; first < 40; first += 4)
      await post(first, ...list(4, (at) => ({ ...output(1, `${large}${first + at}`), id: "loss" })));
    await post(41, output(2), { ...output(2), data: { text: "another under its number" } });
    expect(await warnings()).toEqual([]);
    expect((await outputs()).map(({ number, data }) => [number, (data["text"] as string).replace(large, "")])).toEqual([
      [1, "40"],
      [2, "x"],
    ]);
    await caughtUp();
    expect(received("output", since)).toHaveLength(11);
  });

  it("of earlier runs are removed when the node shows something again", async () => {
    const large = "x".repeat(900_000);
    for (let run = 1; run <= 10; run += 1) await post(2 * run - 1, ...list(2, (at) => ({ ...output(at, large), run })));
    expect((await outputs()).map(({ run, number }) => [run, number])).toEqual([
      [10, 0],
      [10, 1],
    ]);
    expect(await warnings()).toEqual([]);
    // A run without outputs keeps the earlier ones.
    await post(21, { kind: "progress", running: null, statuses: {}, run: 11 });
    expect(await outputs()).toHaveLength(2);
  });

  it("are read in pages of a few megabytes, with the first rows of a large table as its preview", async () => {
    const mime = "application/vnd.miranda.table+json";
    const rows = list(1_000, (at) => [at, "y".repeat(400)]);
    const table = { columns: [{ name: "n", type: "int" }], rows, total: 9_000, total_columns: 2 };
    const shown = { kind: "output", node: null, run: 3, metadata: {} };
    await post(1, { ...shown, number: 1, data: { [mime]: { rows: "x".repeat(400_000) } } });
    const read = async (query: string) =>
      (await bench.owner.get(`/api/v3/jobs/${jobId}/outputs?${query}`)).json<NodeOutput[]>();
    expect((await read("last=true"))[0]?.data).toEqual({ "text/plain": "" });
    await post(2, { ...shown, id: "table", number: 1, data: { [mime]: table, "text/plain": "[…]" } });
    const [last] = await read("last=true");
    expect(last?.data[mime]).toEqual({ ...table, rows: rows.slice(0, 10) });
    expect((await read("node=0")).map(({ run }) => run)).toEqual([3]);
    expect(await read("node=0&run=1")).toEqual([]);
    expect(await read("node=0&after=1")).toEqual([]);
    expect((await bench.owner.get(`/api/v3/jobs/${jobId}/outputs?node=0&after=-1`)).status).toBe(400);
    await server.db.updateTable("job_outputs").set({ bytes: 9_000_000 }).execute();
    await server.db
      .insertInto("job_outputs")
      .values({ job_id: jobId, node_id: 0, run: 3, number: 2, data: "{}", show_id: null })
      .execute();
    expect((await read("node=0")).map(({ number }) => number)).toEqual([1]);
    expect((await read("node=0&run=3&after=1")).map(({ number }) => number)).toEqual([2]);
  });
});

describe("the bars of a session", () => {
  it("are published for nodes of the workflow only", async () => {
    const since = bench.listener.received.length;
    const node = await bench.node("", "Bars");
    const bars = [{ label: "epochs", done: 1, total: 2 }];
    const progress = { kind: "progress", running: null, statuses: {}, bars: { [node]: bars, 999_999: bars } };
    expect((await post(1, progress)).status).toBe(200);
    const nine = { ...progress, bars: { [node]: list(9, () => bars[0]) } };
    expect((await post(2, nine)).status).toBe(400);
    await caughtUp();
    expect(received("node_bars", since)).toEqual([{ job_id: jobId, nodes: [{ wob_key: node, bars }] }]);
  });
});

describe("the questions of a session", () => {
  it("are limited to a hundred unanswered ones, and the log says so once", async () => {
    const since = bench.listener.received.length;
    await post(1, ...list(15_000, question));
    await post(15_001, ...list(15_000, (at) => question(15_000 + at)));
    const waiting = await questions();
    expect(waiting.map((one) => one.question).toSorted((one, other) => one - other)).toEqual(list(100, (at) => at));
    expect(await warnings()).toEqual(["100 questions of this session wait for an answer: further ones are not asked."]);
    await caughtUp();
    expect(received("ask_for_password", since)).toHaveLength(limits.openQuestions);
  });

  it("may be asked again after others are withdrawn, and only asked ones are closed", async () => {
    const since = bench.listener.received.length;
    await post(1, ...list(100, question));
    await post(101, ...list(20_000, withdraw), question(30_000), question(30_001), withdraw(30_001));
    expect((await questions()).map((one) => one.question)).toEqual([30_000]);
    expect(await warnings()).toEqual([]);
    await caughtUp();
    expect(received("ask_for_password", since)).toHaveLength(101);
    expect(received("password_closed", since)).toHaveLength(100);
  });
});

describe("the models of a workflow", () => {
  beforeEach(() => server.db.deleteFrom("models").execute());

  it("are limited to 200 per batch, and the log says so once", async () => {
    await post(1, ...list(300, (at) => model(`one ${at}`)));
    await post(301, ...list(300, (at) => model(`two ${at}`)));
    expect(await models()).toHaveLength(400);
    expect(await warnings()).toEqual(["More than 200 models came at once: the rest of them is not kept."]);
  });

  it("are limited to a thousand, and existing ones may be trained again", async () => {
    for (const part of list(5, (at) => at))
      await post(1 + part * 200, ...list(200, (at) => model(`model ${part * 200 + at}`)));
    expect(await models()).toHaveLength(limits.modelsPerWorkflow);
    expect(await warnings()).toEqual([]);
    await post(1_001, model("one too many"), model("model 7", { loss: 7 }));
    await post(1_003, model("another"));
    const stored = await models();
    expect(stored).toHaveLength(limits.modelsPerWorkflow);
    expect(stored.find(({ name }) => name === "model 7")?.metrics).toEqual({ loss: 7 });
    expect(await warnings()).toEqual(["This workflow has 1000 models: further ones are not kept."]);
  });

  it("are not stored with oversized metrics", async () => {
    const metrics = Object.fromEntries(list(30_000, (at) => [`metric ${at}`, at]));
    await post(1, model("huge", metrics), model("small\u0000"));
    expect((await models()).map(({ name }) => name)).toEqual(["small"]);
    expect(await warnings()).toEqual(["A model with more than 256 kB of metrics and parameters is not kept."]);
  });
});

describe("a session on a full disk", () => {
  let roomy: TestServer;
  let full: Awaited<ReturnType<TestServer["twin"]>>;
  let other: Workbench;
  beforeAll(async () => {
    roomy = await startTestServer();
    other = await Workbench.open(roomy);
    const noRoom = {
      ...processors,
      engine: "local",
      sandbox: false,
      diskReserveBytes: Number.MAX_SAFE_INTEGER,
    } as const;
    full = await roomy.twin({ processors: noRoom });
  });
  afterAll(async () => {
    other.close();
    await full.close();
    await roomy.close();
  });

  it.each([
    ["asks", question(1)],
    ["trains a model", model("one")],
    ["stops at a breakpoint", brk],
    ["shows something", output(1)],
  ])("waits when it %s, and nothing of it is stored", async (_what, event) => {
    await roomy.db.deleteFrom("jobs").execute();
    const id = await makeJob(roomy, other);
    const sender = new TestClient(full.url);
    sender.headers = agent.headers;
    const answer = await sender.postJson(`/api/runner/${id}/events`, { first: 1, events: [event] });
    expect(answer.status).toBe(507);
    const job = roomy.db.selectFrom("jobs").select(["state", "last_event"]).where("id", "=", id);
    expect(await job.executeTakeFirstOrThrow()).toMatchObject({ state: "STARTING", last_event: 0 });
  });
});

describe("a client that does not read the socket", () => {
  const piece = 4_000_000;
  const pieces = 12;
  let roomy: TestServer;
  let other: Workbench;
  let admin: TestAccount;
  beforeAll(async () => {
    roomy = await startTestServer();
    other = await Workbench.open(roomy);
    admin = await roomy.signUp();
    await roomy.db.updateTable("accounts").set({ is_admin: true }).where("id", "=", admin.account.id).execute();
  });
  afterAll(async () => {
    other.close();
    await roomy.close();
  });

  const connections = async (): Promise<number> =>
    (await admin.get("/api/v3/realtime")).json<RealtimeCounts>().connections;

  /** More than anybody may leave unread, and the bench's own listener has read it all. */
  async function publishMuch(): Promise<void> {
    await roomy.db.deleteFrom("jobs").execute();
    const id = await makeJob(roomy, other);
    const sender = roomy.anonymous();
    sender.headers = agent.headers;
    for (let number = 1; number <= pieces; number++) {
      const since = other.listener.received.length;
      const body = { first: number, events: [output(number, "x".repeat(piece))] };
      expect((await sender.postJson(`/api/runner/${id}/events`, body)).status).toBe(200);
      await other.listener.wait<{ number: number }>("output", (one) => one.number === number, since);
    }
  }

  it("is disconnected on a WebSocket, reconnects when it reads again, and affects nobody else", async () => {
    const deaf = await connect(roomy, other.owner, { reconnection: true, reconnectionDelay: 50 });
    expect(await deaf.enter(other.graphId)).toBe(null);
    const { id } = other.listener.socket;
    const { ws } = deaf.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } };
    ws.pause();
    await publishMuch();
    await expect.poll(connections, { timeout: 20_000 }).toBe(1);
    expect(other.listener.socket.id).toBe(id);
    ws.resume();
    await expect.poll(() => deaf.all("ready").length, { timeout: 20_000 }).toBe(2);
    expect(await deaf.enter(other.graphId)).toBe(null);
    // Its unread data was dropped from the server's memory, and is not sent late.
    expect(deaf.all("output").length).toBeLessThan(pieces);
    deaf.close();
    await expect.poll(connections).toBe(1);
  });

  it("is disconnected when polling, too", async () => {
    const path = `${socketLimits.path}/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await other.owner.get(path)).text.slice(1)) as { sid: string };
    const send = (text: string) =>
      other.owner.send("POST", `${path}&sid=${sid}`, text, { "content-type": "text/plain" });
    await send("40");
    expect((await other.owner.get(`${path}&sid=${sid}`)).text).toMatch(/^40/);
    await send(`420["enter_project","${other.graphId}"]`);
    for (let text = ""; !text.includes("430[null");) text = (await other.owner.get(`${path}&sid=${sid}`)).text;
    expect(await connections()).toBe(2);
    await publishMuch();
    await expect.poll(connections, { timeout: 20_000 }).toBe(1);
    expect((await other.owner.get(`${path}&sid=${sid}`)).text).toContain("Session ID unknown");
  });
});
