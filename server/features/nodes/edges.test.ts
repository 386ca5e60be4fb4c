import type { ChangedEdge, DeleteManyResponse } from "@miranda/contract/schemas/changes.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let from: number;
let to: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  from = (await addNode(cast.owner, graph, "From")).metadata_id;
  to = (await addNode(cast.owner, graph, "To")).metadata_id;
});

const join = (...given: Parameters<typeof ends>) => cast.editor.post("/api/v3/objects/edges", ends(...given));
const edgesOf = async () => (await readGraph(cast.owner, graph)).edges;

describe("an edge", () => {
  it("S7-045 S7-046 S3-024 S3-025 is created, read and deleted", async () => {
    await setApi(cast.owner, from, [{ name: "output", kind: "Table", direction: "TRANSMITTER", edge_text: "rows" }]);
    const answer = await join(from, "output", to, "input");
    const edge = {
      source_wob_key: from,
      source_transmitter_key: "output",
      destination_wob_key: to,
      destination_receiver_key: "input",
      is_field: 0,
      kind: "table",
      edge_text: { transmitter: "rows", reciever: "" },
      segments: [],
    };
    expect(answer.json<ChangedEdge>()).toMatchObject(edge);
    expect(await edgesOf()).toEqual([edge]);
    const gone = await cast.editor.delete("/api/v3/objects/edges", ends(from, "output", to, "input"));
    expect(gone.status).toBe(200);
    expect(await edgesOf()).toEqual([]);
    const again = await cast.editor.delete("/api/v3/objects/edges", ends(from, "output", to, "input"));
    expect([again.status, again.text]).toEqual([404, "Edge not found."]);
  });

  it("of a policy is a field edge", async () => {
    const policy = (await addNode(cast.owner, graph, "Big", "COMPUTE_POLICY")).metadata_id;
    expect((await join(policy, "compute", to, "compute")).json<ChangedEdge>()).toMatchObject({
      is_field: 1,
      kind: "compute_policy",
    });
  });

  it("may lead back to its own node by another attribute: cycles are allowed", async () => {
    expect((await join(to, "output", to, "input")).status).toBe(200);
    const refused = await join(to, "output", to, "output");
    expect([refused.status, refused.text]).toEqual([400, "An attribute cannot be joined to itself."]);
  });

  it("is refused twice, also when two people create it at once", async () => {
    const answers = await Promise.all([join(from, "output", to, "input"), join(from, "output", to, "input")]);
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 409]);
    expect((await join(from, "output", to, "input")).text).toBe("These two attributes are already joined.");
    expect(await edgesOf()).toHaveLength(1);
  });

  it.each([
    ["from receiver to receiver", "input", "input", 400, "An edge starts at a transmitter."],
    ["from transmitter to transmitter", "output", "output", 400, "An edge ends at a receiver."],
    ["from a missing attribute", "nothing", "input", 404, "Attribute not found."],
    ["to a missing attribute", "output", "nothing", 404, "Attribute not found."],
    ["from a value to a policy's field", "output", "compute", 400, "These two attributes are of different kinds."],
    ["from no attribute", "", "input", 400, "Transmitter is required."],
  ])("is refused %s", async (_what, transmitter, receiver, status, words) => {
    const answer = await join(from, transmitter, to, receiver);
    expect([answer.status, answer.text]).toEqual([status, words]);
    expect(await edgesOf()).toEqual([]);
  });

  it("is refused between kinds that do not fit", async () => {
    await setApi(cast.owner, from, [
      { name: "table", kind: "table", direction: "TRANSMITTER" },
      { name: "whole", kind: "int", direction: "TRANSMITTER" },
    ]);
    await setApi(cast.owner, to, [
      { name: "model", kind: "model", direction: "RECEIVER" },
      { name: "number", kind: "float", direction: "RECEIVER_FIELD", control: { type: "number" } },
    ]);
    const refused = await join(from, "table", to, "model");
    expect([refused.status, refused.text]).toEqual([400, "These two attributes are of different kinds."]);
    expect((await join(from, "whole", to, "number")).status).toBe(200);
  });

  it("is refused into another workflow, readable or not", async () => {
    const elsewhere = await buildGraph(cast, (await buildProject(cast)).id);
    const there = (await addNode(cast.owner, elsewhere)).metadata_id;
    const refused = await join(from, "output", there, "input");
    expect([refused.status, refused.text]).toEqual([400, "Both ends of an edge must be in the same workflow."]);
    const own = (await cast.stranger.post("/api/v3/projects/", { name: "Own" })).json<{ id: string }>().id;
    const hers = (await cast.stranger.post("/api/v3/graphs/", { name: "Own", project_id: own })).json<{ id: string }>()
      .id;
    const mine = (await addNode(cast.stranger, hers)).metadata_id;
    const hidden = await cast.stranger.post("/api/v3/objects/edges", ends(mine, "output", to, "input"));
    expect([hidden.status, hidden.text]).toEqual([404, "Node not found."]);
    expect(await edgesOf()).toEqual([]);
  });

  it("is refused at a locked node", async () => {
    await cast.owner.patch(`/api/v3/objects/${to}`, { locked: true });
    const refused = await join(from, "output", to, "input");
    expect([refused.status, refused.text]).toEqual([409, "This node is locked."]);
  });

  it("keeps its bends and its text", async () => {
    await join(from, "output", to, "input");
    const put = (form: Record<string, string>) =>
      cast.editor.put("/api/v3/objects/edges", { ...ends(from, "output", to, "input"), ...form });
    expect((await put({ segments: '[{"x":1,"y":2}]', label: "rows →" })).status).toBe(200);
    expect(await edgesOf()).toMatchObject([{ segments: [{ x: 1, y: 2 }], label: "rows →" }]);
    expect((await put({ label: "" })).status).toBe(200);
    expect((await edgesOf())[0]).not.toHaveProperty("label");
    expect((await edgesOf())[0]?.segments).toEqual([{ x: 1, y: 2 }]);
    for (const bad of [
      "{",
      '[{"x":1e300,"y":0}]',
      "5",
      JSON.stringify(Array.from({ length: 201 }, () => ({ x: 0, y: 0 }))),
    ]) {
      expect((await put({ segments: bad })).status).toBe(400);
    }
    const missing = { ...ends(from, "output", from, "input"), label: "x" };
    expect((await cast.editor.put("/api/v3/objects/edges", missing)).text).toBe("Edge not found.");
  });

  it("stays when its attribute vanishes, can then be deleted, and is whole when it comes back", async () => {
    await join(from, "output", to, "input");
    await setApi(cast.owner, to, []);
    expect(await edgesOf()).toHaveLength(1);
    await setApi(cast.owner, to, [{ name: "input", kind: "any", direction: "RECEIVER", edge_text: "in" }]);
    expect((await edgesOf())[0]?.edge_text.reciever).toBe("in");
    await setApi(cast.owner, to, []);
    expect((await cast.editor.delete("/api/v3/objects/edges", ends(from, "output", to, "input"))).status).toBe(200);
  });

  it("S7-044 is deleted with either of its nodes", async () => {
    await join(from, "output", to, "input");
    const answer = await cast.editor.delete(`/api/v3/objects/${to}`);
    expect(answer.json<DeleteManyResponse>()).toMatchObject({
      deleted_nodes: [to],
      deleted_edges: [{ source_wob_key: from, destination_wob_key: to }],
    });
    const after = await readGraph(cast.owner, graph);
    expect([Object.keys(after.nodes), after.edges]).toEqual([[String(from)], []]);
    expect((await cast.editor.delete(`/api/v3/objects/${to}`)).status).toBe(404);
  });
});
