import type { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { Blueprint, Prefab, PrefabDetails } from "@miranda/contract/schemas/library/templates.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { readLibrary } from "./library.ts";
import { createTemplateQueries } from "./templates-queries.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
});

const prefabs = async (client: TestClient, query = "") =>
  (await client.get(`/api/v3/prefabs?limit=500&query=${encodeURIComponent(query)}`)).json<Prefab[]>();
const blueprints = async (client: TestClient, query = "") =>
  (await client.get(`/api/v3/blueprints?query=${encodeURIComponent(query)}`)).json<Blueprint[]>();
const publish = async (id: number, form: Record<string, string | boolean> = {}) =>
  (await cast.editor.post("/api/v3/prefabs", { metadata_id: id, ...form })).json<Prefab>();
const clone = (id: string, form: Record<string, string> = {}) =>
  cast.editor.post(`/api/v3/objects/clone/${id}`, { project_id: graph, ...form });
const field = { name: "mode", kind: "string", direction: "RECEIVER_FIELD", value: "fast", control: { type: "text" } };

describe("the library", () => {
  it("is visible to everybody signed in, searchable by name, description and tag, in pages", async () => {
    const all = await prefabs(cast.stranger);
    expect(all.length).toBeGreaterThanOrEqual(100);
    expect(all.every(({ shipped, yours, api }) => shipped && !yours && api.attributes.length > 2)).toBe(true);
    expect((await prefabs(cast.stranger, "CSV")).map(({ name }) => name)).toContain("Load CSV");
    expect((await prefabs(cast.stranger, "charts")).map(({ name }) => name)).toContain("Bar chart");
    expect(await prefabs(cast.stranger, "no such thing")).toEqual([]);
    expect((await prefabs(cast.stranger, "csv LOAD")).map(({ name }) => name)).toContain("Load CSV");
    const first = await cast.stranger.get("/api/v3/prefabs?limit=2");
    expect(first.headers.get("x-miranda-total")).toBe(String(all.length));
    const last = first.json<Prefab[]>().at(-1);
    const key = new URLSearchParams({ limit: "2", after: last?.id ?? "", after_name: last?.name ?? "" });
    const page = (await cast.stranger.get(`/api/v3/prefabs?${key.toString()}`)).json<Prefab[]>();
    expect(page.map(({ id }) => id)).toEqual(all.slice(2, 4).map(({ id }) => id));
    expect((await blueprints(cast.stranger, "classifier")).map(({ name }) => name)).toContain(
      "Train and evaluate a classifier",
    );
    expect((await cast.anonymous.get("/api/v3/prefabs")).status).toBe(401);
  });

  it.each([
    ["a page of a million", "limit=1000000", "limit must be a whole number from 1 to 500."],
    ["a key that is no id", "after=x&after_name=Load", "That is not a valid id."],
    ["a search for 10,000 letters", `query=${"x".repeat(10_000)}`, "Query can have at most 200 characters."],
  ])("refuses %s", async (_what, query, words) => {
    for (const shelf of ["prefabs", "blueprints"]) {
      const answer = await cast.stranger.get(`/api/v3/${shelf}?${query}`);
      expect([answer.status, answer.text]).toEqual([400, words]);
    }
  });

  it("goes on after a prefab that was removed meanwhile, and finds % as it is written", async () => {
    const all = await prefabs(cast.stranger);
    const key = new URLSearchParams({
      limit: "500",
      after: "0190a000-0000-7000-8000-000000000000",
      after_name: all[4]?.name ?? "",
    });
    const rest = (await cast.stranger.get(`/api/v3/prefabs?${key.toString()}`)).json<Prefab[]>();
    expect(rest.at(-1)?.id).toBe(all.at(-1)?.id);
    expect((await prefabs(cast.stranger, "%")).every((one) => JSON.stringify(one).includes("%"))).toBe(true);
  });

  it("belongs to nobody: not even an admin can change it", async () => {
    const [one] = await prefabs(cast.admin, "csv");
    const refused = [
      await cast.admin.patch(`/api/v3/prefabs/${one?.id}`, { name: "X" }),
      await cast.admin.delete(`/api/v3/prefabs/${one?.id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  });

  it("is updated once at start, with a new version only for what changed", async () => {
    const queries = createTemplateQueries(server.db);
    const versions = async () =>
      (await server.db.selectFrom("templates").select(["library_key", "version", "id"]).execute()).sort((one, other) =>
        (one.library_key ?? "") < (other.library_key ?? "") ? -1 : 1,
      );
    const before = await versions();
    const library = readLibrary().map((one, at) => ({
      ...one,
      id: `0190a000-0000-7000-8000-${String(at).padStart(12, "0")}`,
    }));
    await queries.seed(library);
    expect(await versions()).toEqual(before);
    const newer = library.map((one) => (one.library_key === "prefab:delay" ? { ...one, description: "New." } : one));
    await Promise.all([queries.seed(newer), queries.seed(newer)]);
    const changed = (await versions()).filter(({ version }, at) => version !== before[at]?.version);
    expect(changed).toMatchObject([{ library_key: "prefab:delay", version: 2 }]);
    await queries.seed(library);
  });
});

describe("a prefab", () => {
  it("S7-051 becomes a node with its code, at its position, linked or detached", async () => {
    const csv = (await prefabs(cast.editor, "Load CSV")).find(({ name }) => name === "Load CSV");
    const details = (await cast.editor.get(`/api/v3/prefabs/${csv?.id}`)).json<PrefabDetails>();
    const node = (await clone(csv?.id ?? "", { position: '{"x":5,"y":6}' })).json<ChangedNode>();
    expect(node).toMatchObject({ name: "Load CSV", class: "Code_block", update_policy: "linked", revision: 1 });
    expect(node.source_code).toBe(details.source_code);
    const stored = (await readGraph(cast.owner, graph)).nodes[node.metadata_id];
    expect(stored?.position).toEqual({ x: 5, y: 6 });
    const detached = (await clone(csv?.id ?? "", { update_policy: "detached" })).json<ChangedNode>();
    expect(detached.update_policy).toBe("detached");
  });

  it.each([
    ["not there", "0190a000-0000-7000-8000-000000000000", {}, 404, "Prefab not found."],
    ["impossible", "nonsense", {}, 404, "Not found."],
    ["cloned by no known policy", "", { update_policy: "magic" }, 400, "update_policy must be linked or detached."],
  ])("that is %s is refused", async (_what, id, form, status, words) => {
    const [csv] = await prefabs(cast.editor, "csv");
    const answer = await clone(id || (csv?.id ?? ""), form);
    expect([answer.status, answer.text]).toEqual([status, words]);
  });

  const roles: [Role, number][] = [
    ["anonymous", 401],
    ["stranger", 404],
    ["viewer", 403],
    ["editor", 200],
    ["owner", 200],
    ["admin", 200],
  ];
  it.each(roles)("and a blueprint, cloned by %s: %d", async (role, status) => {
    const [prefab] = await prefabs(cast.owner, "csv");
    const [blueprint] = await blueprints(cast.owner);
    const one = await cast[role].post(`/api/v3/objects/clone/${prefab?.id}`, { project_id: graph });
    const other = await cast[role].post("/api/v3/objects/clone/blueprint", {
      project_id: graph,
      blueprint: blueprint?.id ?? "",
      position: '{"x":0,"y":0}',
    });
    expect([one.status, other.status]).toEqual([status, status]);
    const { nodes } = await readGraph(cast.owner, graph);
    expect(Object.keys(nodes).length > 0).toBe(status === 200);
  });

  it("published from a private project is visible to its publisher alone by default", async () => {
    const node = await addNode(cast.owner, graph, "Mine");
    await setApi(cast.owner, node.metadata_id, [field, { ...field, name: "key", control: { type: "secret" } }]);
    await cast.owner.patch(`/api/v3/objects/${node.metadata_id}/attributes/key`, { attribute_value: "hunter2" });
    await cast.owner.patch(`/api/v3/objects/${node.metadata_id}`, { git: "https://me:hunter3@example.org/x" });
    const closed = await publish(node.metadata_id);
    expect(closed).toMatchObject({ name: "Mine", yours: true, public: false, version: 1 });
    expect((await prefabs(cast.editor, "Mine")).map(({ id }) => id)).toEqual([closed.id]);
    expect(await prefabs(cast.owner, "Mine")).toEqual([]);
    expect((await cast.owner.get(`/api/v3/prefabs/${closed.id}`)).status).toBe(404);
    expect((await cast.owner.post(`/api/v3/objects/clone/${closed.id}`, { project_id: graph })).status).toBe(404);
    const open = await publish(node.metadata_id, { public: true, name: "Ours" });
    const shown = await cast.stranger.get(`/api/v3/prefabs/${open.id}`);
    expect(shown.json<Prefab>()).toMatchObject({ name: "Ours", public: true, yours: false });
    const copy = await clone(open.id);
    expect(shown.text + copy.text).not.toContain("hunter");
    expect((await cast.stranger.patch(`/api/v3/prefabs/${open.id}`, { name: "X" })).status).toBe(403);
    expect((await cast.stranger.delete(`/api/v3/prefabs/${open.id}`)).status).toBe(403);
    expect((await cast.editor.delete(`/api/v3/prefabs/${open.id}`)).status).toBe(200);
    expect((await readGraph(cast.owner, graph)).nodes[copy.json<ChangedNode>().metadata_id]?.name).toBe("Mine");
  });

  it("with newer code is offered to linked nodes; taking it keeps set values", async () => {
    const source = await addNode(cast.owner, graph, "Source");
    await setApi(cast.owner, source.metadata_id, [field], "one\n");
    const prefab = await publish(source.metadata_id);
    const linked = (await clone(prefab.id)).json<ChangedNode>().metadata_id;
    const detached = (await clone(prefab.id, { update_policy: "detached" })).json<ChangedNode>().metadata_id;
    await cast.owner.patch(`/api/v3/objects/${linked}/attributes/mode`, { attribute_value: "safe" });
    const early = await cast.editor.post(`/api/v3/objects/${linked}/update`);
    expect([early.status, early.text]).toEqual([409, "The template of this node has nothing newer."]);
    await setApi(cast.owner, source.metadata_id, [field, { ...field, name: "more" }], "two\n");
    const renewed = await cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { metadata_id: source.metadata_id });
    expect(renewed.json<Prefab>().version).toBe(2);

    const { nodes } = await readGraph(cast.editor, graph);
    expect(nodes[linked]?.update?.source_code).toBe("two\n");
    expect(nodes[detached]).not.toHaveProperty("update");
    const plain = (await cast.editor.get(`/api/v3/graphs/${graph}/graph`)).text;
    expect(plain).not.toContain('"update":');
    expect((await cast.viewer.post(`/api/v3/objects/${linked}/update`)).status).toBe(403);
    expect((await cast.editor.post(`/api/v3/objects/${detached}/update`)).status).toBe(409);
    const taken = (await cast.editor.post(`/api/v3/objects/${linked}/update`)).json<ChangedNode>();
    expect(taken.source_code).toBe("two\n");
    expect(taken.api.attributes.map(({ name, value }) => `${name} ${String(value)}`).slice(0, 2)).toEqual([
      "mode safe",
      "more fast",
    ]);
    expect((await readGraph(cast.editor, graph)).nodes[linked]).not.toHaveProperty("update");
    const own = await cast.editor.post(`/api/v3/objects/${source.metadata_id}/update`);
    expect([own.status, own.text]).toEqual([400, "This node was not made from a template."]);
  });
});

describe("a linked node", () => {
  const newer = async (prefab: Prefab, source: number) => {
    await setApi(cast.owner, source, [field], "newer\n");
    await cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { metadata_id: source });
  };

  async function linkedNode(form: Record<string, string | boolean>) {
    const source = (await addNode(cast.owner, graph, "Source")).metadata_id;
    await setApi(cast.owner, source, [field], "one\n");
    const prefab = await publish(source, form);
    const id = (await clone(prefab.id)).json<ChangedNode>().metadata_id;
    const node = (await readGraph(cast.owner, graph)).nodes[id];
    if (!node) throw new Error("it was not made");
    return { source, prefab, node };
  }

  const paste = (client: TestClient, node: object, into = graph) =>
    client.postJson(`/api/v3/graphs/${into}/paste`, { nodes: [node] });

  it("is offered newer code of a private template only to people who may read it", async () => {
    const { source, prefab, node } = await linkedNode({});
    await newer(prefab, source);
    const offered = async (role: Role) => (await readGraph(cast[role], graph)).nodes[node.metadata_id]?.update;
    const take = (role: Role) => cast[role].post(`/api/v3/objects/${node.metadata_id}/update`);
    for (const role of ["viewer", "owner"] as const) expect([role, await offered(role)]).toEqual([role, undefined]);
    for (const role of ["editor", "admin"] as const)
      expect([role, (await offered(role))?.source_code]).toEqual([role, "newer\n"]);
    const refused = await take("owner");
    expect([refused.status, refused.text]).toEqual([409, "The template of this node has nothing newer."]);
    expect((await readGraph(cast.owner, graph)).nodes[node.metadata_id]?.source_code).toBe("one\n");
    await cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { public: true });
    expect((await offered("viewer"))?.source_code).toBe("newer\n");
    expect((await take("owner")).json<ChangedNode>().source_code).toBe("newer\n");
  });

  it("loses its link in a clone by a person who may not read the template, and keeps its code", async () => {
    const { source, prefab, node } = await linkedNode({});
    const { id: mine } = await buildProject(cast, "Copies");
    const copyOf = async (client: TestClient) => {
      const copy = (await client.post(`/api/v3/graphs/${graph}/clone`, { to_project: mine })).json<{ id: string }>();
      const found = Object.values((await readGraph(client, copy.id)).nodes);
      return { id: copy.id, node: found.find(({ source_code, id }) => source_code === "one\n" && id !== node.id) };
    };
    await setApi(cast.owner, source, [field], "other\n");
    const [owners, editors] = [await copyOf(cast.owner), await copyOf(cast.editor)];
    expect(owners.node).toMatchObject({ update_policy: null, source_code: "one\n" });
    expect(owners.node).not.toHaveProperty("template");
    expect(editors.node).toMatchObject({ update_policy: "linked", template: node.template });
    await newer(prefab, source);
    expect((await cast.admin.get(`/api/v3/graphs/${owners.id}/graph?include_updates=true`)).text).not.toContain(
      "newer",
    );
    expect((await cast.editor.get(`/api/v3/graphs/${editors.id}/graph?include_updates=true`)).text).toContain("newer");
    expect((await cast.owner.get(`/api/v3/graphs/${editors.id}/graph?include_updates=true`)).text).not.toContain(
      "newer",
    );
  });

  it("keeps its link in a copy where its template may be read, and is offered newer code", async () => {
    const { source, prefab, node } = await linkedNode({ public: true });
    expect(node.template).toEqual({ id: prefab.id, ref: "0", version: 1 });
    const [mine, own] = [await buildProject(cast, "Mine"), await paste(cast.owner, node)];
    const elsewhere = await buildGraph(cast, mine.id);
    const other = await paste(cast.owner, { ...node, update_policy: "detached" }, elsewhere);
    const [copy, detached] = [own.json<PasteResponse>(), other.json<PasteResponse>()];
    expect([copy.detached, detached.detached]).toEqual([[], []]);
    expect(Object.values(copy.nodes)[0]).toMatchObject({ update_policy: "linked", template: node.template });
    expect(Object.values(detached.nodes)[0]).toMatchObject({ update_policy: "detached", template: node.template });
    await newer(prefab, source);
    const after = (await readGraph(cast.owner, graph)).nodes[Object.values(copy.ids)[0] ?? 0];
    expect(after?.update?.source_code).toBe("newer\n");
  });

  it("loses its link in a copy where it may not, with a note, whatever it claims", async () => {
    const { source, prefab, node } = await linkedNode({});
    const answer = (await paste(cast.owner, node)).json<PasteResponse>();
    const id = Object.values(answer.ids)[0] ?? 0;
    expect(answer.detached).toEqual([id]);
    expect(answer.nodes[id]).toMatchObject({ update_policy: null, source_code: "one\n" });
    expect(answer.nodes[id]).not.toHaveProperty("template");
    await newer(prefab, source);
    expect((await readGraph(cast.owner, graph)).nodes[id]).not.toHaveProperty("update");
    // Its publisher may.
    expect((await paste(cast.editor, node)).json<PasteResponse>().detached).toEqual([]);
    const nowhere = { ...node, template: { ...node.template, id: "0190a000-0000-7000-8000-000000000000" } };
    expect((await paste(cast.editor, nowhere)).json<PasteResponse>().detached).toHaveLength(1);
    const noSuchPart = { ...node, template: { ...node.template, ref: "7" } };
    expect((await paste(cast.editor, noSuchPart)).json<PasteResponse>().detached).toHaveLength(1);
    const ahead = { ...node, template: { ...node.template, version: 99 } };
    const [clamped] = Object.values((await paste(cast.editor, ahead)).json<PasteResponse>().nodes);
    expect(clamped?.template?.version).toBe(2);
    const wrong = await paste(cast.editor, { ...node, template: { id: "x", ref: "0", version: 1 } });
    expect([wrong.status, wrong.text]).toEqual([400, "That is not a valid id."]);
  });
});

describe("a blueprint", () => {
  it("S7-053 S3-027 becomes its nodes and edges, at its position", async () => {
    const [classifier] = await blueprints(cast.editor, "Train and evaluate");
    const answer = await cast.editor.post("/api/v3/objects/clone/blueprint", {
      project_id: graph,
      blueprint: classifier?.id ?? "",
      position: '{"x":1000,"y":500}',
      update_policy: "linked",
    });
    const made = answer.json<PasteResponse>();
    expect(Object.keys(made)).toEqual(expect.arrayContaining(["nodes", "edges", "node_positions", "edge_segments"]));
    const stored = await readGraph(cast.owner, graph);
    expect(stored.nodes).toEqual(made.nodes);
    expect([Object.keys(made.nodes).length, made.edges.length]).toEqual([
      classifier?.node_count,
      classifier?.edge_count,
    ]);
    const places = Object.values(made.node_positions);
    expect([Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))]).toEqual([1000, 500]);
  });

  it("published from a selection has its inner edges and groups, and offers updates to its copies", async () => {
    const ids: number[] = [];
    for (const name of ["A", "B", "C"]) ids.push((await addNode(cast.owner, graph, name)).metadata_id);
    const [a = 0, b = 0, c = 0] = ids;
    await cast.owner.post("/api/v3/objects/edges", ends(a, "output", b, "input"));
    await cast.owner.post("/api/v3/objects/edges", ends(b, "output", c, "input"));
    const frame = (name: string, metadata_ids: number[]) =>
      cast.owner.postJson(`/api/v3/graphs/${graph}/groups`, { name, colour: "#112233", collapsed: true, metadata_ids });
    await frame("Whole", [b]);
    await frame("Most of it", [a, b, c]);
    await frame("One of two", [b, c]);
    const body = { project_id: graph, metadata_ids: [a, b], name: "Pair", tags: ["two"], public: true };
    const pair = (await cast.editor.postJson("/api/v3/blueprints", body)).json<Blueprint>();
    expect(pair).toMatchObject({ name: "Pair", node_count: 2, edge_count: 1, yours: true, tags: ["two"] });
    const use = { project_id: graph, blueprint: pair.id, position: { x: 0, y: 0 } };
    const made = (await cast.owner.postJson("/api/v3/objects/clone/blueprint", use)).json<PasteResponse>();
    expect([Object.keys(made.nodes).length, made.edges.length]).toEqual([2, 1]);
    const [newA, newB] = Object.keys(made.nodes).map(Number);
    const look = { colour: "#112233", collapsed: true };
    expect(made.groups.map(({ id: _id, ...group }) => group).toSorted((x, y) => x.name.localeCompare(y.name))).toEqual([
      { name: "Most of it", ...look, metadata_ids: [newA, newB] },
      { name: "Whole", ...look, metadata_ids: [newB] },
    ]);
    expect((await readGraph(cast.owner, graph)).groups).toEqual(expect.arrayContaining(made.groups));
    await setApi(cast.owner, b, [], "newer\n");
    const again = { project_id: graph, metadata_ids: [a, b] };
    const patched = await cast.editor.send("PATCH", `/api/v3/blueprints/${pair.id}`, JSON.stringify(again), {
      "content-type": "application/json",
    });
    expect(patched.json<Blueprint>().version).toBe(2);
    const offered = Object.values((await readGraph(cast.owner, graph)).nodes).filter(({ update }) => update);
    expect(offered.map(({ name, update }) => `${name} ${update?.source_code}`)).toEqual(["B newer\n"]);
    const none = await cast.editor.postJson("/api/v3/blueprints", { ...body, metadata_ids: [999_999] });
    expect(none.text).toBe("Choose at least one node.");
    expect((await cast.editor.delete(`/api/v3/blueprints/${pair.id}`)).status).toBe(200);
    expect((await cast.owner.postJson("/api/v3/objects/clone/blueprint", use)).text).toBe("Blueprint not found.");
  });

  it("of 5,000 nodes is published and cloned whole", async () => {
    const nodes = Array.from({ length: 5_000 }, (_, key) => ({
      key,
      class: "Code_block",
      name: `N${key}`,
      position: { x: key, y: 0 },
      source_code: "pass\n",
    }));
    const pasted = (await cast.editor.postJson(`/api/v3/graphs/${graph}/paste`, { nodes })).json<PasteResponse>();
    const body = { project_id: graph, metadata_ids: Object.values(pasted.ids), name: "Large" };
    const large = (await cast.editor.postJson("/api/v3/blueprints", body)).json<Blueprint>();
    expect(large.node_count).toBe(5_000);
    graph = await buildGraph(cast, project.id);
    const use = { project_id: graph, blueprint: large.id, position: { x: 0, y: 0 } };
    expect((await cast.editor.postJson("/api/v3/objects/clone/blueprint", use)).status).toBe(200);
    expect(Object.keys((await readGraph(cast.owner, graph)).nodes)).toHaveLength(5_000);
  });
});
