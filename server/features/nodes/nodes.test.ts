import { setTimeout as sleep } from "node:timers/promises";
import type { ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});
afterAll(() => server.close());

const read = async (id: number): Promise<Node> => (await cast.owner.get(`/api/v3/objects/${id}`)).json<Node>();

describe("the graph call", () => {
  it("S7-033 answers nodes, edges and viewOnly, with and without include_updates", async () => {
    const node = await addNode(cast.owner, graph, "Read me");
    for (const query of ["?include_updates=true", ""]) {
      const answer = await cast.viewer.get(`/api/v3/graphs/${graph}/graph${query}`);
      expect(answer.status).toBe(200);
      const body = answer.json<Record<string, unknown>>();
      expect(body).toMatchObject({ nodes: { [node.metadata_id]: { name: "Read me" } }, edges: [], viewOnly: true });
    }
    const own = (await cast.owner.get(`/api/v3/graphs/${graph}/graph?include_updates=true`)).json<{
      viewOnly: boolean;
    }>();
    expect(own.viewOnly).toBe(false);
  });
});

describe("a new node", () => {
  it("S7-037 S7-038 S7-039 S3-011 is a code block named 'New Node' with valid code, its fields all there", async () => {
    const answer = await cast.editor.post("/api/v3/objects", { project_id: graph });
    const { metadata_id } = answer.json<ChangedNode>();
    expect(answer.status).toBe(200);
    const node = (await readGraph(cast.owner, graph)).nodes[metadata_id];
    expect(Object.keys(node ?? {}).sort()).toEqual(
      [
        "id",
        "metadata_id",
        "key",
        "class",
        "name",
        "description",
        "order",
        "position",
        "colour",
        "api",
        "body",
        "source_code",
        "locked",
        "git",
        "git_branch",
        "time_created",
        "last_updated",
        "last_used",
        "status",
        "update_policy",
        "tags",
      ].sort(),
    );
    expect(node).toMatchObject({ name: "New Node", class: "Code_block", key: metadata_id, metadata_id, locked: false });
    expect(node?.source_code).toContain("class NewNode(Node):");
    expect(node?.api).toMatchObject({ compiled: true, error: null, disabled: false });
    expect(node?.api.attributes.map(({ name, direction }) => `${name} ${direction}`)).toEqual([
      "input RECEIVER",
      "output TRANSMITTER",
      "compute RECEIVER_FIELD",
      "storage RECEIVER_FIELD",
    ]);
    const stored = await server.db
      .selectFrom("nodes")
      .select("updated_by")
      .where("metadata_id", "=", metadata_id)
      .executeTakeFirst();
    expect(stored?.updated_by).toBe(cast.editor.account.id);
  });

  it("S7-037 gets code that declares the attributes of its api", async () => {
    const node = await addNode(cast.owner, graph, "2 dürre Wölfe 🐺");
    const answer = await cast.owner.put(`/api/v3/objects/${node.metadata_id}/api`, { source_code: node.source_code });
    expect(answer.json<Node>().api).toEqual(node.api);
  });

  it.each([
    ["CODE_BLOCK", "Code_block", null],
    ["COMPUTE_POLICY", "compute_policy", { cpu: 1, ram_gb: 2, gpu: 0, image: "", max_minutes: 60 }],
    ["STORAGE_POLICY", "storage_policy", { type: "volume", name: "data" }],
  ])("S3-012 S7-036 of type %s has the class %s and is read by it", async (type, kind, body) => {
    const { metadata_id } = await addNode(cast.owner, graph, "Typed", type);
    const answer = await cast.owner.get(`/api/v3/objects/${metadata_id}?wob_type=${kind}`);
    expect(answer.json<Node>()).toMatchObject({ class: kind, body });
    const other = kind === "Code_block" ? "compute_policy" : "Code_block";
    expect((await cast.owner.get(`/api/v3/objects/${metadata_id}?wob_type=${other}`)).status).toBe(404);
  });

  it("a policy has one TRANSMITTER_FIELD and no code", async () => {
    const { metadata_id, api, source_code } = await addNode(cast.owner, graph, "Big", "COMPUTE_POLICY");
    expect(api.attributes).toMatchObject([{ name: "compute", direction: "TRANSMITTER_FIELD", kind: "compute_policy" }]);
    expect(source_code).toBe("");
    const answer = await cast.owner.put(`/api/v3/objects/${metadata_id}/api`, { source_code: "x" });
    expect([answer.status, answer.text]).toEqual([400, "Only a code block has code."]);
  });

  const name = "ab".repeat(100);
  it.each([
    ["emoji and right-to-left text", "👩‍🚀 שלום عالم", 200, ""],
    ["200 characters", name, 200, ""],
    ["10,000 characters", "x".repeat(10_000), 400, "Name can have at most 200 characters."],
    ["nothing", "", 400, "Name is required."],
    ["half of a surrogate pair", "\ud83d", 200, ""],
    ["a null character", "a\u0000b", 400, "Name contains a character that cannot be stored."],
  ])("whose name is %s", async (_what, name, status, words) => {
    const answer = await cast.owner.send("POST", "/api/v3/objects", JSON.stringify({ name, project_id: graph }), {
      "content-type": "application/json",
    });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.text).toBe(words);
    else expect((await read(answer.json<Node>().metadata_id)).name).toBe(name.toWellFormed());
  });

  it.each([
    ["no workflow", {}, "That is not a valid id."],
    ["an impossible one", { project_id: "nonsense" }, "That is not a valid id."],
    ["a position of 1e300", { position: '{"x":1e300,"y":0}' }, "Position must be two numbers"],
    ["a position that is NaN", { position: '{"x":NaN,"y":0}' }, "Position must be two numbers"],
    ["an unknown type", { wob_type: "DRAGON" }, "wob_type must be"],
  ])("with %s is refused", async (_what, given, words) => {
    const { wob_type, ...form } = { wob_type: "CODE_BLOCK", ...(given as Record<string, string>) };
    const body = "project_id" in form || Object.keys(given).length === 0 ? form : { ...form, project_id: graph };
    const answer = await cast.owner.post(`/api/v3/objects?wob_type=${wob_type}`, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });

  it("is refused in a workflow that was just deleted, like every other change there", async () => {
    const gone = await buildGraph(cast, (await buildProject(cast)).id);
    const { metadata_id } = await addNode(cast.owner, gone);
    await cast.owner.delete(`/api/v3/graphs/${gone}?preview=false`);
    const refused = await Promise.all([
      cast.owner.post("/api/v3/objects", { project_id: gone }),
      cast.owner.patch(`/api/v3/objects/${metadata_id}`, { name: "x" }),
      cast.owner.put(`/api/v3/designer/${gone}/nodes/${metadata_id}`, { position: '{"x":1,"y":1}' }),
      cast.owner.post(`/api/v3/graphs/${gone}/positions`, { positions: "{}" }),
      cast.owner.delete(`/api/v3/objects/${metadata_id}`),
    ]);
    expect(refused.map(({ status, text }) => `${status} ${text}`)).toEqual([
      "404 Workflow not found.",
      "404 Node not found.",
      "404 Workflow not found.",
      "404 Workflow not found.",
      "404 Node not found.",
    ]);
  });
});

describe("changing a node", () => {
  it("S7-040 stores its position, in its own workflow only", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const put = (where: string, position: string) =>
      cast.editor.put(`/api/v3/designer/${where}/nodes/${metadata_id}`, { position });
    expect((await put(graph, '{"x":12.5,"y":-7}')).status).toBe(200);
    expect((await readGraph(cast.owner, graph)).nodes[metadata_id]?.position).toEqual({ x: 12.5, y: -7 });
    const other = await buildGraph(cast, (await buildProject(cast)).id);
    expect((await put(other, '{"x":0,"y":0}')).status).toBe(404);
    for (const bad of ['{"x":1e300,"y":0}', '{"x":NaN,"y":0}', '{"x":"1"}', "nonsense", "[]"]) {
      expect((await put(graph, bad)).status).toBe(400);
    }
    expect((await read(metadata_id)).position).toEqual({ x: 12.5, y: -7 });
  });

  it("refuses to move a node that somebody deletes in that moment, and counts no revision", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const { revision } = await readGraph(cast.owner, graph);
    const moving = await server.db.transaction().execute(async (trx) => {
      await trx.selectFrom("graphs").select("id").where("id", "=", graph).forUpdate().execute();
      const answer = cast.editor.put(`/api/v3/designer/${graph}/nodes/${metadata_id}`, { position: '{"x":1,"y":1}' });
      // It has read the node, and waits for the workflow.
      await sleep(300);
      await trx.deleteFrom("nodes").where("metadata_id", "=", metadata_id).execute();
      return { answer };
    });
    const { status, text } = await moving.answer;
    expect(`${status} ${text}`).toBe("404 Node not found.");
    expect((await readGraph(cast.owner, graph)).revision).toBe(revision);
  });

  it("S7-041 S7-043 renames, redescribes, colours and reorders it", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const answer = await cast.editor.patch(`/api/v3/objects/${metadata_id}`, {
      name: "Train",
      description: "Fits **it**.",
      colour: "#AABBCC",
      order: 4,
      git: "https://me:token@example.org/x.git#a.py",
      git_branch: "main",
    });
    expect(answer.json<Node>()).toMatchObject({ name: "Train", description: "Fits **it**." });
    const node = await read(metadata_id);
    expect(node).toMatchObject({ name: "Train", description: "Fits **it**.", colour: "#aabbcc", order: 4 });
    expect(node).toMatchObject({ git: "https://example.org/x.git#a.py", git_branch: "main" });
    await cast.editor.patch(`/api/v3/objects/${metadata_id}`, { colour: "", git: "" });
    expect(await read(metadata_id)).toMatchObject({ colour: null, git: null, name: "Train" });
  });

  it.each([
    [{ name: "" }, "Name is required."],
    [{ name: "x".repeat(10_000) }, "Name can have at most 200 characters."],
    [{ colour: "red" }, "A colour is written #rrggbb."],
    [{ git: "file:///etc/passwd" }, "A git repository has an https or ssh address."],
    [{ locked: "perhaps" }, "locked must be true or false."],
    [{ body: '{"cpu":1}' }, "A code block has no body."],
    [{ update_policy: "linked" }, "This node was not made from a template."],
  ])("refuses %j", async (form, words) => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const answer = await cast.owner.patch(`/api/v3/objects/${metadata_id}`, form);
    expect([answer.status, answer.text]).toEqual([400, words]);
    expect((await read(metadata_id)).name).toBe("New Node");
  });

  it("S7-042 changes a compute policy by its id, field by field", async () => {
    const policy = await addNode(cast.owner, graph, "Big", "COMPUTE_POLICY");
    const patch = (id: string, form: Record<string, string | number>) =>
      cast.owner.patch(`/api/v3/compute_policies/${id}`, form);
    expect((await patch(policy.id, { cpu: "4", max_minutes: 30, name: "Bigger" })).status).toBe(200);
    expect((await patch(policy.id, { body: '{"ram_gb": 8}' })).status).toBe(200);
    expect(await read(policy.metadata_id)).toMatchObject({
      name: "Bigger",
      body: { cpu: 4, ram_gb: 8, gpu: 0, image: "", max_minutes: 30 },
    });
    const refused = await patch(policy.id, { cpu: "1e9" });
    expect([refused.status, refused.text]).toEqual([400, "CPU must be a number from 0.1 to 256."]);
    const code = await addNode(cast.owner, graph);
    expect((await patch(code.id, { cpu: 1 })).text).toBe("That node is not a compute policy.");
    const storage = await addNode(cast.owner, graph, "Bucket", "STORAGE_POLICY");
    const s3 = { body: JSON.stringify({ type: "s3", bucket: "my-data" }) };
    expect((await cast.owner.patch(`/api/v3/objects/${storage.metadata_id}`, s3)).status).toBe(200);
    const saved = { type: "s3", bucket: "my-data", prefix: "", access_key_secret: "" };
    expect((await read(storage.metadata_id)).body).toMatchObject(saved);
    const bad = { body: JSON.stringify({ bucket: "my-other", endpoint: "ftp://files" }) };
    const refusal = await cast.owner.patch(`/api/v3/objects/${storage.metadata_id}`, bad);
    expect(refusal.status).toBe(400);
    expect(refusal.text).toContain("An endpoint is an http or https address");
    expect((await read(storage.metadata_id)).body).toMatchObject(saved);
    const named = { body: JSON.stringify({ access_key_secret: "KEY" }) };
    const cleared = { body: JSON.stringify({ access_key_secret: "" }) };
    for (const form of [named, cleared])
      expect((await cast.owner.patch(`/api/v3/objects/${storage.metadata_id}`, form)).status).toBe(200);
    expect((await read(storage.metadata_id)).body).toMatchObject(saved);
  });

  it("S7-048 disables and enables it", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    for (const disabled of [true, false]) {
      const answer = await cast.editor.patch(`/api/v3/objects/${metadata_id}/api`, {
        api: JSON.stringify({ disabled }),
      });
      expect(answer.status).toBe(200);
      expect((await read(metadata_id)).api.disabled).toBe(disabled);
    }
    const refused = await cast.editor.patch(`/api/v3/objects/${metadata_id}/api`, { api: "{" });
    expect([refused.status, refused.text]).toEqual([400, "Invalid JSON"]);
  });

  it("S7-054 S7-055 S3-013 tags and untags it", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const path = `/api/v3/objects/${metadata_id}/tags`;
    for (const tag of ["slow", "ours", "slow"]) expect((await cast.editor.post(path, { tag })).status).toBe(200);
    expect((await read(metadata_id)).tags).toEqual({ tags: ["ours", "slow"], user_ids: [cast.editor.account.id] });
    await cast.owner.delete(path, { tag: "ours" });
    expect((await read(metadata_id)).tags.tags).toEqual(["slow"]);
    expect((await cast.owner.post(path, { tag: " " })).text).toBe("Tag is required.");
    expect((await cast.owner.post(`${path}?wob_type=PROJECT`, { tag: "x" })).text).toBe(
      "There is no such type of object.",
    );
  });

  it("refuses every change while it is locked", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const path = `/api/v3/objects/${metadata_id}`;
    await cast.owner.patch(path, { locked: true });
    const refused = await Promise.all([
      cast.owner.patch(path, { name: "x" }),
      cast.owner.patch(`${path}/attributes/input`, { attribute_value: "x" }),
      cast.owner.patch(`${path}/api`, { api: '{"disabled":true}' }),
      cast.owner.put(`${path}/api`, { source_code: "x" }),
      cast.owner.put(`/api/v3/designer/${graph}/nodes/${metadata_id}`, { position: '{"x":1,"y":1}' }),
      cast.owner.post(`${path}/tags`, { tag: "x" }),
      cast.owner.delete(path),
    ]);
    expect(refused.map(({ status, text }) => `${status} ${text}`)).toEqual(Array(7).fill("409 This node is locked."));
    expect((await cast.owner.patch(path, { locked: false, name: "Free" })).status).toBe(200);
    expect(await read(metadata_id)).toMatchObject({ name: "Free", locked: false });
  });
});

describe("the code of a node", () => {
  const source = (fields: string) =>
    `from miranda import *\n\nclass Train(Node):\n${fields}\n    def run(self):\n        pass\n`;

  it("S7-047 is stored with the api that comes with it", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const attributes = [
      { name: "rows", direction: "RECEIVER", kind: "table" },
      { name: "rate", direction: "RECEIVER_FIELD", kind: "float", value: 0.5 },
    ];
    const form = { source_code: "# as it is\n", api: JSON.stringify({ attributes }) };
    expect((await cast.editor.put(`/api/v3/objects/${metadata_id}/api`, form)).status).toBe(200);
    const stored = await read(metadata_id);
    expect(stored.source_code).toBe("# as it is\n");
    expect(stored.api.attributes.filter(({ kind }) => !kind.endsWith("_policy"))).toMatchObject(attributes);
  });

  it("is parsed by the server, which keeps the last good attributes of wrong code and names the line", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const put = (source_code: string) => cast.editor.put(`/api/v3/objects/${metadata_id}/api`, { source_code });
    const good = (
      await put(source('    epochs = Field(10, control=Slider(1, 200))\n    rows = Receiver("Table")\n'))
    ).json<Node>();
    expect(good.api.attributes.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "epochs int",
      "rows table",
      "compute compute_policy",
      "storage storage_policy",
    ]);
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/epochs`, { attribute_value: "50" });
    const wrong = (await put("class Train(Node:\n")).json<Node>();
    expect(wrong.source_code).toBe("class Train(Node:\n");
    expect(wrong.api.compiled).toBe(false);
    expect(wrong.api.error).toContain("line 1");
    expect(wrong.api.attributes.map(({ name }) => name)).toContain("epochs");
    const again = (await put(source("    epochs = Field(20, control=Slider(1, 200))\n"))).json<Node>();
    expect(again.api.error).toBe(null);
    expect(again.api.attributes[0]).toMatchObject({ name: "epochs", value: 50, default: 20 });
  });

  it.each([
    ["that is not JSON", { api: "{" }, "Invalid JSON"],
    ["that is a list", { api: "[]" }, "The api must be an object."],
    ["whose attributes are none", { api: '{"attributes":5}' }, "Attributes must be a list."],
    ["with an attribute twice", { api: api("a", "a") }, "Two attributes have the same name."],
    ["with an unknown direction", { api: '{"attributes":[{"name":"a","direction":"UP"}]}' }, "Direction must be"],
    ["and code of 1,000,001 characters", { source_code: "x".repeat(1_000_001) }, "Code can have at most 1000000"],
  ])("with an api %s is refused and changes nothing", async (_what, form, words) => {
    const { metadata_id, source_code } = await addNode(cast.owner, graph);
    const answer = await cast.owner.put(`/api/v3/objects/${metadata_id}/api`, { source_code: "new", ...form });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    expect((await read(metadata_id)).source_code).toBe(source_code);
  });

  function api(...names: string[]): string {
    return JSON.stringify({ attributes: names.map((name) => ({ name, direction: "RECEIVER" })) });
  }
});
