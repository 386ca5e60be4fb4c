import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import { contentOf, type GraphContent } from "@miranda/contract/graph/content.ts";
import type { GraphChange, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph, setApi } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, TestSocket, until } from "../../testing/test-socket.ts";

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

/** A client that enters, fetches once and from then on relies on events alone. */
async function follow(
  client: TestClient,
): Promise<{ socket: TestSocket; at(revision: number): Promise<GraphContent> }> {
  const socket = await connect(server, client);
  await socket.enter(graph);
  const loaded = (await client.get(`/api/v3/graphs/${graph}/graph`)).json<GraphResponse>();
  let { revision: reached } = loaded;
  let content = contentOf(loaded);
  const waiting = new Map<number, GraphChange>();
  socket.socket.on("update[GRAPH]", (change: GraphChange) => {
    waiting.set(change.revision, change);
    for (let next = waiting.get(reached + 1); next; next = waiting.get(reached + 1)) {
      const after = applyChange(content, next);
      if (!after) throw new Error(`change ${next.revision} cannot be applied: ${JSON.stringify(next)}`);
      content = after;
      reached = next.revision;
    }
  });
  return {
    socket,
    async at(revision) {
      await until(() => reached >= revision, `revision ${revision} did not come, only ${reached}`);
      return content;
    },
  };
}

/** Without the time of the last change, which nobody sees. */
function comparable({ nodes, ...rest }: GraphContent) {
  return {
    ...rest,
    nodes: Object.fromEntries(Object.entries(nodes).map(([id, { last_updated: _time, ...node }]) => [id, node])),
  };
}

async function expectSame(...clients: [TestClient, Awaited<ReturnType<typeof follow>>][]): Promise<void> {
  const { revision } = await readGraph(cast.owner, graph);
  for (const [client, follower] of clients) {
    const followed = await follower.at(revision);
    const fetched = (await client.get(`/api/v3/graphs/${graph}/graph`)).json<GraphResponse>();
    expect(comparable(followed)).toEqual(comparable(contentOf(fetched)));
  }
}

describe("everybody ends with the server's state", () => {
  it("after every kind of change, by update[GRAPH] alone", async () => {
    const [editor, viewer] = [await follow(cast.editor), await follow(cast.viewer)];
    const [a, b] = [await addNode(cast.owner, graph, "A"), await addNode(cast.owner, graph, "B")];
    const id = a.metadata_id;
    const edge = ends(id, "output", b.metadata_id, "input");
    await cast.owner.post("/api/v3/objects/edges", edge);
    await cast.owner.put("/api/v3/objects/edges", { ...edge, segments: '[{"x":1,"y":1}]', label: "x" });
    const secret = { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } };
    const output = { name: "output", kind: "table", direction: "TRANSMITTER", edge_text: "rows" };
    await setApi(cast.owner, id, [output, secret]);
    await cast.owner.patch(`/api/v3/objects/${id}/attributes/key`, { attribute_value: "hunter2" });
    await cast.owner.patch(`/api/v3/objects/${id}/attributes/key`, { unset: true });
    await cast.owner.patch(`/api/v3/objects/${id}/attributes/key`, { attribute_value: "hunter3" });
    await cast.owner.patch(`/api/v3/objects/${id}`, { name: "Renamed", colour: "#aabbcc", locked: true });
    await cast.owner.patch(`/api/v3/objects/${id}`, { locked: false });
    await cast.owner.patch(`/api/v3/objects/${id}/api`, { api: '{"disabled":true}' });
    await cast.owner.post(`/api/v3/objects/${id}/tags`, { tag: "slow" });
    await cast.owner.put(`/api/v3/designer/${graph}/nodes/${id}`, { position: '{"x":9,"y":9}' });
    const policy = await addNode(cast.owner, graph, "P", "COMPUTE_POLICY");
    await cast.owner.patch(`/api/v3/compute_policies/${policy.id}`, { cpu: 3 });
    const batch = (what: string, body: unknown) => cast.owner.postJson(`/api/v3/graphs/${graph}/${what}`, body);
    const group = (await batch("groups", { metadata_ids: [id, b.metadata_id] })).json<{ id: string }>();
    const { nodes, edges } = await readGraph(cast.owner, graph);
    await batch("paste", { nodes: Object.values(nodes), edges });
    const several = {
      [id]: { disabled: false, tags_added: ["x"] },
      [b.metadata_id]: { locked: true, colour: "#010203" },
    };
    await cast.owner.patch(`/api/v3/graphs/${graph}/nodes`, { changes: JSON.stringify(several) });
    await cast.owner.patch(`/api/v3/graphs/${graph}/nodes`, {
      changes: JSON.stringify({ [id]: { tags_removed: ["x"] }, [b.metadata_id]: { locked: false } }),
    });
    await batch("delete", { metadata_ids: [id], groups: [group.id] });
    await batch("restore", {
      metadata_ids: [id],
      groups: [{ id: group.id, name: "Again", colour: null, collapsed: false, metadata_ids: [id, b.metadata_id] }],
    });
    await cast.owner.patch(`/api/v3/graphs/${graph}/groups/${group.id}`, { collapsed: true });
    await cast.owner.delete("/api/v3/objects/edges", edge);
    const [prefab] = (await cast.owner.get("/api/v3/prefabs?query=csv")).json<{ id: string }[]>();
    await cast.owner.post(`/api/v3/objects/clone/${prefab?.id}`, { project_id: graph });
    await expectSame([cast.editor, editor], [cast.viewer, viewer]);
    expect(JSON.stringify(viewer.socket.received)).not.toContain("hunter");
    expect(editor.socket.all<GraphChange>("update[GRAPH]").every(({ by }) => by === "owner")).toBe(true);
    for (const { socket } of [editor, viewer]) socket.close();
  });

  it("after two people change everything at once, and changes to different attributes both stay", async () => {
    const followers = [await follow(cast.owner), await follow(cast.editor)] as const;
    const ids: number[] = [];
    for (let at = 0; at < 6; at++) ids.push((await addNode(cast.owner, graph, `N${at}`)).metadata_id);
    const fields = ["x", "y"].map((name) => ({
      name,
      kind: "int",
      direction: "RECEIVER_FIELD",
      value: 0,
      control: { type: "number" },
    }));
    await setApi(cast.owner, ids[0] ?? 0, fields);
    const people = [
      { client: cast.owner, field: "x" },
      { client: cast.editor, field: "y" },
    ];
    await Promise.all(
      people.flatMap(({ client, field }, person) =>
        ids.flatMap((id, at) => [
          client.patch(`/api/v3/objects/${ids[0]}/attributes/${field}`, { attribute_value: 10 * at }),
          client.patch(`/api/v3/objects/${id}`, { name: `by ${person}` }),
          client.put(`/api/v3/designer/${graph}/nodes/${id}`, { position: JSON.stringify({ x: person, y: at }) }),
          client.post("/api/v3/objects/edges", ends(id, "output", ids[(at + person + 1) % 6] ?? 0, "input")),
          ...(at === 3 ? [client.delete(`/api/v3/objects/${id}`)] : []),
        ]),
      ),
    );
    await expectSame([cast.owner, followers[0]], [cast.editor, followers[1]]);
    const values = (await readGraph(cast.owner, graph)).nodes[ids[0] ?? 0]?.api.attributes.slice(0, 2);
    expect(values?.every(({ value }) => typeof value === "number")).toBe(true);
    for (const { socket } of followers) socket.close();
  });

  it("the revision counts changes only, and a large change asks to reload", async () => {
    const follower = await connect(server, cast.editor);
    await follower.enter(graph);
    const { metadata_id, revision } = await addNode(cast.owner, graph);
    expect(revision).toBe(1);
    expect((await cast.owner.patch(`/api/v3/objects/${metadata_id}`, { name: "" })).status).toBe(400);
    expect((await cast.owner.post("/api/v3/objects/edges", ends(metadata_id, "x", metadata_id, "y"))).status).toBe(404);
    const nodes = Array.from({ length: 301 }, (_, key) => ({
      key,
      class: "Code_block",
      name: "N",
      position: { x: 0, y: 0 },
    }));
    const pasted = await cast.owner.postJson(`/api/v3/graphs/${graph}/paste`, { nodes });
    expect(pasted.json<PasteResponse>().revision).toBe(2);
    expect(await follower.next<GraphChange>("update[GRAPH]", (change) => change.revision === 2)).toEqual({
      graph_id: graph,
      revision: 2,
      by: "owner",
      reload: true,
    });
    const file = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="a"/></graph></graphml>';
    await cast.owner.post(`/api/v3/graphs/${graph}/graphml`, { body: file });
    expect(await follower.next<GraphChange>("update[GRAPH]", (change) => change.revision === 3)).toMatchObject({
      reload: true,
    });
    expect((await readGraph(cast.owner, graph)).revision).toBe(3);
    follower.close();
  });

  it("S7-109 publishes update[VIEW] for the changed node", async () => {
    const follower = await connect(server, cast.viewer);
    await follower.enter(graph);
    const { metadata_id } = await addNode(cast.owner, graph);
    expect(await follower.next("update[VIEW]")).toEqual({ metadata_id, revision: 1 });
    await cast.owner.patch(`/api/v3/objects/${metadata_id}`, { name: "X" });
    await follower.next<{ revision: number }>("update[VIEW]", ({ revision }) => revision === 2);
    follower.close();
  });

  it("an edit of a node that another person deletes is refused, and both see it gone", async () => {
    const follower = await follow(cast.editor);
    const { metadata_id } = await addNode(cast.owner, graph);
    await cast.owner.delete(`/api/v3/objects/${metadata_id}`);
    const late = await cast.editor.patch(`/api/v3/objects/${metadata_id}/attributes/input`, { unset: true });
    expect([late.status, late.text]).toEqual([404, "Node not found."]);
    await expectSame([cast.editor, follower]);
    follower.socket.close();
  });
});
