import type { BriefComparison, Comparison, Version } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

const output = { name: "output", kind: "table", direction: "TRANSMITTER" };
const input = { name: "input", kind: "table", direction: "RECEIVER" };
const field = { name: "rate", kind: "number", direction: "RECEIVER_FIELD", value: 1 };
const unknown = "00000000-0000-4000-8000-000000000000";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let [source, target] = [0, 0];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  source = (await addNode(cast.owner, graph, "Source")).metadata_id;
  target = (await addNode(cast.owner, graph, "Target")).metadata_id;
  await setApi(cast.owner, source, [output]);
  await setApi(cast.owner, target, [input, field]);
  await cast.owner.post("/api/v3/objects/edges", ends(source, "output", target, "input"));
});

const rename = (id: number, name: string) => cast.owner.patch(`/api/v3/objects/${id}`, { name });

describe("a named version", () => {
  it("is numbered from 1, says who made it and why, and does not change with the workflow", async () => {
    const { create, made, graph: look } = versionsOf(cast.owner, graph);
    const first = (await create("First", { message: "It works." })).json<Version>();
    expect(first).toMatchObject({
      number: 1,
      name: "First",
      message: "It works.",
      reason: "named",
      nodes: 2,
      edges: 1,
    });
    expect(first).toMatchObject({ graph_id: graph, time_published: null, author: { username: "owner" } });
    await rename(source, "Spring");
    await cast.owner.delete(`/api/v3/objects/${target}`);
    expect(await versionsOf(cast.editor, graph).made("Second")).toMatchObject({
      number: 2,
      author: { username: "editor" },
    });
    const then = await look(1);
    expect(then.nodes[source]).toMatchObject({ name: "Source", metadata_id: source });
    expect([Object.keys(then.nodes).length, then.edges.length, then.viewOnly]).toEqual([2, 1, true]);
    expect(then.revision).toBe(first.revision);
    expect(Object.keys((await look(first.id)).nodes)).toEqual(Object.keys(then.nodes));
    expect((await look(2)).nodes[source]).toMatchObject({ name: "Spring" });
    expect((await made("Third")).number).toBe(3);
  });

  it("looks on the canvas as the workflow did", async () => {
    await cast.owner.patch(`/api/v3/objects/${target}/attributes/rate`, { attribute_value: "7" });
    const group = { name: "Both", metadata_ids: JSON.stringify([source, target]) };
    await cast.owner.post(`/api/v3/graphs/${graph}/groups`, group);
    await versionsOf(cast.owner, graph).made("First");
    const [now, then] = [await readGraph(cast.owner, graph), await versionsOf(cast.owner, graph).graph(1)];
    expect(then.edges).toEqual(now.edges);
    expect(then.nodes[target]?.api).toEqual(now.nodes[target]?.api);
    expect(then.groups).toMatchObject([{ name: "Both", metadata_ids: [source, target] }]);
    expect(Object.keys(then.lineages)).toEqual([String(source), String(target)]);
    expect((await versionsOf(cast.owner, graph).graph("now")).edges).toEqual(now.edges);
  });

  it("can be deleted, and its number is never used again", async () => {
    const { made, remove, get, list } = versionsOf(cast.owner, graph);
    await made("First");
    await made("Second");
    expect((await remove(2)).status).toBe(200);
    const gone = await get("2");
    expect([gone.status, gone.text]).toEqual([404, "Version not found."]);
    expect((await made("Third")).number).toBe(3);
    expect((await list()).map(({ number }) => number)).toEqual([3, 1]);
  });

  it("is listed newest first, page by page, apart from automatic ones", async () => {
    const { made, list, page, restored } = versionsOf(cast.owner, graph);
    for (const name of ["One", "Two", "Three"]) await made(name);
    await rename(source, "Spring");
    await restored(1);
    expect((await list()).map(({ name, reason }) => name || reason)).toEqual(["restore", "Three", "Two", "One"]);
    expect((await list("?kind=named")).map(({ name }) => name)).toEqual(["Three", "Two", "One"]);
    expect((await list("?kind=automatic")).map(({ number }) => number)).toEqual([null]);
    const first = await page("?kind=named&limit=2");
    const second = await page(`?kind=named&limit=2&after=${first.next}`);
    expect([first, second].map(({ versions }) => versions.map(({ number }) => number))).toEqual([[3, 2], [1]]);
    expect(second.next).toBeNull();
  });

  it("shows no author when the account is deleted", async () => {
    const leaver = await server.signUp(`leaver${Date.now()}`);
    await cast.owner.post(`/api/v3/projects/${project}/members`, { user: leaver.account.username, role: "editor" });
    await versionsOf(leaver, graph).made("Mine");
    await sql`update accounts set deleted_at = now() where id = ${leaver.account.id}`.execute(server.db);
    expect(await versionsOf(cast.owner, graph).list()).toMatchObject([{ name: "Mine", author: null }]);
  });
});

describe("comparing", () => {
  it("names what changed between a version and now, and between two workflows", async () => {
    const { made, get } = versionsOf(cast.owner, graph);
    await made("First");
    await rename(source, "Spring");
    const now = (await get("1/compare/now")).json<{ nodes: { change: string; after: { name: string } }[] }>();
    expect(now.nodes).toMatchObject([{ change: "changed", after: { name: "Spring" } }]);
    const copy = (await cast.owner.post(`/api/v3/graphs/${graph}/clone`, { to_project: project })).json<{
      id: string;
    }>();
    const other = (await get(`1/compare/now?with=${copy.id}`)).json<{ nodes: unknown[]; edges: unknown[] }>();
    expect([other.nodes.length, other.edges.length]).toEqual([1, 0]);
  });

  it("names what changed between two versions, with nodes in parts that both have and in others", async () => {
    const { made, get } = versionsOf(cast.owner, graph);
    // More numbers than one part has.
    const nodes = Array.from({ length: 130 }, (_, key) => ({
      class: "Code_block",
      key,
      name: `Step ${key}`,
      position: { x: key, y: 0 },
    }));
    const pasted = await cast.owner.postJson(`/api/v3/graphs/${graph}/paste`, { nodes, edges: [] });
    expect(pasted.status).toBe(200);
    await made("First");
    await rename(source, "Spring");
    await made("Second");
    const { nodes: found, edges } = (await get("1/compare/2")).json<{
      nodes: { change: string; before: { name: string }; after: { name: string } }[];
      edges: unknown[];
    }>();
    expect(found).toMatchObject([{ change: "changed", before: { name: "Source" }, after: { name: "Spring" } }]);
    expect(edges).toEqual([]);
    expect((await get("2/compare/2")).json()).toEqual({ nodes: [], edges: [], groups: [] });
  });

  it("leaves out what a client knows that has the first version, when it asks for a brief answer", async () => {
    const { made, get } = versionsOf(cast.owner, graph);
    await made("First");
    await rename(source, "Spring");
    const whole = (await get("1/compare/now")).json<Comparison>();
    const brief = (await get("1/compare/now?brief=true")).json<BriefComparison>();
    expect(brief.nodes.map(({ lineage, change }) => ({ lineage, change }))).toEqual(
      whole.nodes.map(({ lineage, change }) => ({ lineage, change })),
    );
    const [renamed] = brief.nodes;
    expect(renamed).toMatchObject({ change: "changed", after: { name: "Spring" } });
    expect(renamed?.fields).toContainEqual({ kind: "setting", field: "name", before: "Source", after: "Spring" });
    for (const left of ["api", "source_code"]) expect(renamed?.after).not.toHaveProperty(left);
    expect(renamed).not.toHaveProperty("before");
    expect(brief.revision).toBe((await readGraph(cast.owner, graph)).revision);
    expect((await get("1/compare/now?brief=perhaps")).status).toBe(400);
  });

  it("sends two versions once to each browser, and never to people who may not read them", async () => {
    const { made } = versionsOf(cast.owner, graph);
    await made("First");
    await rename(source, "Spring");
    await made("Second");
    for (const path of ["1/graph", "1/compare/2"]) {
      const at = `/api/v3/graphs/${graph}/versions/${path}`;
      const tag = (await cast.owner.get(at)).headers.get("etag") ?? "";
      expect(tag).not.toBe("");
      const again = { "if-none-match": tag };
      expect([path, (await cast.owner.send("GET", at, undefined, again)).status]).toEqual([path, 304]);
      expect([path, (await cast.stranger.send("GET", at, undefined, again)).status]).toEqual([path, 404]);
    }
    for (const path of ["now/graph", "1/compare/now"])
      expect((await cast.owner.get(`/api/v3/graphs/${graph}/versions/${path}`)).headers.get("etag")).toBeNull();
  });
});

describe("a workflow from a version", () => {
  it("has the nodes, values and edges of the version, and knows where it came from", async () => {
    const { made, post } = versionsOf(cast.owner, graph);
    await made("First");
    await rename(source, "Spring");
    const { id } = (await post("1/workflow", { project_id: project, name: "Again" })).json<{ id: string }>();
    const copy = await readGraph(cast.owner, id);
    expect(
      Object.values(copy.nodes)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["Source", "Target"]);
    expect(copy.edges.length).toBe(1);
    const origin = await server.db
      .selectFrom("graph_origins")
      .selectAll()
      .where("graph_id", "=", id)
      .executeTakeFirst();
    expect(origin?.origin_id).toBe(graph);
    expect((await cast.owner.get(`/api/v3/graphs/${id}`)).json()).toMatchObject({ name: "Again" });
  });

  it("is refused where the person may not write, and a private one cannot be made public by a reader", async () => {
    await versionsOf(cast.owner, graph).made("First");
    const viewer = versionsOf(cast.viewer, graph);
    const refused = await viewer.post("1/workflow", { project_id: project, name: "Again" });
    expect([refused.status, refused.text]).toEqual([403, "You may look at this project but not change it."]);
    const open = (await cast.viewer.post("/api/v3/projects/", { name: "Open", description: "" })).json<{
      id: string;
    }>();
    await buildIn(open.id);
    const public_ = await viewer.post("1/workflow", { project_id: open.id, name: "Again" });
    expect([public_.status, public_.text]).toEqual([403, "This workflow is private. Clone it into a private project."]);
  });

  const buildIn = (id: string) =>
    cast.viewer.post("/api/v3/graphs/", { name: "There", description: "", project_id: id });
});

describe("who may do what with versions", () => {
  const readers: Record<Role, number> = {
    admin: 200,
    owner: 200,
    editor: 200,
    viewer: 200,
    stranger: 404,
    anonymous: 401,
  };
  const writers: Record<Role, number> = {
    admin: 200,
    owner: 200,
    editor: 200,
    viewer: 403,
    stranger: 404,
    anonymous: 401,
  };

  it.each(Object.entries(readers))("lets %s look: %d", async (role, status) => {
    await versionsOf(cast.owner, graph).made("First");
    const { get } = versionsOf(cast[role as Role], graph);
    for (const path of ["", "1", "1/graph", "1/edits", "1/compare/now", "now/graph"])
      expect([path, (await get(path)).status]).toEqual([path, status]);
    expect((await cast[role as Role].get(`/api/v3/graphs/${graph}/edits`)).status).toBe(status);
  });

  it.each(Object.entries(writers))("lets %s make, restore and delete: %d", async (role, status) => {
    await versionsOf(cast.owner, graph).made("First");
    await rename(source, "Spring");
    const { create, restore, remove } = versionsOf(cast[role as Role], graph);
    expect((await create("Second")).status).toBe(status);
    expect((await restore(1)).status).toBe(status);
    expect((await remove(1)).status).toBe(status);
    const names = Object.values((await readGraph(cast.owner, graph)).nodes).map(({ name }) => name);
    expect(names.includes("Source")).toBe(status === 200);
  });
});

describe("a refused call about versions", () => {
  it("says what is wrong, and changes nothing", async () => {
    const { create, get, restore, remove, made, list, post } = versionsOf(cast.owner, graph);
    await made("First");
    const before = await readGraph(cast.owner, graph);
    const refusals = [
      [await create(""), 400, "Name is required."],
      [await create("x".repeat(300)), 400, /at most \d+ characters/],
      [await create("Long", { message: "x".repeat(4_001) }), 400, "Message can have at most 4000 characters."],
      [await create("Odd", { publish: "perhaps" }), 400, "publish must be true or false."],
      [await create("Odd", { left_out: ["x"], publish: true }), 400, "Nodes are named by their lineage."],
      [await create("Odd", { left_out: [unknown] }), 400, "Only publishing can leave nodes out."],
      [await get("0"), 404, "Version not found."],
      [await get("first/graph"), 404, "Version not found."],
      [await get("99999999999999999999"), 404, "Version not found."],
      [await get("first/compare/now"), 404, "Version not found."],
      [await get("2"), 404, "Version not found."],
      [await get("now"), 404, "Version not found."],
      [await get(`${unknown}/graph`), 404, "Version not found."],
      [await restore("now"), 409, "The workflow is already as it was in that version."],
      [await restore(1), 409, "The workflow is already as it was in that version."],
      [await restore(1, { nodes: [] }), 400, "Choose at least one node."],
      [await restore(1, { nodes: [unknown] }), 404, "One of these nodes is not in that version. Nothing was changed."],
      [await remove("now"), 409, "Only a version with a number can be deleted. The others are removed automatically."],
      [await remove(7), 404, "Version not found."],
      [await post("1/workflow", { project_id: unknown, name: "x" }), 404, "Project not found."],
      [await get(`1/compare/now?with=${unknown}`), 404, "Workflow not found."],
    ] as const;
    for (const [answer, status, words] of refusals) {
      expect(answer.text).toMatch(words);
      expect([answer.text, answer.status]).toEqual([answer.text, status]);
    }
    expect(await readGraph(cast.owner, graph)).toEqual(before);
    expect((await list()).length).toBe(1);
  });

  it("keeps a workflow from having more than 1,000 named versions", async () => {
    const { create, made, remove, list } = versionsOf(cast.owner, graph);
    await made("First");
    await sql`insert into graph_versions (id, graph_id, number, reason, revision, node_count, edge_count, parts)
      select gen_random_uuid(), graph_id, n, 'named', 0, 0, 0, '{}' from graph_versions, generate_series(2, 1000) as n
      where graph_id = ${graph}`.execute(server.db);
    await sql`update graphs set last_version = 1000 where id = ${graph}`.execute(server.db);
    const refused = await create("One more");
    expect([refused.status, refused.text]).toEqual([
      409,
      "This workflow has as many versions as a workflow can have. Delete one first.",
    ]);
    expect((await list("?limit=1")).length).toBe(1);
    await remove(2);
    expect((await made("One more")).number).toBe(1001);
  });
});
