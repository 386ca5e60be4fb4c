import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast, readCells } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// Every cell of docs/spec/access-comments.tsv.

const roles = ["anonymous", "stranger", "reader", "viewer", "editor", "owner", "admin"] as const;
type Role = (typeof roles)[number];
const cells = readCells("comments", roles);

let server: TestServer;
let cast: Cast;
let hidden: Place;
let open: Place;

interface Place {
  graph: string;
  node: number;
  /** A thread of the owner, with a reply of the editor. */
  thread: string;
}

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  hidden = await build("Tides");
  open = await build("Winds");
  await cast.owner.patch(`/api/v3/projects/${project}`, { visibility: "public" });
});
afterAll(() => server.close());

let project = "";
async function build(name: string): Promise<Place> {
  ({ id: project } = await buildProject(cast, name));
  const graph = await buildGraph(cast, project, name);
  const { metadata_id: node } = await addNode(cast.owner, graph);
  const thread = await write(cast.owner, graph, node);
  return { graph, node, thread: thread.json<{ comment: { thread_id: string } }>().comment.thread_id };
}

const write = (client: TestClient, graph: string, node: number) =>
  client.post(`/api/v3/graphs/${graph}/comments`, { metadata_id: node, body: "Is this right?", key: randomUUID() });
const reply = (client: TestClient, thread: string) =>
  client.post(`/api/v3/comment-threads/${thread}/comments`, { body: "Yes.", key: randomUUID() });
const idOf = (sent: Answer) => sent.json<{ comment: { id: string } }>().comment.id;

/** A comment of somebody other than the client. */
async function others(client: TestClient, { thread }: Place): Promise<string> {
  return idOf(await reply(client === cast.editor ? cast.viewer : cast.editor, thread));
}

/** One's own comment; for those who may not write, one of another person. */
async function own(client: TestClient, place: Place): Promise<string> {
  const sent = await reply(client, place.thread);
  return sent.status === 200 ? idOf(sent) : others(client, place);
}

const attempts: Record<string, (client: TestClient, place: Place) => Promise<Answer[]>> = {
  "comments: list, marks, one thread, its comments": (client, { graph, thread }) =>
    Promise.all(
      [
        `graphs/${graph}/comments`,
        `graphs/${graph}/comments/marks`,
        `comment-threads/${thread}`,
        `comment-threads/${thread}/comments`,
      ].map((path) => client.get(`/api/v3/${path}`)),
    ),
  "comments: people to mention": async (client, { graph }) => [
    await client.get(`/api/v3/graphs/${graph}/comments/people?query=`),
  ],
  "comment: write, reply, edit and delete one's own": async (client, place) => {
    const id = await own(client, place);
    return [
      await write(client, place.graph, place.node),
      await reply(client, place.thread),
      await client.patch(`/api/v3/comments/${id}`, { body: "Changed." }),
      await client.delete(`/api/v3/comments/${id}`),
    ];
  },
  "comment: edit somebody else's": async (client, place) => [
    await client.patch(`/api/v3/comments/${await others(client, place)}`, { body: "Changed." }),
  ],
  "comment: delete somebody else's": async (client, place) => [
    await client.delete(`/api/v3/comments/${await others(client, place)}`),
  ],
  "thread: resolve, reopen": async (client, { thread }) => [
    await client.put(`/api/v3/comment-threads/${thread}/resolved`, { resolved: true }),
    await client.put(`/api/v3/comment-threads/${thread}/resolved`, { resolved: false }),
  ],
  "last change: of a node, of each line": (client, { node }) =>
    Promise.all(["last-change", "lines"].map((path) => client.get(`/api/v3/objects/${node}/${path}`))),
};

const clientOf = (role: Role): TestClient => (role === "reader" ? cast.stranger : cast[role]);

describe("who may comment", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    // The limit of comments in a minute is tested elsewhere.
    await server.db.deleteFrom("attempts").execute();
    const answers = await attempts[what]?.(clientOf(role), role === "reader" ? open : hidden);
    expect(answers?.map((one) => one.status)).toEqual(answers?.map(() => status));
    expect(answers?.length).toBeGreaterThan(0);
  });

  it("lets nobody in any more who was removed from the project", async () => {
    const { id } = await buildProject(cast, "Closed");
    const graph = await buildGraph(cast, id, "Closed");
    const { metadata_id: node } = await addNode(cast.owner, graph);
    const comment = idOf(await write(cast.viewer, graph, node));
    await cast.owner.delete(`/api/v3/projects/${id}/members/${cast.viewer.account.id}`);
    expect((await cast.viewer.patch(`/api/v3/comments/${comment}`, { body: "Back" })).status).toBe(404);
    expect((await cast.viewer.delete(`/api/v3/comments/${comment}`)).status).toBe(404);
  });
});
