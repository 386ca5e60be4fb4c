import type {
  ChangedGroup,
  DeleteManyResponse,
  PasteResponse,
  PositionsResponse,
} from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});

const call = (what: string, body: unknown) => cast.editor.postJson(`/api/v3/graphs/${graph}/${what}`, body);
const read = () => readGraph(cast.owner, graph);
const add = async (name = "New Node") => (await addNode(cast.owner, graph, name)).metadata_id;
const join = (from: number, to: number) => cast.owner.post("/api/v3/objects/edges", ends(from, "output", to, "input"));

/** A graph without what differs in every copy. */
function copied({
  id: _id,
  metadata_id: _number,
  key: _key,
  time_created: _made,
  last_updated: _changed,
  ...node
}: Node) {
  return node;
}

describe("positions", () => {
  it("move many nodes in one change; locked and missing ones stay", async () => {
    const [a, b, locked] = [await add(), await add(), await add()];
    await cast.owner.patch(`/api/v3/objects/${locked}`, { locked: true });
    const before = (await read()).revision;
    const positions = Object.fromEntries([a, b, locked, 999_999].map((id, at) => [id, { x: at, y: -at }]));
    const answer = (await call("positions", { positions })).json<PositionsResponse>();
    expect(answer).toEqual({ revision: before + 1, skipped: [locked, 999_999] });
    const { nodes, revision } = await read();
    expect([nodes[a]?.position, nodes[b]?.position, nodes[locked]?.position, revision]).toEqual([
      { x: 0, y: 0 },
      { x: 1, y: -1 },
      { x: 0, y: 0 },
      before + 1,
    ]);
  });

  it.each([
    ["1e300", { 1: { x: 1e300, y: 0 } }],
    ["null, which is how JSON writes NaN", { 1: { x: Number.NaN, y: 0 } }],
    ["names that are no numbers", { one: { x: 0, y: 0 } }],
    ["a list", [1, 2]],
  ])("refuse %s", async (_what, positions) => {
    expect((await call("positions", { positions })).status).toBe(400);
  });
});

describe("paste", () => {
  it("copies nodes, values and edges between workflows in one step, without secrets", async () => {
    const [a, b] = [await add("A"), await add("B")];
    await setApi(cast.owner, a, [
      { name: "output", kind: "any", direction: "TRANSMITTER" },
      { name: "mode", kind: "string", direction: "RECEIVER_FIELD", value: "fast", control: { type: "text" } },
      { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } },
    ]);
    await cast.owner.patch(`/api/v3/objects/${a}/attributes/mode`, { attribute_value: "safe" });
    await cast.owner.patch(`/api/v3/objects/${a}/attributes/key`, { attribute_value: "hunter2" });
    await join(a, b);
    await cast.owner.put("/api/v3/objects/edges", { ...ends(a, "output", b, "input"), segments: '[{"x":5,"y":5}]' });
    const source = await read();
    const policy = await addNode(cast.owner, graph, "Disk", "STORAGE_POLICY");

    graph = await buildGraph(cast, (await buildProject(cast)).id);
    const nodes = [...Object.values(source.nodes), policy];
    const pasted = await call("paste", { nodes, edges: source.edges, position: { x: 100, y: 50 } });
    const answer = pasted.json<PasteResponse>();
    expect(pasted.text).not.toContain("hunter2");
    const target = await read();
    expect(answer.nodes).toEqual(target.nodes);
    expect(answer.edges).toEqual(target.edges);
    expect(Object.keys(answer.node_positions)).toEqual(Object.keys(target.nodes));
    // The bends of edges move along.
    expect(Object.values(answer.edge_segments)).toEqual([[{ x: 105, y: 55 }]]);
    const copy = target.nodes[answer.ids[a] ?? 0];
    expect(copy?.position).toEqual({ x: 100, y: 50 });
    expect(copy?.api.attributes.find(({ name }) => name === "mode")).toMatchObject({ value: "safe", default: "fast" });
    expect(target.edges).toMatchObject([{ source_wob_key: answer.ids[a], destination_wob_key: answer.ids[b] }]);
    expect(target.nodes[answer.ids[policy.metadata_id] ?? 0]?.body).toEqual({ type: "volume", name: "data" });
    const original = source.nodes[b];
    const second = target.nodes[answer.ids[b] ?? 0];
    if (!original || !second) throw new Error("B is missing");
    expect({ ...copied(second), position: null }).toEqual({ ...copied(original), position: null });
  });

  it("puts the copies of a group's nodes into a new group of its name and colour", async () => {
    const [a, b, c] = [await add("A"), await add("B"), await add("C")];
    const made = (await call("groups", { name: "Load", colour: "#00ff00", metadata_ids: [a, b] })).json<ChangedGroup>();
    await cast.owner.patch(`/api/v3/graphs/${graph}/groups/${made.id}`, { collapsed: true });
    const source = await read();
    const answer = (
      await call("paste", { nodes: Object.values(source.nodes), groups: source.groups })
    ).json<PasteResponse>();
    expect(answer.groups).toEqual([
      {
        id: expect.any(String),
        name: "Load",
        colour: "#00ff00",
        collapsed: true,
        metadata_ids: [answer.ids[a], answer.ids[b]],
      },
    ]);
    expect(answer.groups[0]?.id).not.toBe(made.id);
    const after = await read();
    expect(after.groups).toEqual([source.groups[0], answer.groups[0]]);
    expect(after.revision).toBe(source.revision + 1);

    // Members that are not pasted are left out, and an empty group is dropped.
    const groups = [
      { name: "Part", metadata_ids: [c, a] },
      { name: "None", metadata_ids: [b] },
    ];
    const part = (await call("paste", { nodes: [source.nodes[c]], groups })).json<PasteResponse>();
    expect(part.groups).toMatchObject([{ name: "Part", colour: null, metadata_ids: [part.ids[c]] }]);
    const ids = Object.values(part.ids);
    await call("delete", { metadata_ids: ids, groups: part.groups.map(({ id }) => id) });
    expect((await read()).groups).toEqual(after.groups);
  });

  it("refuses more groups than a workflow may have, and pastes nothing", async () => {
    const a = await add("A");
    const nodes = [(await read()).nodes[a]];
    const groups = (count: number) => Array.from({ length: count }, () => ({ name: "G", metadata_ids: [a] }));
    expect((await call("paste", { nodes, groups: groups(300) })).status).toBe(200);
    const before = await read();
    const refused = await call("paste", { nodes, groups: groups(201) });
    expect([refused.status, refused.text]).toEqual([400, "That is too many groups for one workflow."]);
    expect((await call("paste", { nodes, groups: groups(501) })).status).toBe(400);
    expect(await read()).toEqual(before);
  });

  it("accepts 5,000 nodes at once, and refuses 5,001", { timeout: 60_000 }, async () => {
    const nodes = Array.from({ length: 5_000 }, (_, key) => ({
      key,
      class: "Code_block",
      name: `Node ${key}`,
      position: { x: key, y: 0 },
      source_code: "pass\n",
      api: { attributes: [port("in", "RECEIVER"), port("out", "TRANSMITTER")] },
    }));
    const edges = nodes.slice(1).map(({ key }) => edge(key - 1, "out", key, "in"));
    const answer = await call("paste", { nodes, edges });
    expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
    const after = await read();
    expect([Object.keys(after.nodes).length, after.edges.length, after.revision]).toEqual([5_000, 4_999, 1]);
    const refused = await call("paste", { nodes: [...nodes, { ...nodes[0], key: "one more" }] });
    expect([refused.status, refused.text]).toEqual([400, "At most 5000 nodes at once."]);
    const ids = Object.keys(after.nodes).map(Number);
    const gone = (await call("delete", { metadata_ids: ids })).json<DeleteManyResponse>();
    expect([gone.deleted_nodes.length, gone.deleted_edges.length]).toEqual([5_000, 4_999]);
    expect((await call("restore", { metadata_ids: ids })).status).toBe(200);
    const back = await read();
    expect([Object.keys(back.nodes).length, back.edges.length]).toEqual([5_000, 4_999]);
  });

  const node = { key: 1, class: "Code_block", name: "A", position: { x: 0, y: 0 } };
  it.each([
    ["nothing", { nodes: [] }, "There is nothing to paste."],
    ["what is not a list", { nodes: "{" }, "Invalid JSON"],
    ["a node without a name", { nodes: [{ ...node, name: "" }] }, "Name is required."],
    ["a ghost", { nodes: [{ ...node, class: "ghost" }] }, "A pasted node must be of a class we know."],
    ["a position of 1e300", { nodes: [{ ...node, position: { x: 1e300, y: 0 } }] }, "Position must be two numbers"],
    ["a key twice", { nodes: [node, node] }, "Two pasted nodes have the same key."],
    ["an edge to nowhere", { nodes: [node], edges: [edge(1, "a", 2, "b")] }, "An edge names a node"],
    [
      "an edge between kinds that do not fit",
      { nodes: twoKinds(), edges: [edge(1, "out", 2, "in")] },
      "different kinds",
    ],
    [
      "a policy that asks for a million cores",
      { nodes: [{ ...node, class: "compute_policy", body: { cpu: 1e6 } }] },
      "CPU must be",
    ],
  ])("refuses %s and adds nothing", async (_what, body, words) => {
    const answer = await call("paste", body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    expect((await read()).nodes).toEqual({});
  });

  function twoKinds() {
    return [
      { ...node, api: { attributes: [port("out", "TRANSMITTER", "table")] } },
      { ...node, key: 2, api: { attributes: [port("in", "RECEIVER", "model")] } },
    ];
  }
});

function port(name: string, direction: string, kind = "any") {
  return { name, direction, kind };
}

function edge(from: number, transmitter: string, to: number, receiver: string) {
  return {
    source_wob_key: from,
    source_transmitter_key: transmitter,
    destination_wob_key: to,
    destination_receiver_key: receiver,
  };
}

describe("delete and restore", () => {
  it("deletes nodes and edges at once, and restores exactly what was there", async () => {
    const [a, b, c] = [await add("A"), await add("B"), await add("C")];
    await join(a, b);
    await join(b, c);
    await join(c, a);
    await cast.owner.patch(`/api/v3/objects/${b}`, { colour: "#123456", description: "kept" });
    await cast.owner.post(`/api/v3/objects/${b}/tags`, { tag: "kept" });
    const before = await read();
    const body = { metadata_ids: [b], edges: [ends(c, "output", a, "input")] };
    const answer = (await call("delete", body)).json<DeleteManyResponse>();
    expect(answer.deleted_nodes).toEqual([b]);
    expect(answer.deleted_edges).toHaveLength(3);
    expect((await read()).edges).toEqual([]);
    const restored = (await call("restore", { metadata_ids: [b] })).json<PasteResponse>();
    expect(Object.keys(restored.nodes)).toEqual([String(b)]);
    expect(restored.edges).toHaveLength(2);
    const after = await read();
    const { last_updated: _now, ...back } = after.nodes[b] ?? ({} as Node);
    const { last_updated: _then, ...was } = before.nodes[b] ?? ({} as Node);
    expect(back).toEqual(was);
    expect(after.edges).toHaveLength(2);
    const again = await call("restore", { metadata_ids: [b] });
    expect([again.status, again.text]).toEqual([404, "None of these nodes can be brought back."]);
  });

  it("restores nothing into another workflow", async () => {
    const a = await add("A");
    await call("delete", { metadata_ids: [a] });
    graph = await buildGraph(cast, (await buildProject(cast)).id);
    expect((await call("restore", { metadata_ids: [a] })).status).toBe(404);
  });

  it("deletes none when one is locked, and nothing of another workflow", async () => {
    const [a, locked] = [await add("A"), await add("L")];
    await cast.owner.patch(`/api/v3/objects/${locked}`, { locked: true });
    const refused = await call("delete", { metadata_ids: [a, locked] });
    expect([refused.status, refused.text]).toEqual([409, "This node is locked."]);
    expect(Object.keys((await read()).nodes)).toHaveLength(2);
    const here = graph;
    graph = await buildGraph(cast, (await buildProject(cast)).id);
    expect((await call("delete", { metadata_ids: [a] })).json<DeleteManyResponse>().deleted_nodes).toEqual([]);
    expect(Object.keys((await readGraph(cast.owner, here)).nodes)).toHaveLength(2);
  });
});

describe("groups", () => {
  it("hold nodes of the workflow, can be changed, survive an undone delete, and can be deleted", async () => {
    const [a, b] = [await add("A"), await add("B")];
    const made = (
      await call("groups", { name: "Load", colour: "#00FF00", metadata_ids: [a, b, 999_999] })
    ).json<ChangedGroup>();
    expect(made).toMatchObject({ name: "Load", colour: "#00ff00", collapsed: false, metadata_ids: [a, b] });
    const path = `/api/v3/graphs/${graph}/groups/${made.id}`;
    const changed = (await cast.editor.patch(path, { collapsed: true, name: "Loading" })).json<ChangedGroup>();
    expect(changed).toMatchObject({ name: "Loading", collapsed: true, metadata_ids: [a, b] });
    await call("delete", { metadata_ids: [a] });
    expect((await read()).groups).toMatchObject([{ metadata_ids: [b] }]);
    await call("restore", { metadata_ids: [a] });
    expect((await read()).groups).toEqual([
      { id: made.id, name: "Loading", colour: "#00ff00", collapsed: true, metadata_ids: [a, b] },
    ]);
    expect((await cast.editor.delete(path)).status).toBe(200);
    expect((await read()).groups).toEqual([]);
    expect([(await cast.editor.delete(path)).text, (await cast.editor.patch(path, {})).text]).toEqual([
      "Group not found.",
      "Group not found.",
    ]);
  });

  it("need a node, and a workflow", async () => {
    expect((await call("groups", { metadata_ids: [] })).text).toBe("Choose at least one node.");
    const { id } = (await call("groups", { metadata_ids: [await add()] })).json<ChangedGroup>();
    const other = await buildGraph(cast, (await buildProject(cast)).id);
    expect((await cast.editor.delete(`/api/v3/graphs/${other}/groups/${id}`)).status).toBe(404);
  });
});
