import type { ImportReport, Workflow } from "@miranda/contract/schemas/graphs.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { ProjectDetails } from "@miranda/contract/schemas/projects.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let own: Record<Exclude<Role, "anonymous">, string>;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = await buildProject(cast);
  const ownProject = async (role: Exclude<Role, "anonymous">) =>
    (await cast[role].post("/api/v3/projects/", { name: `${role}'s own` })).json<{ id: string }>().id;
  own = {
    admin: await ownProject("admin"),
    owner: await ownProject("owner"),
    editor: await ownProject("editor"),
    viewer: await ownProject("viewer"),
    stranger: await ownProject("stranger"),
  };
});
afterAll(() => server.close());

const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const file = `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="a"><data key="d0">Load</data></node><node id="b"><data key="d0">Train</data></node>
    <edge source="a" target="b"/><edge source="a" target="b"/><edge source="b" target="b"/>
  </graph></graphml>`;

async function workflowsOf(projectId: string): Promise<string[]> {
  return (await cast.admin.get(`/api/v3/projects/${projectId}`))
    .json<ProjectDetails>()
    .knowledge_objects.map((graph) => graph.name);
}

async function newHome(role: Role): Promise<string> {
  if (role === "anonymous") return project.id;
  return (await cast[role].post("/api/v3/projects/", { name: "Home" })).json<{ id: string }>().id;
}

async function privateHome(role: Role): Promise<string> {
  const id = await newHome(role);
  if (role !== "anonymous") await cast[role].patch(`/api/v3/projects/${id}`, { visibility: "private" });
  return id;
}

async function usedHome(role: Role): Promise<string> {
  const id = await newHome(role);
  if (role !== "anonymous") await cast[role].post("/api/v3/graphs/", { name: "There already", project_id: id });
  return id;
}

async function read(graph: string): Promise<GraphResponse> {
  return (await cast.owner.get(`/api/v3/graphs/${graph}/graph?include_updates=true`)).json<GraphResponse>();
}

describe("access, a test per cell", () => {
  const mayRead = { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 };
  const mayWrite = { anonymous: 401, stranger: 404, viewer: 403, editor: 200, owner: 200, admin: 200 };
  type Call = (role: Role, graph: string) => Promise<Answer>;
  const home = (role: Role) => (role === "anonymous" ? project.id : own[role]);
  const table: [string, Call, Record<Role, number>][] = [
    ["read", (role, graph) => cast[role].get(`/api/v3/graphs/${graph}/graph`), mayRead],
    ["describe", (role, graph) => cast[role].get(`/api/v3/graphs/${graph}`), mayRead],
    ["export", (role, graph) => cast[role].get(`/api/v3/graphs/${graph}/graphml`), mayRead],
    [
      "clone into an own private project",
      async (role, graph) => cast[role].post(`/api/v3/graphs/${graph}/clone`, { to_project: await privateHome(role) }),
      mayRead,
    ],
    [
      "clone into an own new project",
      async (role, graph) => cast[role].post(`/api/v3/graphs/${graph}/clone`, { to_project: await newHome(role) }),
      mayRead,
    ],
    [
      "clone into an own public project that has workflows",
      async (role, graph) => cast[role].post(`/api/v3/graphs/${graph}/clone`, { to_project: await usedHome(role) }),
      { ...mayRead, viewer: 403 },
    ],
    ["create", (role) => cast[role].post("/api/v3/graphs/", { name: "New", project_id: project.id }), mayWrite],
    ["edit", (role, graph) => cast[role].patch(`/api/v3/graphs/${graph}`, { name: "Renamed" }), mayWrite],
    [
      "move to an own project",
      (role, graph) => cast[role].patch(`/api/v3/graphs/${graph}`, { dest_parent_id: home(role) }),
      mayWrite,
    ],
    ["preview a delete", (role, graph) => cast[role].delete(`/api/v3/graphs/${graph}?preview=true`), mayWrite],
    ["delete", (role, graph) => cast[role].delete(`/api/v3/graphs/${graph}?preview=false`), mayWrite],
    ["import", (role, graph) => cast[role].post(`/api/v3/graphs/${graph}/graphml`, { body: file }), mayWrite],
    [
      "clone into the project",
      async (role) =>
        cast[role].post(`/api/v3/graphs/${await buildGraph(cast, own.owner)}/clone`, { to_project: project.id }),
      mayWrite,
    ],
  ];
  const cells = table.flatMap(([what, call, expected]) =>
    roles.map((role) => [role, what, call, expected[role]] as const),
  );
  it.each(cells)("%s: %s", async (role, _what, call, status) => {
    const graph = await buildGraph(cast, project.id);
    const answer = await call(role, graph);
    expect([answer.status, status === 200 ? "" : answer.text]).toEqual([status, status === 200 ? "" : answer.text]);
    if (status < 400) return;
    expect(Object.keys((await read(graph)).nodes)).toEqual([]);
    const { knowledge_objects } = (await cast.owner.get(`/api/v3/projects/${project.id}`)).json<ProjectDetails>();
    expect(knowledge_objects.find(({ id }) => id === graph)?.name).toBe("Flow");
  });

  it("S6-003 is viewOnly for readers alone", async () => {
    const graph = await buildGraph(cast, project.id);
    const viewOnly = async (role: Role) =>
      (await cast[role].get(`/api/v3/graphs/${graph}/graph`)).json<GraphResponse>().viewOnly;
    expect([await viewOnly("viewer"), await viewOnly("editor"), await viewOnly("owner")]).toEqual([true, false, false]);
  });

  it("is found by those who may read it", async () => {
    await buildGraph(cast, project.id, "Needle");
    const found = async (role: Role) => (await cast[role].get("/api/v3/graphs/browse?query=NEEDLE")).json<Workflow[]>();
    expect(await found("viewer")).toMatchObject([
      { name: "Needle", description: "A flow.", parent: { id: project.id, name: "Tides" } },
    ]);
    expect(await found("stranger")).toEqual([]);
    expect((await cast.viewer.get("/api/v3/graphs/browse?query=nothing like it")).json()).toEqual([]);
  });
});

describe("workflows", () => {
  it.each([
    ["no name", { name: "" }, 400, "Name is required."],
    ["a name of spaces", { name: "  " }, 400, "Name is required."],
    [
      "a description of 1 MB",
      { name: "x", description: "x".repeat(1_000_000) },
      400,
      "Description can have at most 100000 characters.",
    ],
    [
      "a project that is not there",
      { name: "x", project_id: "0190a000-0000-7000-8000-000000000000" },
      404,
      "Project not found.",
    ],
    ["a project that cannot be", { name: "x", project_id: "nonsense" }, 400, "That is not a valid id."],
  ])("refuses %s and creates nothing", async (_what, form, status, message) => {
    const before = await workflowsOf(project.id);
    const answer = await cast.owner.post("/api/v3/graphs/", {
      project_id: project.id,
      ...(form as Record<string, string>),
    });
    expect([answer.status, answer.text]).toEqual([status, message]);
    expect(await workflowsOf(project.id)).toEqual(before);
  });

  it("S7-028 moves to another project, and refuses its own and read-only ones", async () => {
    const graph = await buildGraph(cast, project.id, "Wanderer");
    const move = (to: string) => cast.editor.patch(`/api/v3/graphs/${graph}`, { name: "Wanderer", dest_parent_id: to });
    expect((await move(project.id)).text).toBe("The workflow is already in that project.");
    const refused = await move(own.owner);
    expect([refused.status, refused.text]).toEqual([
      403,
      "You may not change the project you want to move this workflow to.",
    ]);
    await cast.stranger.patch(`/api/v3/projects/${own.stranger}`, { visibility: "private" });
    expect((await move(own.stranger)).status).toBe(404);
    expect(await workflowsOf(project.id)).toContain("Wanderer");
    expect((await move(own.editor)).status).toBe(200);
    expect(await workflowsOf(project.id)).not.toContain("Wanderer");
    expect(await workflowsOf(own.editor)).toContain("Wanderer");
  });

  it("can be deleted once", async () => {
    const graph = await buildGraph(cast, project.id);
    expect((await cast.owner.delete(`/api/v3/graphs/${graph}?preview=false`)).status).toBe(200);
    const again = await cast.owner.delete(`/api/v3/graphs/${graph}?preview=false`);
    expect([again.status, again.text]).toEqual([404, "Workflow not found."]);
    expect((await cast.owner.post(`/api/v3/graphs/${graph}/graphml`, { body: file })).status).toBe(404);
  });
});

describe("GraphML", () => {
  it("S7-032 becomes named nodes and edges, with parallel edges and loops", async () => {
    const graph = await buildGraph(cast, project.id);
    const report = (await cast.owner.post(`/api/v3/graphs/${graph}/graphml`, { body: file })).json<ImportReport>();
    expect(report).toMatchObject({ nodes: 2, edges: 3 });
    const { nodes, edges } = await read(graph);
    const names = Object.fromEntries(Object.values(nodes).map((node) => [node.metadata_id, node.name]));
    expect(Object.values(names).sort()).toEqual(["Load", "Train"]);
    const shown = edges.map(
      (edge) =>
        `${names[edge.source_wob_key]}.${edge.source_transmitter_key} ${names[edge.destination_wob_key]}.${edge.destination_receiver_key}`,
    );
    expect(shown.sort()).toEqual(["Load.output Train.input", "Load.output Train.input_2", "Train.output Train.input"]);
    const train = Object.values(nodes).find((node) => node.name === "Train");
    expect(train?.class).toBe("Code_block");
    expect(train?.api.attributes.map((attribute) => attribute.name)).toEqual(
      expect.arrayContaining(["input", "input_2", "output"]),
    );
    expect(train?.source_code).toContain("class Train(Node):");
  });

  it("can be uploaded as a file in any encoding", async () => {
    const graph = await buildGraph(cast, project.id);
    const text = `<?xml version="1.0" encoding="UTF-16"?>${file.replace("Load", "Lädt ✓")}`;
    const form = new FormData();
    form.set("body", new File([new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))], "x.graphml"));
    expect((await cast.owner.send("POST", `/api/v3/graphs/${graph}/graphml`, form)).status).toBe(200);
    expect(Object.values((await read(graph)).nodes).map((node) => node.name)).toContain("Lädt ✓");
  });

  it("exported by Miranda is imported identically, with its code", async () => {
    const first = await buildGraph(cast, project.id);
    await cast.owner.post(`/api/v3/graphs/${first}/graphml`, { body: file });
    await server.db
      .updateTable("nodes")
      .set({
        source_code: 'print("]]>&<\u2028")\r\n\tpass\n',
        description: "<b>",
        tags: ["x y"],
        colour: "#00ffaa",
        field_values: JSON.stringify({ note: "set" }) as never,
      })
      .where("graph_id", "=", first)
      .execute();
    const exported = await cast.viewer.get(`/api/v3/graphs/${first}/graphml`);
    expect(exported.headers.get("content-disposition")).toContain("Flow.graphml");
    const second = await buildGraph(cast, project.id);
    const report = (
      await cast.owner.post(`/api/v3/graphs/${second}/graphml`, { body: exported.text })
    ).json<ImportReport>();
    expect(report).toMatchObject({ nodes: 2, edges: 3, notes: [] });
    expect(await comparable(second)).toEqual(await comparable(first));
  });

  it("is added below existing nodes, and wrong files change nothing", { timeout: 60_000 }, async () => {
    const graph = await buildGraph(cast, project.id);
    const add = (body: string) => cast.owner.post(`/api/v3/graphs/${graph}/graphml`, { body });
    await add(file);
    await add(file);
    const before = await read(graph);
    expect(Object.keys(before.nodes)).toHaveLength(4);
    const places = Object.values(before.nodes).map((node) => `${node.position.x} ${node.position.y}`);
    expect(new Set(places).size).toBe(4);
    for (const [body, message] of [
      ["", "Please upload a file."],
      ["not xml", "This is not an XML file"],
      ["<html></html>", "GraphML"],
      [file.slice(0, 300), "ends in the middle"],
      [`<!DOCTYPE g [<!ENTITY a "b">]>${file.replace("Load", "&a;")}`, "never resolved"],
      [`<graphml>${"<graph>".repeat(100_000)}`, "inside each other"],
    ] as const) {
      const answer = await add(body);
      expect([answer.status, answer.text.includes(message) ? message : answer.text]).toEqual([400, message]);
    }
    expect(await read(graph)).toEqual(before);
  });
});

describe("a clone", () => {
  it("S7-031 has the nodes, code, edges and positions, without values of secret controls", async () => {
    const first = await buildGraph(cast, project.id, "Original");
    await cast.owner.post(`/api/v3/graphs/${first}/graphml`, { body: file });
    const api = {
      compiled: true,
      error: null,
      disabled: false,
      attributes: [
        { name: "password", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } },
        { name: "mode", kind: "string", direction: "RECEIVER_FIELD", value: "fast", control: { type: "text" } },
      ],
    };
    await server.db
      .updateTable("nodes")
      .set({
        api: JSON.stringify(api),
        field_values: JSON.stringify({ password: "hunter2", mode: "safe" }) as never,
        git: "https://me:token@example.org/x.git",
      })
      .where("graph_id", "=", first)
      .execute();

    const forViewer = await cast.viewer.get(`/api/v3/graphs/${first}/graph`);
    expect(forViewer.text).not.toContain("hunter2");
    expect(forViewer.text).not.toContain("me:token");
    const exported = await cast.viewer.get(`/api/v3/graphs/${first}/graphml`);
    expect(exported.text).not.toContain("hunter2");
    expect(exported.text).not.toContain("me:token");

    const ids = Object.keys((await read(first)).nodes).map(Number);
    await cast.owner.postJson(`/api/v3/graphs/${first}/groups`, { name: "Both", metadata_ids: ids });

    const used = await usedHome("viewer");
    const refused = await cast.viewer.post(`/api/v3/graphs/${first}/clone`, { to_project: used });
    expect([refused.status, refused.text]).toEqual([403, "This workflow is private. Clone it into a private project."]);
    // A new project is public until something private is cloned into it.
    const mine = await newHome("viewer");
    const clone = async () =>
      (await cast.viewer.post(`/api/v3/graphs/${first}/clone`, { to_project: mine })).json<{ id: string }>().id;
    const copy = await clone();
    expect((await cast.stranger.get(`/api/v3/projects/${mine}`)).status).toBe(404);
    const cloned = await cast.viewer.get(`/api/v3/graphs/${copy}/graph`);
    expect(cloned.text).not.toContain("hunter2");
    expect(cloned.text).not.toContain("me:token");
    const { nodes, edges, viewOnly, groups } = cloned.json<GraphResponse>();
    expect(groups).toMatchObject([{ name: "Both", metadata_ids: Object.keys(nodes).map(Number) }]);
    expect({ nodes: Object.keys(nodes).length, edges: edges.length, viewOnly }).toEqual({
      nodes: 2,
      edges: 3,
      viewOnly: false,
    });
    const values = Object.values(nodes).flatMap((node) => node.api.attributes.map((attribute) => attribute.value));
    expect(values).toContain("safe");
    const originals = async () => (await workflowsOf(mine)).filter((name) => name.startsWith("Original")).sort();
    expect(await originals()).toEqual(["Original"]);
    await clone();
    expect(await originals()).toEqual(["Original", "Original (copy)"]);
  });
});

/** A graph without the numbers and times that differ in every copy. */
async function comparable(graph: string) {
  const { nodes, edges } = await read(graph);
  const list = Object.values(nodes).sort((a, b) => a.metadata_id - b.metadata_id);
  const at = new Map(list.map((node, index) => [node.metadata_id, index]));
  return {
    nodes: list.map(
      ({ id: _id, metadata_id: _number, key: _key, time_created: _made, last_updated: _changed, ...node }) => node,
    ),
    edges: edges.map((edge) => ({
      ...edge,
      source_wob_key: at.get(edge.source_wob_key),
      destination_wob_key: at.get(edge.destination_wob_key),
    })),
  };
}
