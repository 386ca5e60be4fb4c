import type { ChangedGroup } from "@miranda/contract/schemas/changes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph } from "../../testing/editor.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

interface Scene {
  graph: string;
  node: number;
  other: number;
  policy: string;
  group: string;
  deleted: number;
}

let server: TestServer;
let cast: Cast;
let project: { id: string };
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = await buildProject(cast);
});
afterAll(() => server.close());

async function build(): Promise<Scene> {
  const graph = await buildGraph(cast, project.id);
  const [node, other, deleted] = [
    await addNode(cast.owner, graph, "A"),
    await addNode(cast.owner, graph, "B"),
    await addNode(cast.owner, graph, "C"),
  ];
  const policy = await addNode(cast.owner, graph, "P", "COMPUTE_POLICY");
  await cast.owner.post("/api/v3/objects/edges", ends(other.metadata_id, "output", node.metadata_id, "input"));
  const body = { metadata_ids: [node.metadata_id] };
  const group = (await cast.owner.postJson(`/api/v3/graphs/${graph}/groups`, body)).json<ChangedGroup>().id;
  await cast.owner.delete(`/api/v3/objects/${deleted.metadata_id}`);
  return {
    graph,
    node: node.metadata_id,
    other: other.metadata_id,
    policy: policy.id,
    group,
    deleted: deleted.metadata_id,
  };
}

const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const mayRead = { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 };
const mayWrite = { anonymous: 401, stranger: 404, viewer: 403, editor: 200, owner: 200, admin: 200 };
type Call = (client: Cast[Role], scene: Scene) => Promise<Answer>;

const table: [string, Call, Record<Role, number>][] = [
  ["read a node", (client, { node }) => client.get(`/api/v3/objects/${node}`), mayRead],
  ["read nodes and edges", (client, { graph }) => client.get(`/api/v3/graphs/${graph}/graph`), mayRead],
  ["add a node", (client, { graph }) => client.post("/api/v3/objects", { project_id: graph }), mayWrite],
  ["rename a node", (client, { node }) => client.patch(`/api/v3/objects/${node}`, { name: "X" }), mayWrite],
  [
    "move a node",
    (client, { graph, node }) => client.put(`/api/v3/designer/${graph}/nodes/${node}`, { position: '{"x":1,"y":1}' }),
    mayWrite,
  ],
  [
    "move several",
    (client, { graph, node }) =>
      client.postJson(`/api/v3/graphs/${graph}/positions`, { positions: { [node]: { x: 1, y: 1 } } }),
    mayWrite,
  ],
  [
    "change several",
    (client, { graph, node, other }) =>
      client.patch(`/api/v3/graphs/${graph}/nodes`, {
        changes: JSON.stringify({ [node]: { disabled: true }, [other]: { locked: true } }),
      }),
    mayWrite,
  ],
  ["change a policy", (client, { policy }) => client.patch(`/api/v3/compute_policies/${policy}`, { cpu: 2 }), mayWrite],
  ["delete a node", (client, { node }) => client.delete(`/api/v3/objects/${node}`), mayWrite],
  [
    "delete several",
    (client, { graph, node }) => client.postJson(`/api/v3/graphs/${graph}/delete`, { metadata_ids: [node] }),
    mayWrite,
  ],
  [
    "restore",
    (client, { graph, deleted }) => client.postJson(`/api/v3/graphs/${graph}/restore`, { metadata_ids: [deleted] }),
    mayWrite,
  ],
  [
    "add an edge",
    (client, { node, other }) => client.post("/api/v3/objects/edges", ends(node, "output", other, "input")),
    mayWrite,
  ],
  [
    "bend an edge",
    (client, { node, other }) =>
      client.put("/api/v3/objects/edges", { ...ends(other, "output", node, "input"), label: "x" }),
    mayWrite,
  ],
  [
    "delete an edge",
    (client, { node, other }) => client.delete("/api/v3/objects/edges", ends(other, "output", node, "input")),
    mayWrite,
  ],
  [
    "change code",
    (client, { node }) => client.put(`/api/v3/objects/${node}/api`, { source_code: "x", api: '{"attributes":[]}' }),
    mayWrite,
  ],
  [
    "disable",
    (client, { node }) => client.patch(`/api/v3/objects/${node}/api`, { api: '{"disabled":true}' }),
    mayWrite,
  ],
  [
    "unset an attribute",
    (client, { node }) => client.patch(`/api/v3/objects/${node}/attributes/input`, { unset: true }),
    mayWrite,
  ],
  ["tag", (client, { node }) => client.post(`/api/v3/objects/${node}/tags`, { tag: "x" }), mayWrite],
  ["untag", (client, { node }) => client.delete(`/api/v3/objects/${node}/tags`, { tag: "x" }), mayWrite],
  [
    "paste",
    (client, { graph }) =>
      client.postJson(`/api/v3/graphs/${graph}/paste`, {
        nodes: [{ key: 1, class: "Code_block", name: "P", position: { x: 0, y: 0 } }],
      }),
    mayWrite,
  ],
  [
    "group",
    (client, { graph, node }) => client.postJson(`/api/v3/graphs/${graph}/groups`, { metadata_ids: [node] }),
    mayWrite,
  ],
  [
    "change a group",
    (client, { graph, group }) => client.patch(`/api/v3/graphs/${graph}/groups/${group}`, { name: "X" }),
    mayWrite,
  ],
  ["ungroup", (client, { graph, group }) => client.delete(`/api/v3/graphs/${graph}/groups/${group}`), mayWrite],
  ["publish a prefab", (client, { node }) => client.post("/api/v3/prefabs", { metadata_id: node }), mayWrite],
  [
    "publish a blueprint",
    (client, { graph, node }) =>
      client.postJson("/api/v3/blueprints", { project_id: graph, metadata_ids: [node], name: "X" }),
    mayWrite,
  ],
];

describe("access, a test per cell", () => {
  const cells = table.flatMap(([what, call, expected]) =>
    roles.map((role) => [role, what, call, expected[role]] as const),
  );
  it.each(cells)("%s: %s", async (role, _what, call, status) => {
    const scene = await build();
    const before = await readGraph(cast.owner, scene.graph);
    const answer = await call(cast[role], scene);
    expect([answer.status, status < 400 ? "" : answer.text]).toEqual([status, status < 400 ? "" : answer.text]);
    // A refused change leaves no trace, not even a revision.
    if (status >= 400) expect(await readGraph(cast.owner, scene.graph)).toEqual(before);
  });

  it("a node of a hidden workflow looks the same as one that never existed", async () => {
    const { node } = await build();
    const [hidden, never] = [
      await cast.stranger.get(`/api/v3/objects/${node}`),
      await cast.stranger.get("/api/v3/objects/999999999"),
    ];
    expect([hidden.status, hidden.text]).toEqual([never.status, never.text]);
  });
});
