import type { Commit, CommitPage, CommitResponse } from "@miranda/contract/schemas/code.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
});

const path = (rest = "") => `/api/v3/objects/${node}/commits${rest}`;
const source = (name: string) => `from miranda import *\n\nclass Train(Node):\n    ${name} = Receiver("table")\n`;

async function commit(code: string, message = "", client: TestClient = cast.owner): Promise<CommitResponse> {
  const answer = await client.post(path(), { message, source_code: code });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<CommitResponse>();
}
const list = async (query = "") => (await cast.viewer.get(path(query))).json<CommitPage>();

describe("committing", () => {
  it("S2-150 stores who, when, the message, the code and its attributes, newest first", async () => {
    const first = await commit(source("rows"), "Take rows");
    const second = await commit(source("columns"), "Take columns", cast.editor);
    expect([first.number, second.number]).toEqual([1, 2]);
    const { commits, next } = await list();
    expect(next).toBe(null);
    expect(commits.map(({ message }) => message)).toEqual(["Take columns", "Take rows"]);
    expect(commits[0]?.author).toMatchObject({ username: "editor", first_name: "Editor" });
    expect(Math.abs(Date.now() - Date.parse(commits[0]?.time_created ?? ""))).toBeLessThan(60_000);

    const one = (await cast.viewer.get(path(`/${second.id}`))).json<Commit>();
    expect(one).toMatchObject({ source_code: source("columns"), previous_code: source("rows"), previous_id: first.id });
    expect(one.api.attributes.map(({ name }) => name)).toContain("columns");
    const shown = (await readGraph(cast.owner, graph)).nodes[node];
    expect(shown?.source_code).toBe(source("columns"));
    expect(shown?.api.attributes.map(({ name }) => name)).toContain("columns");
  });

  it("refuses an unchanged node with clear words", async () => {
    await commit(source("rows"));
    const again = await cast.owner.post(path(), { message: "Again", source_code: source("rows") });
    expect([again.status, again.text]).toEqual([409, "Nothing has changed since the last commit."]);
    const bare = await cast.owner.post(path(), { message: "Again" });
    expect([bare.status, bare.text]).toEqual([409, "Nothing has changed since the last commit."]);
    expect((await list()).commits).toHaveLength(1);
  });

  it("keeps the last valid attributes of code with an error, and reports the error", async () => {
    await commit(source("rows"));
    const wrong = await commit("class Train(Node:\n", "Half a thought");
    const { api } = (await cast.owner.get(path(`/${wrong.id}`))).json<Commit>();
    expect(api.error).toContain("line 1");
    expect(api.attributes.map(({ name }) => name)).toContain("rows");
  });

  it("refuses 10 MB with clear words, and so does a check", async () => {
    for (const rest of ["commits", "check"]) {
      const answer = await cast.owner.post(`/api/v3/objects/${node}/${rest}`, { source_code: "x".repeat(10_000_000) });
      expect([answer.status, answer.text]).toEqual([413, "That is too large."]);
      const long = await cast.owner.post(`/api/v3/objects/${node}/${rest}`, { source_code: "x".repeat(1_000_001) });
      expect([long.status, long.text]).toEqual([400, "Code can have at most 1000000 characters."]);
    }
  });

  it("refuses a policy and a locked node", async () => {
    const policy = await addNode(cast.owner, graph, "Large", "COMPUTE_POLICY");
    const answer = await cast.owner.post(`/api/v3/objects/${policy.metadata_id}/commits`, { source_code: "x" });
    expect([answer.status, answer.text]).toEqual([400, "Only a code block has code."]);
    await cast.owner.patch(`/api/v3/objects/${node}`, { locked: true });
    const locked = await cast.owner.post(path(), { source_code: "x" });
    expect([locked.status, locked.text]).toEqual([409, "This node is locked."]);
    expect((await list()).commits).toEqual([]);
  });

  it("gives commits made at the same moment different numbers", async () => {
    await Promise.all(["a", "b", "c", "d"].map((name) => commit(source(name))));
    expect((await list()).commits.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
  });

  it("pages the list", async () => {
    for (const name of ["a", "b", "c"]) await commit(source(name), name);
    const first = await list("?limit=2");
    expect(first.commits.map(({ message }) => message)).toEqual(["c", "b"]);
    const rest = await list(`?limit=2&before=${first.next}`);
    expect([rest.commits.map(({ message }) => message), rest.next]).toEqual([["a"], null]);
  });
});

describe("formatting", () => {
  const format = (source_code: string, client: TestClient = cast.editor, indent = 4) =>
    client.post(`/api/v3/objects/${node}/format`, { source_code, indent });

  it("formats code in its own indentation, and saves nothing", async () => {
    const before = await commit(source("rows"));
    const code = "x = {  'a':1 }\ndef f( a,b ):\n  return a+b\n";
    const spaces = (await format(code)).json<{ source_code: string }>();
    expect(spaces.source_code).toBe('x = {"a": 1}\n\n\ndef f(a, b):\n    return a + b\n');
    expect((await format(code, cast.owner, 0)).json<{ source_code: string }>().source_code).toContain("\n\treturn");
    const { commits } = (await cast.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>();
    expect(commits[0]?.id).toBe(before.id);
  });

  it("refuses wrong code with its line, 10 MB, an impossible indentation, readers and strangers", async () => {
    const wrong = await format("é = 1\n\ndef (:\n");
    expect([wrong.status, wrong.text]).toEqual([
      409,
      expect.stringMatching(/^The code cannot be formatted while it is wrong: .*\(line 3\)$/),
    ]);
    expect((await format("x".repeat(10_000_000))).status).toBe(413);
    expect((await format("x", cast.owner, 99)).status).toBe(400);
    expect((await format("x", cast.viewer)).status).toBe(403);
    expect((await format("x", cast.stranger)).status).toBe(404);
    expect((await format("x", cast.anonymous)).status).toBe(401);
  });

  it("limits the waiting requests of one account", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => format("x=1\n")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ text }) => text)).toEqual(Array(3).fill("Wait until your other code is formatted."));
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(Array(3).fill("1"));
    expect((await format("x=1\n")).status).toBe(200);
  });
});

describe("restoring", () => {
  it("is a new commit with the old code", async () => {
    const first = await commit(source("rows"), "Take rows");
    await commit(source("columns"));
    const restored = (await cast.editor.post(path(`/${first.id}/restore`))).json<CommitResponse>();
    expect(restored).toMatchObject({ number: 3, restored: 1, message: "Restore #1: Take rows" });
    expect((await readGraph(cast.owner, graph)).nodes[node]?.source_code).toBe(source("rows"));
    const again = await cast.editor.post(path(`/${first.id}/restore`));
    expect([again.status, again.text]).toEqual([409, "The node already has the code of that commit."]);
  });

  it("finds no commit of another node", async () => {
    const { id } = await commit(source("rows"));
    const other = await addNode(cast.owner, graph, "Other");
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/restore"],
    ] as const) {
      const answer = await cast.owner.send(method, `/api/v3/objects/${other.metadata_id}/commits/${id}${rest}`);
      expect([answer.status, answer.text]).toEqual([404, "Commit not found."]);
    }
  });
});

describe("a node that is deleted and brought back", () => {
  it("has its history again, and a clone has none", async () => {
    await commit(source("rows"), "Take rows");
    await cast.owner.delete(`/api/v3/objects/${node}`);
    expect((await cast.owner.get(path())).status).toBe(404);
    await cast.owner.post(`/api/v3/graphs/${graph}/restore`, { metadata_ids: JSON.stringify([node]) });
    expect((await list()).commits).toHaveLength(1);

    const mine = await buildProject(cast, "Mine");
    const clone = (await cast.owner.post(`/api/v3/graphs/${graph}/clone`, { to_project: mine.id })).json<{
      id: string;
    }>();
    const [copy] = Object.keys((await readGraph(cast.owner, clone.id)).nodes);
    expect((await cast.owner.get(`/api/v3/objects/${copy}/commits`)).json<CommitPage>().commits).toEqual([]);
  });
});

describe("access, a test per cell", () => {
  const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
  const reading = { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 };
  const writing = { ...reading, viewer: 403 };

  it.each(roles)("reads: %s", async (role) => {
    const { id } = await commit(source("rows"));
    expect((await cast[role].get(path())).status).toBe(reading[role]);
    expect((await cast[role].get(path(`/${id}`))).status).toBe(reading[role]);
    expect((await cast[role].get(`/api/v3/graphs/${graph}/drafts`)).status).toBe(reading[role]);
    expect((await cast[role].post(`/api/v3/objects/${node}/check`, { source_code: "x = 1" })).status).toBe(
      reading[role],
    );
  });

  it.each(roles)("writes: %s", async (role) => {
    const { id } = await commit(source("rows"));
    await commit(source("columns"));
    expect((await cast[role].post(path(), { source_code: source(role) })).status).toBe(writing[role]);
    expect((await cast[role].post(path(`/${id}/restore`))).status).toBe(writing[role]);
    const draft = { epoch: crypto.randomUUID(), update: "AAAA" };
    const stepped = writing[role] === 200 ? 409 : writing[role];
    expect((await cast[role].post(`/api/v3/objects/${node}/draft`, draft)).status).toBe(stepped);
  });

  it("hides the defaults of secret controls from readers", async () => {
    const code = `from miranda import *\n\nclass Train(Node):\n    key = Field("hush", control=Secret())\n`;
    const { id } = await commit(code);
    const valueFor = async (client: TestClient) =>
      (await client.get(path(`/${id}`))).json<Commit>().api.attributes.find(({ name }) => name === "key")?.value;
    expect(await valueFor(cast.editor)).toBe("hush");
    expect(await valueFor(cast.viewer)).toBe(null);
  });
});
