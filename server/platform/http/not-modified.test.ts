import type { ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, setApi } from "../../testing/editor.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
});
afterAll(() => server.close());

/** Asks again as a browser does that has kept an answer. */
function again(role: Role, path: string, kept: Answer): Promise<Answer> {
  return cast[role].send("GET", path, undefined, { "if-none-match": kept.headers.get("etag") ?? "" });
}

/** Asks twice: the second time nothing has changed. Returns the answer that the browser keeps. */
async function keep(role: Role, path: string): Promise<Answer> {
  const first = await cast[role].get(path);
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
  const second = await again(role, path, first);
  expect([second.status, second.text, second.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
  expect(second.headers.get("content-encoding")).toBeNull();
  return first;
}

describe("a list that a screen asks for again", () => {
  it.each([
    "/api/v3/projects/?limit=100",
    "/api/v3/projects/following",
    "/api/v3/projects/browse",
    "/api/v3/jobs?log_lines=1",
    "/api/v3/models/",
    "/api/v3/prefabs",
    "/api/v3/blueprints",
  ])("answers 304 while it is the same: %s", async (path) => {
    expect((await keep("owner", path)).headers.get("etag")).toMatch(/^W\/"[\w-]+"$/);
  });

  it("answers 200 with the new list after a change, to this person only", async () => {
    const path = "/api/v3/projects/?limit=100";
    const kept = { owner: await keep("owner", path), editor: await keep("editor", path) };
    await cast.owner.post("/api/v3/projects/", { name: "Another", description: "" });
    const changed = await again("owner", path, kept.owner);
    expect([changed.status, changed.text.includes("Another")]).toEqual([200, true]);
    expect((await again("editor", path, kept.editor)).status).toBe(304);
    // What one person kept says nothing about another person's list.
    expect((await again("stranger", path, changed)).status).toBe(200);
  });

  it("takes several tags, weak or strong, and answers 200 to one that is none", async () => {
    const kept = await keep("owner", "/api/v3/prefabs");
    const tag = kept.headers.get("etag") ?? "";
    const statusFor = async (header: string) =>
      (await cast.owner.send("GET", "/api/v3/prefabs", undefined, { "if-none-match": header })).status;
    expect(await statusFor(`"x", ${tag} , W/"y"`)).toBe(304);
    expect(await statusFor(tag.replace("W/", ""))).toBe(304);
    for (const wrong of ['W/"x"', "nonsense", '"', `${"a,".repeat(1_000)}b`]) expect(await statusFor(wrong)).toBe(200);
  });

  it("is never kept after a refusal", async () => {
    const refused = await cast.anonymous.get("/api/v3/jobs");
    expect([refused.status, refused.headers.get("cache-control"), refused.headers.get("etag")]).toEqual([
      401,
      "no-store",
      null,
    ]);
  });
});

describe("a graph", () => {
  const open = async () => {
    const graph = await buildGraph(cast, project);
    const { metadata_id: node } = await addNode(cast.owner, graph, "Source");
    return { graph, node, path: `/api/v3/graphs/${graph}/graph?include_updates=true` };
  };

  it("answers 304 until somebody changes it", async () => {
    const { node, path } = await open();
    const kept = await keep("viewer", path);
    await cast.editor.patch(`/api/v3/objects/${node}`, { name: "Renamed" });
    const changed = await again("viewer", path, kept);
    expect([changed.status, changed.json<GraphResponse>().nodes[node]?.name]).toEqual([200, "Renamed"]);
    expect((await again("viewer", path, changed)).status).toBe(304);
  });

  it("answers 200 after a template of one of its nodes has newer code", async () => {
    const { graph, node, path } = await open();
    await setApi(cast.owner, node, [], "one\n");
    const published = await cast.owner.post("/api/v3/prefabs", { metadata_id: node, name: "Template" });
    const prefab = published.json<{ id: string }>().id;
    const form = { project_id: graph, x: 0, y: 0 };
    const linked = (await cast.owner.post(`/api/v3/objects/clone/${prefab}`, form)).json<ChangedNode>().metadata_id;
    await setApi(cast.owner, node, [], "two\n");
    const kept = await keep("owner", path);
    await cast.owner.patch(`/api/v3/prefabs/${prefab}`, { metadata_id: node });
    const changed = await again("owner", path, kept);
    expect([changed.status, changed.json<GraphResponse>().nodes[linked]?.update?.source_code]).toEqual([200, "two\n"]);
    // Without updates the answer is the same as before.
    await keep("owner", `/api/v3/graphs/${graph}/graph`);
  });

  it("answers 200 after a run changed the status of a node, which is no revision", async () => {
    const { node, path } = await open();
    const kept = await keep("owner", path);
    for (const change of [{ status: "error" }, { last_used_at: new Date() }, { status: null }]) {
      await server.db.updateTable("nodes").set(change).where("metadata_id", "=", node).execute();
      expect((await again("owner", path, kept)).status).toBe(200);
    }
  });

  it("is refused to a stranger who knows its tag, and is another one to a reader", async () => {
    const { path } = await open();
    const kept = await keep("owner", path);
    expect((await again("stranger", path, kept)).status).toBe(404);
    const reader = await again("viewer", path, kept);
    expect([reader.status, reader.json<GraphResponse>().viewOnly]).toEqual([200, true]);
  });

  it("is not stored by the browser when it has the value of a secret control", async () => {
    const { node, path } = await open();
    const key = { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } };
    await setApi(cast.owner, node, [key]);
    await keep("owner", path);
    await cast.owner.patch(`/api/v3/objects/${node}/attributes/key`, { attribute_value: "hunter2" });
    const answer = await cast.owner.get(path);
    expect(answer.text).toContain("hunter2");
    expect([answer.headers.get("cache-control"), answer.headers.get("etag")]).toEqual(["no-store", null]);
    // Readers do not get the value, so their browsers may keep the graph.
    expect((await keep("viewer", path)).text).not.toContain("hunter2");
  });
});

describe("a log", () => {
  const addJob = async (state: "EXITED" | "RUNNING") => {
    const graph = await buildGraph(cast, project);
    const id = crypto.randomUUID();
    const times = state === "EXITED" ? { ended_at: new Date() } : {};
    const names = { name: "Flow", description: "", engine: "local" };
    const owned = { graph_id: graph, account_id: cast.owner.account.id };
    await server.db
      .insertInto("jobs")
      .values({ id, tag: 1, ...owned, ...names, state, last_line: 3, ...times })
      .execute();
    const entries = JSON.stringify([1, 2, 3].map((line) => [line, 1, 20, 0, `line ${line}`]));
    await server.db
      .insertInto("log_chunks")
      .values({ job_id: id, first_line: 1, lines: 3, bytes: 60, entries })
      .execute();
    return { id, path: `/api/v3/jobs/${id}` };
  };

  it("of a session that has ended answers 304, and 200 for other lines of it", async () => {
    const { path } = await addJob("EXITED");
    const kept = await keep("viewer", path);
    const other = await again("viewer", `${path}?log_lines=1`, kept);
    expect([other.status, other.text.includes("line 3"), other.text.includes("line 2")]).toEqual([200, true, false]);
  });

  it("of a session that runs is never stored", async () => {
    const { path } = await addJob("RUNNING");
    const answer = await cast.owner.get(path);
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("etag")]).toEqual([
      200,
      "no-store",
      null,
    ]);
    expect(answer.text).toContain("line 1");
  });
});
