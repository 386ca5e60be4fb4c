import { startArgs } from "@miranda/contract/command-args.ts";
import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";
import type { Model } from "@miranda/contract/schemas/models/models.ts";
import type {
  CommandEvent,
  ExceptionEvent,
  JobSummary,
  NodeBarsEvent,
  NodeOutput,
} from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken, listen, script, Workbench } from "../../testing/workbench.ts";
import { wheelHeader } from "../../testing/services/wheel.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
let since = 0;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  node = await bench.node(script("pass"), "Script");
  await bench.start();
});
beforeEach(() => {
  since = bench.listener.received.length;
});
afterAll(async () => {
  bench.close();
  await server.close();
});

async function run(...lines: string[]): Promise<string[]> {
  const before = (await bench.lines()).length;
  await bench.code(node, script(...lines, `# ${before}`));
  await bench.run();
  return (await bench.lines()).slice(before).map(([, text]) => text);
}

describe("an uploaded file", () => {
  it("is a path in node code, is read again when it changes, and is reported when it is missing", async () => {
    const reader = await bench.node(
      `from miranda import Field, File, Node


class Read(Node):
    data = Field(control=File())

    def run(self):
        if self.data is None:
            print("nothing")
            return
        with open(self.data) as lines:
            print(self.data.name, self.data.size, lines.read())
        print(self.data.read_bytes(), self.data.path.name)
`,
      "Read",
    );
    const lines = async (): Promise<string[]> => {
      const before = (await bench.lines()).length;
      await bench.run();
      return (await bench.lines()).slice(before).map(([, text]) => text);
    };
    const put = async (content: string, name: string) => {
      const form = new FormData();
      form.set("file", new File([content], name));
      const kept = await bench.owner.send("POST", `/api/v3/objects/${reader}/files`, form);
      const value = { attribute_value: kept.text };
      await bench.owner.patch(`/api/v3/objects/${reader}/attributes/data`, value);
    };
    expect(await lines()).toEqual(["nothing"]);
    await put("one", "ä b.txt");
    expect(await lines()).toEqual(["ä b.txt 3 one", "b'one' ä b.txt"]);
    await put("two", "../../etc/passwd");
    expect(await lines()).toEqual(["passwd 3 two", "b'two' passwd"]);
    await put("three", "three.txt");
    await server.db.deleteFrom("node_files").execute();
    await bench.run();
    const failure = await bench.listener.wait<ExceptionEvent>("exception", () => true, since);
    expect(failure.traceback).toContain("FileNotFoundError: File not found.");
    await bench.owner.delete(`/api/v3/objects/${reader}`);
  });
});

describe("outputs", () => {
  it("arrive live by the display protocol, and are stored", async () => {
    await run(
      "class Table:",
      "    def _repr_html_(self): return '<table></table>'",
      "    def _repr_png_(self): return b'\\x89PNG'",
      "    def __repr__(self): return 'a table'",
      "self.show(Table())",
      "show({'a': [1, 2]})",
      "for n in range(200): self.show(n)",
    );
    const first = await bench.listener.wait<NodeOutput>("output", () => true, since);
    expect(first).toMatchObject({
      wob_key: node,
      data: { "text/html": "<table></table>", "image/png": "iVBORw==", "text/plain": "a table" },
    });
    const kept = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/outputs?node=${node}`)).json<NodeOutput[]>();
    expect(kept).toHaveLength(100);
    expect(kept[1]?.data["application/json"]).toEqual({ a: [1, 2] });
  });

  it("keep the order of their keys and columns", async () => {
    await run("self.show({'z': 1, 'a': {'y': 1, 'b': 2}})", "self.show([{'zeta': 1, 'alpha': 0.5}])");
    const text = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/outputs?node=${node}`)).text;
    expect(text).toContain('{"z":1,"a":{"y":1,"b":2}}');
    expect(text).toContain('"columns":[{"name":"zeta","type":"int"},{"name":"alpha","type":"float"}]');
  });

  it("replace an earlier one with the same id", async () => {
    await run("self.show('first')", "for n in range(400): self.show(n, id='loss')", "self.show('last')");
    const kept = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/outputs?node=${node}`)).json<NodeOutput[]>();
    expect(kept.map(({ number, id, data }) => [number, id, data["text/plain"]])).toEqual([
      [1, null, "first"],
      [2, "loss", "399"],
      [3, null, "last"],
    ]);
    const last = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/outputs?last=true`)).json<NodeOutput[]>();
    expect(last.find(({ wob_key }) => wob_key === node)).toMatchObject({ number: 3, data: { "text/plain": "last" } });
  });

  it("show the progress of a node until it ends", async () => {
    await run(
      "import time",
      "from miranda import progress",
      "for n in range(5):",
      "    progress(n + 1, 5, 'epochs')",
      "    time.sleep(0.12)",
    );
    const barsIn = ({ nodes }: NodeBarsEvent) => nodes.find(({ wob_key }) => wob_key === node)?.bars;
    const first = await bench.listener.wait<NodeBarsEvent>("node_bars", () => true, since);
    expect(barsIn(first)).toEqual([{ label: "epochs", done: expect.any(Number) as number, total: 5 }]);
    await bench.listener.wait<NodeBarsEvent>("node_bars", (event) => barsIn(event)?.length === 0, since);
  });
});

describe("models", () => {
  it("S1-014 S7-078 are logged by node code and listed for people who may read", async () => {
    await run(
      "log_model('fit', metrics={'loss': 0.5, 'accuracy': 0.9, 'odd': float('nan')}, artifact=b'weights')",
      "log_model('fit', metrics={'loss': 0.25})",
    );
    const { json } = (await bench.owner.get("/api/v3/models/")).json<{ json: Model[] }>();
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({
      name: "fit",
      graph: { id: bench.graphId, project_id: bench.projectId, name: "Flow" },
      loss: 0.25,
      accuracy: null,
      hardware: expect.arrayContaining(["CPU"]) as string[],
      authors: [bench.owner.account.username],
    });
    const stranger = await server.signUp();
    expect((await stranger.get("/api/v3/models/")).json<{ json: Model[] }>().json).toHaveLength(1);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    expect((await stranger.get("/api/v3/models/")).json()).toEqual({ json: [], next: null });
    expect((await server.anonymous().get("/api/v3/models/")).status).toBe(401);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "public" });
  });
});

describe("secrets", () => {
  it("S7-056 reach node code and are never shown again", async () => {
    const value = "correct-horse-battery-staple";
    const saved = await bench.owner.post("/api/v3/secrets", { key: "API_KEY", value, project_id: bench.projectId });
    expect([saved.status, saved.text]).toEqual([200, '{"key":"API_KEY"}']);
    await bench.owner.post("/api/v3/secrets", { key: "mine", value: "only my own" });
    const written = await run(
      "key = secret('API_KEY')",
      "print(len(key), key, secret('mine'))",
      "self.show(key)",
      "try: secret('nothing')",
      "except KeyError as error: print(error)",
      "raise ValueError(key)",
    );
    expect(written.slice(0, 2)).toEqual([`${value.length} •••• ••••`, `"There is no secret 'nothing'."`]);
    expect(JSON.stringify(bench.listener.received)).not.toContain(value);
    for (const path of [
      `/api/v3/jobs/${bench.jobId}`,
      `/api/v3/jobs/${bench.jobId}/outputs`,
      `/api/v3/secrets?project_id=${bench.projectId}`,
    ])
      expect((await bench.owner.get(path)).text).not.toContain(value);
    const rows = await server.db.selectFrom("secrets").select("value").execute();
    for (const row of rows) expect(row.value.toString("latin1")).not.toContain(value);
    const names = (await bench.owner.get(`/api/v3/secrets?project_id=${bench.projectId}`)).json<{ key: string }[]>();
    expect(names.map(({ key }) => key)).toEqual(["API_KEY"]);
  });

  it("that are personal are not given to another person's run", async () => {
    const editor = await server.signUp();
    await giveToken(editor);
    const form = { user: editor.account.username, role: "editor" };
    await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form);
    await bench.owner.post("/api/v3/secrets", { key: "own", value: "the owner's" });
    const lines = "try: print(secret('own')[::-1])\nexcept KeyError as error: print(error)".split("\n");
    expect(await run(...lines)).toEqual(["s'renwo eht"]);
    const runByEditor = async () => {
      const before = (await bench.lines()).length;
      await bench.code(node, script(...lines, `# ${before}, by another`));
      const from = bench.listener.received.length;
      await editor.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: startArgs(undefined, {}) });
      await bench.state(from, "RUNNING");
      const isRunning = ({ data }: { data: unknown }) => (data as JobSummary | null)?.workflow_state === "RUNNING";
      await bench.state(
        bench.listener.received.findIndex((one, at) => at >= from && isRunning(one)),
        "READY",
      );
      return (await bench.lines()).slice(before).map(([, text]) => text);
    };
    expect(await runByEditor()).toEqual([`"There is no secret 'own'."`]);
    await editor.post("/api/v3/secrets", { key: "own", value: "another's" });
    expect(await runByEditor()).toEqual(["s'rehtona"]);
  });

  it("follow the access table", async () => {
    const path = `/api/v3/secrets?project_id=${bench.projectId}`;
    const reader = await server.signUp();
    const form = { key: "K", value: "v", project_id: bench.projectId };
    expect((await server.anonymous().get(path)).status).toBe(401);
    expect((await reader.get(path)).status).toBe(403);
    expect((await reader.post("/api/v3/secrets", form)).status).toBe(403);
    expect(
      (await reader.post("/api/v3/secrets/notify", { message: "", key: "K", project_id: bench.graphId })).status,
    ).toBe(403);
    expect((await reader.delete(`/api/v3/secrets/API_KEY?project_id=${bench.projectId}`)).status).toBe(403);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    expect((await reader.get(path)).status).toBe(404);
    expect((await reader.post("/api/v3/secrets", form)).status).toBe(404);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "public" });
    for (const bad of [
      { key: "", value: "v" },
      { key: "1x", value: "v" },
      { key: "k", value: "" },
      { key: "k".repeat(200), value: "v" },
    ])
      expect((await bench.owner.post("/api/v3/secrets", bad)).status).toBe(400);
    expect((await bench.owner.delete(`/api/v3/secrets/API_KEY?project_id=${bench.projectId}`)).status).toBe(200);
    expect((await bench.owner.delete(`/api/v3/secrets/API_KEY?project_id=${bench.projectId}`)).status).toBe(404);
  });

  it("S7-057 answer a question that node code asks the people in the graph", async () => {
    await bench.code(node, script("answer = ask_password('Database password?')", "print('got', len(answer))"));
    await bench.until("start", "-1", "RUNNING");
    const asked = await bench.listener.wait<AskForPasswordEvent>("ask_for_password", () => true, since);
    expect(asked).toEqual({
      project_id: bench.graphId,
      passwd_prompt: "Database password?",
      question: expect.stringMatching(`^${bench.jobId}\\.\\d+$`) as string,
      hidden: true,
      wob_key: node,
    });
    // People who come now have not received the event.
    const open = () => bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor/questions`);
    expect((await open()).json()).toEqual([asked]);
    await bench.owner.post("/api/v3/secrets", { key: "answer-1", value: "hunter2", temporary: true });
    const notice = { message: "there", key: "answer-1", project_id: asked.project_id };
    expect((await bench.owner.post("/api/v3/secrets/notify", notice)).status).toBe(200);
    await bench.state(
      bench.listener.received.findLastIndex(({ event }) => event === "ask_for_password"),
      "READY",
    );
    expect((await bench.lines()).at(-1)).toEqual([0, "got 7"]);
    expect((await open()).json()).toEqual([]);
    expect((await bench.owner.post("/api/v3/secrets/notify", notice)).status).toBe(404);
    expect(await server.db.selectFrom("password_requests").selectAll().execute()).toEqual([]);
    expect(await server.db.selectFrom("secrets").select("key").where("key", "=", "answer-1").execute()).toEqual([]);
  });

  it("close a question of a restarted worker, and give its answer to no other question", async () => {
    await bench.code(node, script("print('got', ask_password('Again?'))"));
    const askedAgain = async (): Promise<AskForPasswordEvent> => {
      const from = bench.listener.received.length;
      await bench.until("start", "-1", "RUNNING");
      return bench.listener.wait<AskForPasswordEvent>("ask_for_password", () => true, from);
    };
    const answer = async ({ project_id, question = "" }: AskForPasswordEvent, value: string) => {
      await bench.owner.post("/api/v3/secrets", { key: "answer-2", value, temporary: true });
      return bench.owner.post("/api/v3/secrets/notify", { key: "answer-2", project_id, question });
    };
    const old = await askedAgain();
    await bench.until("restart", "", "READY");
    const closed = { question: old.question, answered: false };
    await expect.poll(() => bench.listener.all("password_closed")).toContainEqual(closed);
    const now = await askedAgain();
    expect(now.question).not.toBe(old.question);
    const refused = await answer(old, "old");
    expect([refused.status, refused.text]).toEqual([409, "Nobody waits for this answer any more."]);
    const from = bench.listener.received.length;
    expect((await answer(now, "the new answer")).status).toBe(200);
    await bench.state(from, "READY");
    expect(bench.listener.all("password_closed")).toContainEqual({ question: now.question, answered: true });
    expect((await answer(now, "twice")).status).toBe(409);
    // The answer is never shown.
    expect((await bench.lines()).at(-1)).toEqual([0, "got ••••"]);
    expect(await server.db.selectFrom("password_requests").selectAll().execute()).toEqual([]);
  });
});

describe("storage", () => {
  it("is kept between sessions", async () => {
    await run("(storage() / 'note').write_text('kept')");
    await bench.until("stop", "", "EXITED");
    await bench.start();
    expect(await run("print((storage() / 'note').read_text())")).toEqual(["kept"]);
  });
});

describe("run node setup", () => {
  it("calls setup of every node, with live output", async () => {
    await bench.code(
      node,
      script("print('ready', self.ready)").replace(
        "    def run",
        "    def setup(self):\n        print('setting up')\n        self.ready = True\n\n    def run",
      ),
    );
    const answer = await bench.send("run-setup");
    expect(answer.status).toBe(200);
    expect(await bench.listener.wait<CommandEvent>("run-setup", () => true, since)).toEqual({
      job_id: bench.jobId,
      error: null,
    });
    await bench.state(since, "READY");
    await bench.run();
    expect((await bench.lines()).slice(-3).map(([, text]) => text)).toEqual([
      "setting up",
      "Node setup is done.",
      "ready True",
    ]);
  });

  it("reports failures with the line", async () => {
    await bench.code(node, script("pass").replace("    def run", "    def setup(self):\n        1 / 0\n\n    def run"));
    await bench.send("run-setup");
    const { error } = await bench.listener.wait<CommandEvent>("run-setup", () => true, since);
    expect(error).toBe("Script, line 5: ZeroDivisionError: division by zero");
    await bench.state(since, "READY");
  });

  it("installs what the inline metadata asks for, once per set of packages", { timeout: 90_000 }, async () => {
    const header = await wheelHeader("tides", "HEIGHT = 42\n");
    await bench.code(node, header + script("import tides", "print('height', tides.HEIGHT)"));
    await bench.send("run-setup");
    expect(await bench.listener.wait<CommandEvent>("run-setup", () => true, since)).toMatchObject({ error: null });
    await bench.state(since, "READY");
    await bench.run();
    expect((await bench.lines()).at(-1)?.[1]).toBe("height 42");
  });

  it("fails in the installer's own words when a package does not exist", { timeout: 90_000 }, async () => {
    const header = `# /// script\n# dependencies = ["no-such-package-of-ours @ file:///nowhere/no_such_package_of_ours-1.0-py3-none-any.whl"]\n# ///\n`;
    await bench.code(node, header + script("pass"));
    await bench.send("run-setup");
    const { error } = await bench.listener.wait<CommandEvent>("run-setup", () => true, since);
    expect(error).toMatch(/No such file|nowhere/i);
    await bench.state(since, "READY");
    await bench.code(node, `# /// script\n# dependencies = ["--help"]\n# ///\n${script("pass")}`);
    const from = bench.listener.received.length;
    await bench.send("run-setup");
    expect((await bench.listener.wait<CommandEvent>("run-setup", () => true, from)).error).toMatch(
      /not the name of a package/,
    );
  });
});

it("publishes the same to a second person in the graph", async () => {
  const other = await listen(server, await server.signUp(), bench.graphId);
  await bench.until("restart", "", "READY");
  const received = await other.wait<{ workflow_state: string }>(
    "update[DOCKER_JOB]",
    ({ workflow_state }) => workflow_state === "READY",
  );
  expect(received.workflow_state).toBe("READY");
  other.close();
});
