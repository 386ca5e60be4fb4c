import type { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type {
  Blueprint,
  OwnTemplate,
  Prefab,
  TemplateCode,
  TemplateOffer,
  TemplateUses,
  TemplateVersion,
} from "@miranda/contract/schemas/library/templates.ts";
import { type RunArgs, runArgs } from "@miranda/contract/command-args.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
/** The editor publishes from `source`, the owner uses it in `graph`. */
let source: number;
let graph: string;
let prefab: Prefab;
let linked: number;

const port = (name: string, direction: string) => ({ name, kind: "table", direction, value: null, control: null });
const ports = [port("rows", "RECEIVER"), port("out", "TRANSMITTER")];
const code = (words: string, packages = "") =>
  `${packages && `# /// script\n# dependencies = ["${packages}"]\n# ///\n`}# ${words}\n`;

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  source = (await addNode(cast.editor, graph, "Clean")).metadata_id;
  await setApi(cast.editor, source, ports, code("one"));
  prefab = (await cast.editor.post("/api/v3/prefabs", { metadata_id: source, public: true })).json<Prefab>();
  const made = await cast.owner.post(`/api/v3/objects/clone/${prefab.id}`, { project_id: graph });
  linked = made.json<ChangedNode>().metadata_id;
});

const publish = (form: Record<string, string | number | boolean>) =>
  cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { metadata_id: source, ...form });
const offer = (client: TestClient = cast.owner) => client.get(`/api/v3/objects/${linked}/update`);
const take = (version?: number) =>
  cast.owner.post(`/api/v3/objects/${linked}/update`, version === undefined ? {} : { version });
const codeOf = async () => (await readGraph(cast.owner, graph)).nodes[linked]?.source_code;

describe("what was published in private", () => {
  it("stays the owner's when the template becomes public", async () => {
    const own = (await cast.editor.post("/api/v3/prefabs", { metadata_id: source, public: false })).json<Prefab>();
    const at = `/api/v3/templates/${own.id}/versions`;
    await setApi(cast.editor, source, ports, code("without the password"));
    await cast.editor.patch(`/api/v3/prefabs/${own.id}`, { metadata_id: source });
    expect((await cast.stranger.get(at)).status).toBe(404);
    await cast.editor.patch(`/api/v3/prefabs/${own.id}`, { public: true });
    await cast.editor.patch(`/api/v3/prefabs/${own.id}`, { metadata_id: source });
    const versions = async (client: TestClient) =>
      (await client.get(at)).json<TemplateVersion[]>().map(({ version }) => version);
    expect([await versions(cast.editor), await versions(cast.stranger)]).toEqual([
      [3, 2, 1],
      [3, 2],
    ]);
    expect((await cast.stranger.get(`${at}/1`)).status).toBe(404);
    expect((await cast.stranger.get(`${at}/2`)).json<TemplateCode>().nodes[0]?.source_code).toContain("without");
    expect((await cast.editor.get(`${at}/1`)).json<TemplateCode>().nodes[0]?.source_code).toContain("one");
  });
});

describe("a newer version", () => {
  it("is published with a line about it; people who use the template see the line, the code and what is new", async () => {
    await setApi(cast.editor, source, ports, code("two"));
    expect((await publish({ changes: "Faster.", base_version: 1 })).json<Prefab>().version).toBe(2);
    await setApi(cast.editor, source, ports, code("three"));
    expect((await publish({})).json<Prefab>().version).toBe(3);
    const found = (await offer()).json<TemplateOffer>();
    expect(found).toMatchObject({ version: 3, source_code: code("three"), lost_ports: [], package_conflicts: [] });
    expect(found.changes.map(({ version, changes, by }) => [version, changes, by])).toEqual([
      [3, "", "editor"],
      [2, "Faster.", "editor"],
    ]);
    const all = (await cast.stranger.get(`/api/v3/templates/${prefab.id}/versions`)).json<TemplateVersion[]>();
    expect(all.map(({ version }) => version)).toEqual([3, 2, 1]);
    const old = await cast.stranger.get(`/api/v3/templates/${prefab.id}/versions/1`);
    expect(old.json<TemplateCode>()).toEqual({ nodes: [{ ref: "0", name: "Clean", source_code: code("one") }] });
    const none = await cast.stranger.get(`/api/v3/templates/${prefab.id}/versions/9`);
    expect([none.status, none.text]).toEqual([404, "There is no such version of this template."]);
    expect((await take(3)).json<ChangedNode>().source_code).toBe(code("three"));
    expect((await offer()).text).toBe("The template of this node has nothing newer.");
  });

  it("is refused when another version was published since, and that one stays", async () => {
    await setApi(cast.editor, source, ports, code("two"));
    const answers = await Promise.all([publish({ base_version: 1 }), publish({ base_version: 1 })]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(answers.find(({ status }) => status === 409)?.text).toBe(
      "A newer version was published meanwhile. Look at it first.",
    );
    const all = (await cast.editor.get(`/api/v3/templates/${prefab.id}/versions`)).json<TemplateVersion[]>();
    expect(all.map(({ version }) => version)).toEqual([2, 1]);
  });

  it("is not given to somebody who looked at an older version", async () => {
    await setApi(cast.editor, source, ports, code("two"));
    await publish({});
    await setApi(cast.editor, source, ports, code("three"));
    await publish({});
    const late = await take(2);
    expect([late.status, late.text]).toEqual([409, "A newer version was published meanwhile. Look at it first."]);
    expect(await codeOf()).toBe(code("one"));
  });

  it("says which used ports are gone, and which packages other nodes need in other versions", async () => {
    const other = (await addNode(cast.owner, graph, "Report")).metadata_id;
    await setApi(cast.owner, other, ports, code("report", "pandas==1.5"));
    await cast.owner.post("/api/v3/objects/edges", ends(linked, "out", other, "rows"));
    await setApi(
      cast.editor,
      source,
      [port("rows", "RECEIVER"), port("result", "TRANSMITTER")],
      code("two", "pandas==2.1"),
    );
    await publish({ changes: "New name for out." });
    expect((await offer()).json<TemplateOffer>()).toMatchObject({
      lost_ports: [{ name: "out", edges: 1 }],
      package_conflicts: [{ wanted: "pandas==2.1", present: "pandas==1.5", node: "Report" }],
    });
    expect(await codeOf()).toBe(code("one"));
  });

  it.each([
    ["a line of 10,000 letters", { changes: "x".repeat(10_000) }, "changes can have at most 500 characters."],
    ["a version that is no number", { base_version: "last" }, "base_version must be a whole number from 1 to 1000000."],
  ])("refuses %s", async (_what, form, words) => {
    const answer = await publish(form);
    expect([answer.status, answer.text]).toEqual([400, words]);
    expect((await offer()).text).toBe("The template of this node has nothing newer.");
  });
});

describe("a trial of newer code", () => {
  it("is refused for an older version, for another workflow's node, and for people who may not run", async () => {
    await setApi(cast.editor, source, ports, code("two"));
    await publish({});
    const check = async (client: TestClient, args: RunArgs) => {
      const answer = await client.post(`/api/v3/graphs/${graph}/run-check`, { args: runArgs(args) });
      return [answer.status, answer.status === 200 ? "" : answer.text];
    };
    const trial = { mode: "to", node: linked, trial: 2 } as const;
    expect(await check(cast.owner, trial)).toEqual([200, ""]);
    expect(await check(cast.owner, { ...trial, trial: 1 })).toEqual([
      ...[409, "A newer version was published meanwhile. Look at it first."],
    ]);
    expect(await check(cast.owner, { ...trial, node: source })).toEqual([
      400,
      "This node was not made from a template.",
    ]);
    const elsewhere = await buildGraph(cast, (await buildProject(cast, "Elsewhere")).id);
    const foreign = await cast.owner.post(`/api/v3/objects/clone/${prefab.id}`, { project_id: elsewhere });
    const { metadata_id: node } = foreign.json<ChangedNode>();
    expect((await check(cast.owner, { ...trial, node }))[0]).toBe(404);
    expect((await check(cast.viewer, trial))[0]).toBe(403);
    expect((await check(cast.stranger, trial))[0]).toBe(404);
    await cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { withdrawn: true });
    expect(await check(cast.owner, trial)).toEqual([
      409,
      "This template is no longer offered. The node keeps its code.",
    ]);
    expect(await codeOf()).toBe(code("one"));
  });
});

describe("a withdrawn template", () => {
  it("is not in the library, its nodes keep working, and it can be offered again", async () => {
    await setApi(cast.editor, source, ports, code("two"));
    await publish({ changes: "Two." });
    const withdraw = (withdrawn: boolean) => cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { withdrawn });
    expect((await withdraw(true)).json<Prefab>().withdrawn).toBe(true);
    const listed = async (client: TestClient) =>
      (await client.get("/api/v3/prefabs?query=clean&limit=500")).json<Prefab[]>().filter(({ id }) => id === prefab.id);
    for (const client of [cast.stranger, cast.owner, cast.editor]) expect(await listed(client)).toEqual([]);
    expect((await cast.owner.post(`/api/v3/objects/clone/${prefab.id}`, { project_id: graph })).status).toBe(404);
    expect((await cast.owner.get(`/api/v3/templates/${prefab.id}/versions`)).status).toBe(404);
    // Somebody who still has it open gets a clear answer, and loses nothing.
    const late = await take(2);
    expect([late.status, late.text]).toEqual([409, "This template is no longer offered. The node keeps its code."]);
    expect((await readGraph(cast.owner, graph)).nodes[linked]).toMatchObject({
      source_code: code("one"),
      template: { id: prefab.id },
    });
    expect((await withdraw(false)).json<Prefab>().withdrawn).toBe(false);
    expect(await listed(cast.stranger)).toHaveLength(1);
    expect((await take(2)).json<ChangedNode>().source_code).toBe(code("two"));
  });
});

describe("a person's own templates", () => {
  it("are listed with how much they are used, and in which workflows that the person may read", async () => {
    const hidden = await cast.stranger.post("/api/v3/projects/", { name: "Secret cellar" });
    const cellar = hidden.json<{ id: string }>().id;
    await cast.stranger.patch(`/api/v3/projects/${cellar}`, { visibility: "private" });
    const flow = (
      await cast.stranger.post("/api/v3/graphs/", { name: "Hidden flow", description: "", project_id: cellar })
    ).json<{ id: string }>().id;
    await cast.stranger.post(`/api/v3/objects/clone/${prefab.id}`, { project_id: flow });
    const own = (await cast.editor.get("/api/v3/templates")).json<OwnTemplate[]>();
    expect(own.find(({ id }) => id === prefab.id)).toMatchObject({
      ...{ kind: "prefab", name: "Clean", version: 1, withdrawn: false, used_by: { nodes: 2, workflows: 2 } },
    });
    const uses = await cast.editor.get(`/api/v3/templates/${prefab.id}/uses`);
    expect(uses.json<TemplateUses>()).toMatchObject({
      workflows: [{ id: graph, nodes: 1, oldest_version: 1 }],
      others: 1,
    });
    expect(uses.text).not.toMatch(/cellar|Hidden flow/);
    expect((await cast.owner.get("/api/v3/templates")).json<OwnTemplate[]>()).toEqual([]);
    expect((await cast.anonymous.get("/api/v3/templates")).status).toBe(401);
  });

  it("that are private are not shown to others", async () => {
    await cast.editor.patch(`/api/v3/prefabs/${prefab.id}`, { public: false });
    for (const part of ["versions", "versions/1", "uses"])
      expect((await cast.stranger.get(`/api/v3/templates/${prefab.id}/${part}`)).status).toBe(404);
    expect((await cast.stranger.patch(`/api/v3/prefabs/${prefab.id}`, { withdrawn: true })).status).toBe(404);
    expect((await offer(cast.stranger)).status).toBe(404);
    expect((await offer(cast.anonymous)).status).toBe(401);
  });

  it("of several nodes keep which node is which, whatever is published with them", async () => {
    const [a, b] = [
      (await addNode(cast.editor, graph, "A")).metadata_id,
      (await addNode(cast.editor, graph, "B")).metadata_id,
    ];
    await setApi(cast.editor, a, ports, code("a"));
    await setApi(cast.editor, b, ports, code("b"));
    const body = { project_id: graph, metadata_ids: [a, b], name: "Pair", public: true };
    const pair = (await cast.editor.postJson("/api/v3/blueprints", body)).json<Blueprint>();
    const use = { project_id: graph, blueprint: pair.id, position: { x: 0, y: 0 } };
    const made = (await cast.owner.postJson("/api/v3/objects/clone/blueprint", use)).json<PasteResponse>();
    const newB = Object.values(made.nodes).find(({ name }) => name === "B")?.metadata_id ?? 0;
    const c = (await addNode(cast.editor, graph, "C")).metadata_id;
    await setApi(cast.editor, b, ports, code("newer b"));
    const again = JSON.stringify({ project_id: graph, metadata_ids: [b, c], base_version: 1, changes: "Without A." });
    const newer = await cast.editor.send("PATCH", `/api/v3/blueprints/${pair.id}`, again, {
      "content-type": "application/json",
    });
    expect(newer.json<Blueprint>().version).toBe(2);
    const offered = Object.values((await readGraph(cast.owner, graph)).nodes).filter(({ update }) => update);
    expect(offered.map(({ metadata_id, update }) => [metadata_id, update?.source_code])).toEqual([
      [newB, code("newer b")],
    ]);
  });
});
