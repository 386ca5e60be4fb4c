import type { LanguageAnswerEvent } from "@miranda/contract/schemas/code/language.ts";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import { askAbout, languageServers, placeIn, wrongWith } from "../../testing/language-help.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const source = `import json
from miranda import Field, Node, Receiver, Select, Transmitter


class Train(Node):
    rows = Receiver("table")
    mode = Field("fast", control=Select("fast", "safe"))
    epochs = Field(10)
    model = Transmitter("model")

    def helper(self, count: int) -> int:
        """Counts on."""
        return count + 1

    def run(self):
        total = self.helper(self.epochs)
        self.model.send(json.dumps(total))
`;

// Every language server reads Python's library first, maybe on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graph: string;
let sockets: TestSocket[] = [];

beforeAll(async () => {
  server = await startTestServer({ language: { most: 2, memoryMb: 512, idle: 600_000 } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

async function nodeWith(code: string, inGraph = graph, client = cast.owner): Promise<number> {
  const { metadata_id } = await addNode(client, inGraph, "Train");
  await client.put(`/api/v3/objects/${metadata_id}/api`, { source_code: code });
  return metadata_id;
}

/** Code that a person has open with language help. */
async function helped(client: TestClient, node: number, inGraph = graph): Promise<SharedCode> {
  const socket = await connect(server, client);
  sockets.push(socket);
  expect(await socket.enter(inGraph)).toBe(null);
  const code = new SharedCode(node);
  expect(await code.open(socket)).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  expect(await socket.ask("language_open", node)).toBe(null);
  return code;
}

const untilMessages = (code: SharedCode, expected: (messages: string[]) => boolean) =>
  until(() => expected(wrongWith(code) ?? ["nothing yet"]), `got ${JSON.stringify(wrongWith(code))}`, 80_000);

describe("help with code", () => {
  it("completes, explains, shows arguments, finds definitions and renames", async () => {
    const code = await helped(cast.owner, await nodeWith(source));
    const hover = await askAbout(code, { kind: "hover" }, "self.ep|ochs)");
    expect(hover?.text).toContain("epochs: int");
    expect(code.text.slice(hover?.from, hover?.to)).toBe("epochs");
    expect((await askAbout(code, { kind: "hover" }, "self.mo|del"))?.text).toContain("model: Outlet");

    code.type(code.text.length, "        self.model.");
    const list = await askAbout(code, { kind: "completion" }, "        self.model.|");
    const at = list?.items.findIndex(({ label }) => label === "send") ?? -1;
    expect(list?.items[at]).toMatchObject({ kind: "method" });
    const about = await askAbout(code, { kind: "description", list: list?.list ?? 0, item: at }, null);
    expect(about?.text).toContain("Sends a value to every node");

    const signature = await askAbout(code, { kind: "signature" }, "self.helper(|");
    expect(signature?.signatures[0]).toMatchObject({ label: "(count: int) -> int", active: 0 });
    const here = await askAbout(code, { kind: "definition" }, "self.hel|per(");
    expect(here?.place).toEqual({ kind: "here", from: source.indexOf("helper"), to: source.indexOf("helper") + 6 });
    const ours = await askAbout(code, { kind: "definition" }, "Rec|eiver(");
    expect(ours?.place).toMatchObject({ kind: "file", name: "miranda/attributes.py" });
    const python = await askAbout(code, { kind: "definition" }, "json.du|mps");
    expect(python?.place).toMatchObject({ kind: "file", name: "json/__init__.pyi" });
    const renamed = await askAbout(code, { kind: "rename", name: "amount" }, "to|tal =");
    expect(renamed?.edits).toHaveLength(2);
  });

  it("offers missing imports, and nothing of other nodes or of our internals", async () => {
    await helped(cast.owner, await nodeWith("secretly = 1\n"));
    const code = await helped(cast.owner, await nodeWith(`${source}\nSlid\nsecretl\nOutlet\nBucke\nstorag\n`));
    const slider = await askAbout(code, { kind: "completion" }, "\nSlid|");
    expect(slider?.items).toMatchObject([{ label: "Slider", source: "miranda", more: [{ insert: ", Slider" }] }]);
    expect((await askAbout(code, { kind: "completion" }, "\nsecretl|"))?.items).toEqual([]);
    expect((await askAbout(code, { kind: "completion" }, "\nOutlet|"))?.items).toEqual([]);
    expect((await askAbout(code, { kind: "completion" }, "\nBucke|"))?.items).toEqual([]);
    const kept = await askAbout(code, { kind: "completion" }, "\nstorag|");
    expect(kept?.items.map(({ label }) => label)).toEqual(["StorageError", "storage"]);
    code.type(code.text.length, "from miranda import storage\nprint(storage())\n");
    expect((await askAbout(code, { kind: "hover" }, "print(stor|age"))?.text).toContain("S3 bucket");
  });

  it("sends diagnostics of unsaved code to everybody who has it open, and clears them", async () => {
    const node = await nodeWith(source);
    const [ada, eve] = [await helped(cast.owner, node), await helped(cast.viewer, node)];
    await untilMessages(eve, (messages) => messages.length === 0);
    const wrong = "        self.modle.send(1)\n";
    ada.type(ada.text.length, wrong);
    for (const code of [ada, eve]) await untilMessages(code, ([first]) => first?.includes('"modle"') === true);
    ada.doc.getText("code").delete(ada.text.length - wrong.length, wrong.length);
    for (const code of [ada, eve]) await untilMessages(code, (messages) => messages.length === 0);
    expect((await askAbout(eve, { kind: "hover" }, "self.ep|ochs)"))?.text).toContain("int");
  });

  it("keeps a position right while another person types before it", async () => {
    const node = await nodeWith(source);
    const [ada, ben] = [await helped(cast.owner, node), await helped(cast.editor, node)];
    const place = placeIn(ada, "self.ep|ochs)");
    ben.type(0, "# a line above\n");
    await until(() => ada.text.startsWith("# a line"), "did not come");
    expect(await ada.socket?.ask("language_ask", node, 1, { kind: "hover" }, place)).toBe(null);
    // This language server has just started, and reads Python's library first.
    const answers = () => ada.socket?.all<LanguageAnswerEvent>("language_answer") ?? [];
    await until(() => answers().length > 0, "no answer", 80_000);
    expect(JSON.stringify(answers()[0])).toContain("epochs: int");
  });

  it("reports nothing in the documented examples and the library", async () => {
    const guide = await readFile(join(root, "docs", "node-sdk.md"), "utf8");
    const examples = [...guide.matchAll(/```python\n([^]*?)```/g)].map((match) => match[1] ?? "");
    const library = join(root, "server", "features", "templates", "library");
    const files = (await readdir(library)).filter((name) => name.endsWith(".py"));
    const codes = await Promise.all(files.map((name) => readFile(join(library, name), "utf8")));
    expect(examples.length).toBeGreaterThan(4);
    for (const text of [...examples, ...codes]) {
      const code = await helped(cast.owner, await nodeWith(text));
      await until(() => wrongWith(code) !== undefined, "no diagnostics came", 80_000);
      expect([text, wrongWith(code)]).toEqual([text, []]);
      code.socket?.close();
    }
  });
});

describe("what it can reach", () => {
  it("other nodes, other graphs and the machine's files are hidden", async () => {
    await writeFile(join(server.dataFolder, "hidden_settings.py"), 'password = "do not tell"\n');
    const otherGraph = await buildGraph(cast, project.id, "Other");
    const secret = await nodeWith('password = "do not tell"\n', otherGraph);
    await helped(cast.owner, secret, otherGraph);
    const sibling = await nodeWith('password = "do not tell"\n');
    await helped(cast.owner, sibling);
    const ways = [
      `from node_${secret} import password`,
      `from node_${sibling} import password`,
      `from . import node_${sibling}; password = node_${sibling}.password`,
      "from ...hidden_settings import password",
      "from ..packages.miranda.worker.session import json as password",
      `import sys; sys.path.append("${server.dataFolder}"); from hidden_settings import password`,
    ];
    for (const way of ways) {
      const code = await helped(cast.owner, await nodeWith(`${way}\nprint(password)\n`));
      const { text = "" } = (await askAbout(code, { kind: "hover" }, "print(pass|word)")) ?? {};
      expect(`${way}: ${text}`).not.toMatch(/do not tell|password: str/);
      const definition = await askAbout(code, { kind: "definition" }, "print(pass|word)");
      expect(JSON.stringify(definition)).not.toContain("do not tell");
      code.socket?.close();
    }
  });
});

describe("who is helped", () => {
  it("only people who have the code open, as long as they may read it", async () => {
    const node = await nodeWith(source);
    const stranger = await connect(server, cast.stranger);
    sockets.push(stranger);
    const place = Buffer.from([0]);
    expect(await stranger.ask("language_open", node)).toContain("out of step");
    expect(await stranger.ask("language_ask", node, 1, { kind: "hover" }, place)).toContain("out of step");
    const viewer = await connect(server, cast.viewer);
    sockets.push(viewer);
    await viewer.enter(graph);
    expect(await viewer.ask("language_open", node)).toContain("out of step");

    const eve = await helped(cast.viewer, node);
    const ada = await helped(cast.owner, node);
    await untilMessages(eve, (messages) => messages.length === 0);
    await cast.owner.delete(`/api/v3/projects/${project.id}/members/${cast.viewer.account.id}`);
    await eve.socket?.next("evicted");
    expect(await eve.socket?.ask("language_ask", node, 2, { kind: "hover" }, placeIn(eve, "self.ep|ochs)"))).toBe(
      "Node not found.",
    );
    ada.type(ada.text.length, "nothing_like_it\n");
    await untilMessages(ada, ([first]) => first?.includes("nothing_like_it") === true);
    expect(wrongWith(eve)).toEqual([]);
  });
});

describe("bad input", () => {
  it("refuses invalid questions, positions, and too many at once", async () => {
    const node = await nodeWith(source);
    const code = await helped(cast.owner, node);
    const place = placeIn(code, "self.ep|ochs)");
    const ask = (...args: unknown[]) => code.socket?.ask("language_ask", ...args);
    for (const asked of [null, {}, { kind: "run" }, { kind: "hover", uri: "file:///etc/passwd" }.uri, "hover"])
      expect(await ask(node, 1, asked, place)).toBe("The request could not be understood.");
    expect(await ask(node, "one", { kind: "hover" }, place)).toBe("The request could not be understood.");
    expect(await ask(node, 1, { kind: "rename", name: "" }, place)).toBe("The request could not be understood.");
    for (const at of [null, "x", 3, Buffer.alloc(300), Buffer.from([255, 255, 255, 255])])
      expect(await ask(node, 1, { kind: "hover" }, at)).toMatch(/could not be understood|out of step/);
    for (const id of ["../../etc/passwd", -1, null, {}])
      expect(await ask(id, 1, { kind: "hover" }, place)).toContain("out of step");
    const words = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => ask(node, at + 10, { kind: "hover" }, place)),
    );
    expect(words).toContain("That is too many questions at once. Wait for their answers.");
  });

  it("explains that code is too long for help", async () => {
    const node = await nodeWith("x = 1\n".repeat(40_000));
    const socket = await connect(server, cast.owner);
    sockets.push(socket);
    await socket.enter(graph);
    const code = new SharedCode(node);
    await code.open(socket);
    await until(() => code.epoch !== null, "no document came");
    expect(await socket.ask("language_open", node)).toBe("This code is too long for completion and checks.");
  });
});

describe("how many there are", () => {
  it("runs one per graph up to the limit; another graph shows busy, and gets one when there is room", async () => {
    const graphs = [graph, await buildGraph(cast, project.id, "Two"), await buildGraph(cast, project.id, "Three")];
    const codes: SharedCode[] = [];
    const states = (code: SharedCode) =>
      code.socket?.all<{ state: string }>("language_state").map(({ state }) => state);
    for (const [at, one] of graphs.entries()) {
      const code = await helped(cast.owner, await nodeWith(source, one), one);
      codes.push(code);
      // A server that an earlier test left behind may still start. It makes room when it is done.
      if (at < 2) await until(() => states(code)?.at(-1) === "ready", "did not come", 80_000);
    }
    await until(() => states(codes[2] as SharedCode)?.includes("busy") === true, "did not become busy");
    expect((await languageServers(server.dataFolder)).length).toBeLessThanOrEqual(2);
    expect(await askAbout(codes[2] as SharedCode, { kind: "hover" }, "self.ep|ochs)")).toBe(null);
    codes[0]?.socket?.close();
    await until(() => states(codes[2] as SharedCode)?.at(-1) === "ready", "did not come", 80_000);
    expect(await askAbout(codes[2] as SharedCode, { kind: "hover" }, "self.ep|ochs)")).not.toBe(null);
    expect(await languageServers(server.dataFolder)).toHaveLength(2);
  });

  it("restarts one that dies while it starts, without affecting others", async () => {
    const before = new Set(await languageServers(server.dataFolder));
    const node = await nodeWith(source);
    const opening = helped(cast.owner, node);
    let killed: number | undefined;
    while (killed === undefined) killed = (await languageServers(server.dataFolder)).find((pid) => !before.has(pid));
    process.kill(killed, "SIGKILL");
    const code = await opening;
    await expect
      .poll(async () => (await askAbout(code, { kind: "hover" }, "self.ep|ochs)"))?.text, { timeout: 60_000 })
      .toContain("epochs: int");
    expect((await cast.owner.get("/api/v3/auth/")).status).toBe(200);
  });

  it("restarts a killed one, which then knows the present code", async () => {
    const code = await helped(cast.owner, await nodeWith(source));
    await until(
      () => code.socket?.all<{ state: string }>("language_state").at(-1)?.state === "ready",
      "no start",
      30_000,
    );
    const pids = await languageServers(server.dataFolder);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    code.type(0, "# typed meanwhile\n");
    await until(
      () => code.socket?.all<{ state: string }>("language_state").filter(({ state }) => state === "ready").length === 2,
      "did not come back",
      30_000,
    );
    expect((await askAbout(code, { kind: "hover" }, "self.ep|ochs)"))?.text).toContain("epochs: int");
  });
});

describe("with other settings", () => {
  it("ends when idle, and restarts with the next question", async () => {
    const own = await startTestServer({ language: { most: 1, memoryMb: 512, idle: 1_500 } });
    try {
      const people = await signUpCast(own);
      const place = await buildProject(people);
      const flow = await buildGraph(people, place.id);
      const { metadata_id } = await addNode(people.owner, flow, "Train");
      await people.owner.put(`/api/v3/objects/${metadata_id}/api`, { source_code: source });
      const socket = await connect(own, people.owner);
      sockets.push(socket);
      await socket.enter(flow);
      const code = new SharedCode(metadata_id);
      await code.open(socket);
      await until(() => code.epoch !== null, "no document came");
      expect(await languageServers(own.dataFolder)).toHaveLength(0);
      await socket.ask("language_open", metadata_id);
      expect(await askAbout(code, { kind: "hover" }, "self.ep|ochs)")).not.toBe(null);
      for (const end = Date.now() + 20_000; (await languageServers(own.dataFolder)).length > 0;)
        if (Date.now() > end) throw new Error("it did not end");
      expect(await askAbout(code, { kind: "hover" }, "self.ep|ochs)")).not.toBe(null);
    } finally {
      await own.close();
      expect(await languageServers(own.dataFolder)).toHaveLength(0);
    }
  });

  it("reports once that it is off, and code can be edited without it", async () => {
    const own = await startTestServer({ language: { most: 0, memoryMb: 512, idle: 1_000 } });
    try {
      const people = await signUpCast(own);
      const flow = await buildGraph(people, (await buildProject(people)).id);
      const { metadata_id } = await addNode(people.owner, flow, "Train");
      const socket = await connect(own, people.owner);
      await socket.enter(flow);
      const code = new SharedCode(metadata_id);
      await code.open(socket);
      await until(() => code.epoch !== null, "no document came");
      expect(await socket.ask("language_open", metadata_id)).toBe(null);
      expect(await socket.next("language_state")).toMatchObject({ graph_id: flow, state: "off" });
      socket.close();
    } finally {
      await own.close();
    }
  });
});
