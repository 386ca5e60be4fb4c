import type { Run } from "@miranda/contract/schemas/runs.ts";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findPython, runtimeFolder } from "../../platform/python.ts";
import { readGraph } from "../../testing/editor.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken, script, Workbench } from "../../testing/workbench.ts";
import { toRunnerGraph } from "../processors/agent/graph-for-agent.ts";

// The real command `miranda` against a real server: what a person types, in the order in which they would.

interface Done {
  code: number;
  out: string;
  err: string;
  json<T>(): T;
}

let server: TestServer;
let bench: Workbench;
let home: string;
let python: string;
const numbers: Record<string, number> = {};
const flow = () => join(home, "flow");

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  home = await mkdtemp(join(tmpdir(), "miranda-cli-"));
  python = (await findPython())?.executable ?? "python3";
  numbers["Load"] = await bench.node(
    script("self.rows.send([1, 2, 3])").replace("def run", "rows = Transmitter()\n    def run"),
    "Load",
  );
  numbers["Sum"] = await bench.node(
    script(
      'print("sum", sum(self.rows) * self.factor)',
      "show(sum(self.rows) * self.factor)",
      'log_model("line", {"loss": 0.5})',
    ).replace("def run", "rows = Receiver()\n    factor = Field(10)\n    def run"),
    "Sum",
  );
  await bench.edge(numbers["Load"] ?? 0, "rows", numbers["Sum"] ?? 0, "rows");
});
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

function miranda(args: string[], { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  return new Promise<Done>((resolve) => {
    const settings = { PYTHONPATH: runtimeFolder, XDG_CONFIG_HOME: join(home, "config"), ...env };
    const child = execFile(
      python,
      ["-m", "miranda_cli", ...args],
      { cwd: home, env: { ...process.env, ...settings } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err, json: <T>() => JSON.parse(out) as T }),
    );
    child.stdin?.end(input);
  });
}

const edit = async (path: string, before: string, after: string): Promise<void> => {
  const text = await readFile(join(flow(), path), "utf8");
  expect(text).toContain(before);
  await writeFile(join(flow(), path), text.replace(before, after));
};

const codeOf = async (name: string): Promise<string> => {
  const { nodes } = await readGraph(bench.owner, bench.graphId);
  return nodes[numbers[name] ?? 0]?.source_code ?? "";
};

describe("miranda", () => {
  it("logs in with a token or a password, and keeps the token where only its owner can read it", async () => {
    const wrong = await miranda(["login", server.url, "--with-token"], { input: "nonsense\n" });
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining("does not know this access token") });
    const byToken = await miranda(["login", server.url, "--with-token"], {
      input: `${await giveToken(bench.owner)}\n`,
    });
    expect(byToken).toMatchObject({ code: 0, out: expect.stringContaining("You are logged in to") });
    const { username } = bench.owner.account;
    const refused = await miranda(["login", server.url, "--username", username], { input: "wrong password\n" });
    expect(refused).toMatchObject({ code: 3, err: "Wrong username or password.\n" });
    const byPassword = await miranda(["login", server.url, "--username", username, "--json"], {
      input: `${password}\n`,
    });
    expect(byPassword.code).toBe(0);
    const { file } = byPassword.json<{ file: string }>();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("pulls a workflow by its address into a folder", async () => {
    const address = `${server.url}/project/${bench.projectId}/graph/${bench.graphId}`;
    expect(await miranda(["pull", address, "flow"])).toMatchObject({ code: 0, out: "flow: pulled 3 files\n" });
    expect(await readFile(join(flow(), "nodes/load.py"), "utf8")).toBe(await codeOf("Load"));
    expect(await miranda(["pull", bench.graphId, "flow"])).toMatchObject({ code: 0, out: "flow: nothing new\n" });
    expect(await miranda(["diff", "flow"])).toMatchObject({ code: 0, out: "" });
    expect(await miranda(["push", "flow"])).toMatchObject({ code: 0, out: "flow: nothing to push\n" });
  });

  it("runs the folder on this machine and on the server with the same output", async () => {
    const local = await miranda(["run", "flow"]);
    expect(local).toMatchObject({ code: 0, out: expect.stringContaining("sum: sum 60\n") });
    expect(await readFile(join(home, "outputs/sum/1.txt"), "utf8")).toBe("60");
    const remote = await miranda(["run", "--remote", "flow", "--keep"]);
    expect(remote).toMatchObject({ code: 0, out: expect.stringContaining("Sum: sum 60\n") });
    expect(remote.out).toContain("Done: 2 nodes ran.");
  });

  it("prints the log of the processor and lists its runs", async () => {
    expect((await miranda(["logs", "flow"])).out).toContain("Sum: sum 60\n");
    const lines = (await miranda(["logs", "flow", "--json"])).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ node: "Sum", text: "sum 60" }),
    );
    const [run, ...others] = (await miranda(["runs", "flow", "--json"])).json<Partial<Run>[]>();
    expect(others).toEqual([]);
    expect(run).toMatchObject({ graph: { id: bench.graphId, name: "Flow" }, state: "done", reason: "", number: 1 });
    const [head = "", row = ""] = (await miranda(["runs"])).out.split("\n");
    expect(head.split(/ +/)).toEqual(["RUN", "WORKFLOW", "STATE", "BEGAN", "BY"]);
    expect(row.split(/ +/)).toEqual([
      ...[run?.id, "Flow", "done", run?.time_began?.slice(0, 19)],
      bench.owner.account.username,
    ]);
  });

  it("shows edits as a diff and pushes them", async () => {
    await edit("nodes/sum.py", "sum(self.rows) * self.factor)", "sum(self.rows) * self.factor + 1)");
    const toml = await readFile(join(flow(), "workflow.toml"), "utf8");
    await writeFile(join(flow(), "workflow.toml"), toml.replace("[layout]", "[values.sum]\nfactor = 20\n\n[layout]"));
    const diff = await miranda(["diff", "flow", "--exit-code"]);
    expect(diff.code).toBe(1);
    expect(diff.out).toContain("--- server/nodes/sum.py\n+++ folder/nodes/sum.py\n");
    expect(diff.out).toContain("sum.values.factor: (nothing) → 20\n");
    expect(await miranda(["push", "flow"])).toMatchObject({ code: 0, out: "flow: pushed 1 change\n" });
    expect(await codeOf("Sum")).toContain("self.factor + 1");
    expect(await miranda(["diff", "flow", "--exit-code"])).toMatchObject({ code: 0, out: "" });
  });

  it("pulls the version that an address names", async () => {
    const made = await bench.owner.postJson(`/api/v3/graphs/${bench.graphId}/versions`, { name: "Plus one" });
    const { number } = made.json<{ number: number }>();
    await edit("nodes/sum.py", "self.factor + 1", "self.factor + 2");
    expect(await miranda(["push", "flow"])).toMatchObject({ code: 0, out: "flow: pushed 1 change\n" });
    const address = `${server.url}/designer/projects/${bench.projectId}/graphs/${bench.graphId}/history`;
    expect(await miranda(["pull", `${address}?version=${number}`, "older"])).toMatchObject({ code: 0 });
    expect(await readFile(join(home, "older/nodes/sum.py"), "utf8")).toContain("self.factor + 1");
    const unknown = await miranda(["pull", `${address}?version=999`, "unknown"]);
    expect(unknown).toMatchObject({ code: 3, err: "Version not found.\n" });
  });

  it("does not let a pull write over edits", async () => {
    await edit("nodes/load.py", "[1, 2, 3]", "[1, 2, 3, 4]");
    const refused = await miranda(["pull", "flow"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("not on the server: nodes/load.py") });
    expect(await readFile(join(flow(), "nodes/load.py"), "utf8")).toContain("[1, 2, 3, 4]");
  });

  it("shows a conflict, changes nothing, and pushes the side that is chosen", async () => {
    await bench.code(numbers["Load"] ?? 0, (await codeOf("Load")).replace("[1, 2, 3]", "[7]"));
    const refused = await miranda(["push", "flow"]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("flow: 1 conflict. Nothing was pushed.");
    expect(await codeOf("Load")).toContain("[7]");
    const listed = await miranda(["push", "flow", "--json"]);
    expect(listed.json<object>()).toMatchObject({ pushed: false, conflicts: [{ node: "Load", kind: "code" }] });
    expect(await miranda(["push", "flow", "--mine"])).toMatchObject({ code: 0 });
    expect(await codeOf("Load")).toContain("[1, 2, 3, 4]");
    expect((await miranda(["pull", "flow"])).code).toBe(0);
  });

  it("keeps the server's side of a conflict when that is chosen", async () => {
    await edit("nodes/load.py", "[1, 2, 3, 4]", "[5]");
    await bench.code(numbers["Load"] ?? 0, (await codeOf("Load")).replace("[1, 2, 3, 4]", "[6]"));
    expect((await miranda(["push", "flow", "--theirs"])).code).toBe(0);
    expect(await readFile(join(flow(), "nodes/load.py"), "utf8")).toContain("[6]");
    expect(await codeOf("Load")).toContain("[6]");
  });

  it("exits with the result of a run on the server", async () => {
    await edit(
      "nodes/sum.py",
      "def run(self):",
      "def run(self):\n        raise ValueError('no')\n\n    def other(self):",
    );
    expect((await miranda(["push", "flow"])).code).toBe(0);
    const failed = await miranda(["run", "--remote", "flow"]);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("Failed: Sum") });
    expect(failed.err).toContain("ValueError: no");
  });

  it("follows the log until the processor ends", async () => {
    const following = miranda(["logs", "-f", "flow"]);
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/stop`);
    const followed = await following;
    expect(followed.code).toBe(0);
    expect(followed.err).toContain("Sum: ValueError: no");
  });

  it("lists runs of sessions that have ended, and says when there are none", async () => {
    const runs = (await miranda(["runs", "flow", "--json"])).json<Partial<Run>[]>();
    expect(runs.slice(0, 1)).toMatchObject([{ state: "failed", time_ended: expect.any(String) as string }]);
    expect(runs.at(-1)).toMatchObject({ state: "done" });
    const other = await Workbench.open(server, bench.owner);
    other.close();
    const empty = await miranda(["runs", other.graphId, "--server", server.url]);
    expect(empty).toMatchObject({ code: 0, out: "No runs.\n" });
    const unknown = await miranda(["runs", "01999999-9999-7999-8999-999999999999", "--server", server.url]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.err).toBe("Workflow not found.\n");
  });

  it("works without a login in CI, and says what is refused", async () => {
    const env = {
      MIRANDA_URL: server.url,
      MIRANDA_TOKEN: await giveToken(bench.owner),
      XDG_CONFIG_HOME: join(home, "ci"),
    };
    expect(await miranda(["models"], { env })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/line +Flow +0\.5/),
    });
    const stranger = await server.signUp();
    const theirs = { ...env, MIRANDA_TOKEN: await giveToken(stranger) };
    expect(await miranda(["push", "flow"], { env: theirs })).toMatchObject({
      code: 3,
      err: "You may look at this workflow but not change it.\n",
    });
    const revoked = await miranda(["models"], { env: { ...env, MIRANDA_TOKEN: "gone" } });
    expect(revoked).toMatchObject({ code: 3, err: expect.stringContaining("no longer valid") });
  });

  it("keeps a whole project in a folder, and makes new workflows from folders", async () => {
    const made = await miranda(["push", "flow", "--new-in", bench.projectId, "--json"]);
    expect(made.code).toBe(0);
    const id = made.json<{ workflow: string }>().workflow;
    expect(id).not.toBe(bench.graphId);
    expect((await miranda(["pull", "--project", bench.projectId, "project"])).code).toBe(0);
    const found = await miranda(["diff", "project", "--json"]);
    expect(found.json<unknown[]>()).toHaveLength(2);
    expect((await miranda(["pull", "--project", bench.projectId, "project"])).out.match(/nothing new/g)).toHaveLength(
      2,
    );
    expect((await miranda(["push", "project"])).out.match(/nothing to push/g)).toHaveLength(2);
  });
});

describe("the graph that runs on a laptop", () => {
  it("has the same edges as on the server, the implied ones too", async () => {
    const field = (name: string) =>
      script("pass").replace("def run", `${name}\n    rows = Receiver()\n    out = Transmitter()\n    def run`);
    const rate = "rate = Field(1)";
    const other = await Workbench.open(server, bench.owner);
    const [source, a, b, c, d] = await Promise.all([
      other.node(field("seed = Constant(3)"), "Source"),
      other.node(field(rate), "A"),
      other.node(field(rate), "B"),
      other.node(field("rate = Field('x')"), "C"),
      other.node(field(rate), "D"),
    ]);
    await other.edge(source, "seed", a, "rate");
    await other.edge(a, "out", b, "rows");
    await other.edge(b, "out", c, "rows");
    await other.edge(c, "out", d, "rows");
    await other.edge(d, "out", a, "rows");
    const graph = await readGraph(other.owner, other.graphId);
    const room = { volumeFolder: (name: string) => name, mostFiles: 1 };
    const names = new Map(Object.values(graph.nodes).map(({ metadata_id, name }) => [metadata_id, name.toLowerCase()]));
    const expected = toRunnerGraph(graph, new Map(), room).edges.map(
      (edge) => `${names.get(edge.source)}.${edge.transmitter} ${names.get(edge.target)}.${edge.receiver}`,
    );
    expect((await miranda(["pull", other.graphId, "implied"])).code).toBe(0);
    const program = `import json, sys; from pathlib import Path; from miranda_cli.folder import Folder; from miranda_cli.local_graph import LocalGraph
graph = LocalGraph(Folder(Path("implied")), Path("s")); keys = graph.keys
print(json.dumps([f"{keys[e['source']]}.{e['transmitter']} {keys[e['target']]}.{e['receiver']}" for e in graph.for_worker()["edges"]]))`;
    const edges = await new Promise<string[]>((resolve) => {
      execFile(
        python,
        ["-c", program],
        { cwd: home, env: { ...process.env, PYTHONPATH: runtimeFolder } },
        (_error, out) => resolve(JSON.parse(out) as string[]),
      );
    });
    expect(edges.toSorted()).toEqual(expected.toSorted());
    expect(edges.length).toBeGreaterThan(5);
  });
});
