import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse, Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, setApi } from "../../testing/editor.ts";
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

const read = async (role: "owner" | "viewer") => cast[role].get(`/api/v3/graphs/${graph}/graph`);

describe("sending a graph in parts", () => {
  it("makes one JSON text with the same nodes as single reads, for writers and for readers", async () => {
    const empty = await read("owner");
    expect(empty.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(empty.json()).toEqual({ nodes: {}, edges: [], viewOnly: false, groups: [], revision: 0 });

    const [plain, set] = [await addNode(cast.owner, graph, "Plain"), await addNode(cast.owner, graph, 'Ünï "q" \\ 🌊')];
    const secret = { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } };
    const output = { name: "output", kind: "Table", direction: "TRANSMITTER", edge_text: "rows" };
    const rate = { name: "rate", kind: "float", direction: "RECEIVER_FIELD", value: 1, control: { type: "number" } };
    const code = 'print("</script>\u2028")\n\ttab\n';
    for (const { metadata_id } of [plain, set]) await setApi(cast.owner, metadata_id, [output, secret, rate], code);
    const other = await addNode(cast.owner, graph, "Other");
    const policy = await addNode(cast.owner, graph, "Box", "COMPUTE_POLICY");
    const path = `/api/v3/objects/${set.metadata_id}`;
    await cast.owner.patch(`${path}/attributes/key`, { attribute_value: "hunter2" });
    await cast.owner.patch(`${path}/attributes/rate`, { attribute_value: 3 });
    await cast.owner.patch(path, { git: "https://me:token@example.org/x.git", colour: "#112233" });
    await cast.owner.post(`${path}/tags`, { tag: "night" });
    await cast.owner.post("/api/v3/objects/edges", ends(set.metadata_id, "output", other.metadata_id, "input"));
    // A value that no call of ours would store.
    await server.db
      .updateTable("nodes")
      .set({ api: JSON.stringify({ attributes: [{ name: "", direction: "x" }] }), last_used_at: new Date() })
      .where("metadata_id", "=", policy.metadata_id)
      .execute();

    for (const role of ["owner", "viewer"] as const) {
      const answer = await read(role);
      const { nodes, edges, viewOnly } = answer.json<GraphResponse>();
      expect(viewOnly).toBe(role === "viewer");
      expect(Object.keys(nodes)).toHaveLength(4);
      for (const node of Object.values(nodes)) {
        expect(node).toEqual((await cast[role].get(`/api/v3/objects/${node.metadata_id}`)).json<Node>());
      }
      expect(edges).toMatchObject([{ kind: "table", edge_text: { transmitter: "rows", reciever: "" }, is_field: 0 }]);
      expect(answer.text.includes("hunter2")).toBe(role === "owner");
      expect(answer.text).not.toContain("me:token");
    }
  });

  it("shows one moment, whatever others do while it is read", async () => {
    const whole = await buildGraph(cast, (await buildProject(cast)).id);
    const nodes = Array.from({ length: 1_200 }, (_, key) => {
      return { key, class: "Code_block", name: `Step ${key}`, position: { x: key, y: 0 } };
    });
    const pasted = await cast.owner.postJson(`/api/v3/graphs/${whole}/paste`, { nodes });
    const { ids, revision } = pasted.json<PasteResponse>();
    const last = Object.values(ids).slice(-300);
    const counts = new Map([[revision, nodes.length]]);
    const rounds = 12;
    const writing = (async () => {
      for (let round = 0; round < rounds; round += 1) {
        const isDeleting = round % 2 === 0;
        const address = `/api/v3/graphs/${whole}/${isDeleting ? "delete" : "restore"}`;
        const written = (await cast.owner.postJson(address, { metadata_ids: last })).json<{ revision: number }>();
        counts.set(written.revision, nodes.length - (isDeleting ? last.length : 0));
      }
    })();
    const reads: GraphResponse[] = [];
    while (counts.size <= rounds)
      reads.push((await cast.editor.get(`/api/v3/graphs/${whole}/graph`)).json<GraphResponse>());
    await writing;
    const seen = reads.map((one) => [one.revision, Object.keys(one.nodes).length]);
    expect(seen).toEqual(reads.map((one) => [one.revision, counts.get(one.revision)]));
    expect(new Set(reads.map((one) => one.revision)).size).toBeGreaterThan(2);
  });

  it("refuses before the first part, not in the middle", async () => {
    const hidden = await cast.stranger.get(`/api/v3/graphs/${graph}/graph`);
    expect([hidden.status, hidden.text]).toEqual([404, "Workflow not found."]);
  });
});
