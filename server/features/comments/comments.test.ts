import type {
  CommentMarks,
  CommentPage,
  CommentsEvent,
  CommentThread,
  CommentThreadPage,
  MentionList,
  SentComment,
} from "@miranda/contract/schemas/comments/comments.ts";
import type { NotificationEvent, NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  ({ id: project } = await buildProject(cast));
});
beforeEach(async () => {
  graph = await buildGraph(cast, project);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
  await sql`delete from attempts`.execute(server.db);
  await sql`delete from notifications`.execute(server.db);
});
afterAll(() => server.close());

type Fields = Record<string, string | number>;
const write = (client: TestClient, body: string, more: Fields = {}): Promise<Answer> =>
  client.post(`/api/v3/graphs/${graph}/comments`, { metadata_id: node, body, key: randomUUID(), ...more });
const written = async (client: TestClient, body: string, more?: Fields) =>
  (await write(client, body, more)).json<SentComment>();
const reply = (client: TestClient, thread: string, body: string, key: string = randomUUID()) =>
  client.post(`/api/v3/comment-threads/${thread}/comments`, { body, key });
const listed = async (client: TestClient, query = "") =>
  (await client.get(`/api/v3/graphs/${graph}/comments${query}`)).json<CommentThreadPage>();
const commentsOf = async (thread: string) =>
  (await cast.owner.get(`/api/v3/comment-threads/${thread}/comments`)).json<CommentPage>().comments;
const toldTo = async (person: TestAccount) =>
  (await person.get("/api/v3/notifications")).json<NotificationPage>().notifications;

async function entered(person: TestAccount): Promise<TestSocket> {
  const socket = await connect(server, person);
  onTestFinished(() => socket.close());
  await socket.enter(graph);
  return socket;
}

describe("a thread", () => {
  it("is written, replied to, edited, resolved and reopened, live for everybody in the workflow", async () => {
    const reader = await entered(cast.viewer);
    const { comment } = await written(cast.owner, "Is this **right**?");
    const { thread_id } = comment;
    const event = await reader.next<CommentsEvent>("update[COMMENTS]");
    expect(event).toEqual({ graph_id: graph, thread_id, metadata_id: node, run_id: null });
    expect((await reply(cast.viewer, thread_id, "I think so.")).status).toBe(200);
    const edited = await cast.owner.patch(`/api/v3/comments/${comment.id}`, { body: "Is it right?" });
    expect(edited.json<SentComment>().comment).toMatchObject({ body: "Is it right?", author: { username: "owner" } });
    await cast.editor.put(`/api/v3/comment-threads/${thread_id}/resolved`, { resolved: true });
    await cast.owner.put(`/api/v3/comment-threads/${thread_id}/resolved`, { resolved: true });
    expect((await listed(cast.viewer)).threads).toEqual([]);
    const [resolved] = (await listed(cast.viewer, "?state=resolved")).threads;
    // Who resolved it first stays.
    expect(resolved).toMatchObject({
      comments: 2,
      resolved: { by: "editor" },
      target: { kind: "node", node_name: "Train" },
    });
    await cast.viewer.put(`/api/v3/comment-threads/${thread_id}/resolved`, { resolved: false });
    expect((await listed(cast.viewer)).threads).toHaveLength(1);
    expect(reader.all("update[COMMENTS]")).toHaveLength(6);
  });

  it("keeps the place of a deleted comment, and goes with its last one", async () => {
    const { comment } = await written(cast.owner, "First");
    const second = (await reply(cast.editor, comment.thread_id, "Second")).json<SentComment>().comment;
    expect((await cast.owner.delete(`/api/v3/comments/${comment.id}`)).status).toBe(200);
    expect(await commentsOf(comment.thread_id)).toMatchObject([
      { deleted: true, body: "" },
      { deleted: false, body: "Second" },
    ]);
    expect((await cast.owner.patch(`/api/v3/comments/${comment.id}`, { body: "Back" })).status).toBe(404);
    await cast.editor.delete(`/api/v3/comments/${second.id}`);
    expect((await cast.owner.get(`/api/v3/comment-threads/${comment.thread_id}`)).status).toBe(404);
  });

  it("at a line has its text and anchor, and stays readable when the node is deleted", async () => {
    const target = { line: 12, line_text: "    return x", anchor: "AAEC", epoch: randomUUID() };
    const { comment } = await written(cast.editor, "Why?", target);
    const path = `/api/v3/comment-threads/${comment.thread_id}`;
    const before = (await cast.owner.get(path)).json<CommentThread>();
    expect(before.target).toMatchObject({ kind: "line", ...target, node_deleted: false });
    expect((await cast.owner.get(`/api/v3/graphs/${graph}/comments/marks`)).json<CommentMarks>()).toEqual({
      ...{ open: 1, may_comment: true },
      nodes: [{ metadata_id: node, open: 1 }],
    });
    await cast.owner.delete(`/api/v3/objects/${node}`);
    const [after] = (await listed(cast.viewer)).threads;
    expect(after?.target).toMatchObject({ node_deleted: true, node_name: "Train", line: 12 });
    expect((await reply(cast.viewer, comment.thread_id, "It is gone.")).status).toBe(200);
    const late = await write(cast.owner, "Too late");
    expect([late.status, late.text]).toEqual([404, "Node not found."]);
  });

  it("is stored once when the same call comes twice, also at once", async () => {
    const key = randomUUID();
    const twice = await Promise.all([write(cast.owner, "Once", { key }), write(cast.owner, "Once", { key })]);
    const [one, other] = twice.map((sent) => sent.json<SentComment>().comment);
    expect(other).toEqual(one);
    expect((await write(cast.owner, "Once", { key })).json<SentComment>().comment).toEqual(one);
    expect((await listed(cast.owner)).threads).toHaveLength(1);
    const again = randomUUID();
    const thread = one?.thread_id ?? "";
    await Promise.all([reply(cast.owner, thread, "Yes", again), reply(cast.owner, thread, "Yes", again)]);
    expect(await commentsOf(thread)).toHaveLength(2);
    // The answer was lost, and the person wrote more before the next try.
    const longer = (await reply(cast.owner, thread, "Yes, it is", again)).json<SentComment>();
    expect(longer.comment.body).toBe("Yes, it is");
    expect((await commentsOf(thread)).map(({ body }) => body)).toEqual(["Once", "Yes, it is"]);
  });

  it("refuses bad places and texts, and stores nothing", async () => {
    const other = await buildGraph(cast, project, "Other");
    const elsewhere = (await addNode(cast.owner, other)).metadata_id;
    const refusals: [Fields, number, string][] = [
      [{ body: "" }, 400, "The comment is required."],
      [{ body: "x".repeat(10_001) }, 400, "The comment can have at most 10000 characters."],
      [{ body: "a\u0000b" }, 400, "The comment contains a character that cannot be stored."],
      [{ metadata_id: elsewhere }, 404, "Node not found."],
      [{ run_id: newId() }, 400, "Say either which node or which run the comment is about."],
      [{ anchor: "AAEC" }, 400, "An anchor needs a line and an epoch."],
      [{ line: 0 }, 400, "line must be a whole number from 1 to 10000000."],
      [{ key: "again" }, 400, "That is not a valid id."],
      [
        { body: Array.from({ length: 21 }, (_, at) => `@person${at}`).join(" ") },
        400,
        "That is too many people. Mention at most 20 in one comment.",
      ],
    ];
    for (const [fields, status, text] of refusals) {
      const refused = await write(cast.owner, "Fine", fields);
      expect([refused.status, refused.text]).toEqual([status, text]);
    }
    expect((await listed(cast.owner)).threads).toEqual([]);
  });

  it("limits how many comments a person writes in a minute", async () => {
    const { comment } = await written(cast.owner, "Start");
    const sent = await Promise.all(Array.from({ length: 35 }, () => reply(cast.owner, comment.thread_id, "More")));
    expect(sent.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(5);
    expect((await reply(cast.editor, comment.thread_id, "Mine")).status).toBe(200);
  });
});

describe("mentions and replies", () => {
  it("tell people who can read the workflow, and nobody else; the writer learns who was not notified", async () => {
    const editor = await entered(cast.editor);
    const sent = await written(cast.owner, "@Editor and @stranger and @nobody: `@viewer` is code. Write to me@viewer.");
    expect(sent.not_notified).toEqual(["stranger", "nobody"]);
    expect(sent.comment.mentions).toEqual(["editor"]);
    const { thread_id } = sent.comment;
    const queue = await editor.next<string>("realtime_message_queue", (text) => text.includes("new[NOTIFICATION]"));
    const { payload } = JSON.parse(queue) as { payload: { data: NotificationEvent } };
    expect(payload.data.notification).toMatchObject({
      ...{ kind: "comment_mention", thread_id, title: "owner mentioned you on Train of Flow" },
    });
    expect(await toldTo(cast.stranger)).toEqual([]);
    expect(await toldTo(cast.viewer)).toEqual([]);
    expect((await listed(cast.editor, "?of=mentions")).threads).toHaveLength(1);
    expect((await listed(cast.viewer, "?of=mentions")).threads).toEqual([]);
  });

  it("tells those who wrote in a thread about replies, once each, and not the writer", async () => {
    const { comment } = await written(cast.owner, "Look");
    await reply(cast.editor, comment.thread_id, "I do, @owner");
    await reply(cast.viewer, comment.thread_id, "Me too");
    expect((await toldTo(cast.owner)).map(({ title }) => title)).toEqual([
      "viewer replied to your thread on Train of Flow",
      "editor mentioned you on Train of Flow",
    ]);
    expect((await toldTo(cast.editor)).map(({ kind }) => kind)).toEqual(["comment_reply"]);
    expect((await listed(cast.viewer, "?of=mine")).threads).toHaveLength(1);
    // An edit tells those who are new in it.
    await cast.owner.patch(`/api/v3/comments/${comment.id}`, { body: "Look, @viewer" });
    await cast.owner.patch(`/api/v3/comments/${comment.id}`, { body: "Look here, @viewer" });
    expect((await toldTo(cast.viewer)).map(({ kind, body }) => [kind, body])).toEqual([
      ["comment_mention", "Look here, @viewer"],
    ]);
    // What was deleted is in no notification either.
    await cast.owner.delete(`/api/v3/comments/${comment.id}`);
    expect((await toldTo(cast.viewer)).map(({ body }) => body)).toEqual([""]);
  });

  it("keep their text when somebody else deletes a comment with the same text", async () => {
    const { comment } = await written(cast.owner, "Look");
    const done = (await reply(cast.editor, comment.thread_id, "Done, @owner")).json<SentComment>();
    await reply(cast.viewer, comment.thread_id, "Done, @owner");
    await cast.editor.delete(`/api/v3/comments/${done.comment.id}`);
    expect((await toldTo(cast.owner)).map(({ body }) => body)).toEqual(["Done, @owner", "Done, @owner"]);
  });

  it("reach nobody whose account is disabled", async () => {
    const { comment } = await written(cast.viewer, "First");
    const disable = (at: Date | null) =>
      server.db
        .updateTable("accounts")
        .set({ disabled_at: at })
        .where("id", "in", [cast.viewer.account.id, cast.editor.account.id])
        .execute();
    await disable(new Date());
    onTestFinished(async () => void (await disable(null)));
    const sent = (await reply(cast.owner, comment.thread_id, "Look, @editor and @viewer")).json<SentComment>();
    expect([sent.not_notified, sent.comment.mentions]).toEqual([["editor", "viewer"], []]);
    const offered = (await cast.owner.get(`/api/v3/graphs/${graph}/comments/people?query=`)).json<MentionList>();
    expect(offered.map(({ username }) => username)).toEqual(["owner"]);
    await disable(null);
    expect([await toldTo(cast.viewer), await toldTo(cast.editor)]).toEqual([[], []]);
  });

  it("offers members by the beginning of a name", async () => {
    const found = async (query: string) =>
      (await cast.viewer.get(`/api/v3/graphs/${graph}/comments/people?query=${query}`))
        .json<MentionList>()
        .map(({ username }) => username);
    expect(await found("")).toEqual(["editor", "owner", "viewer"]);
    expect(await found("Ed")).toEqual(["editor"]);
    expect(await found("str")).toEqual([]);
    expect(await found("%25")).toEqual([]);
  });
});

it("reads 10,000 comments in pages", async () => {
  const { comment } = await written(cast.owner, "First");
  const ids = Array.from({ length: 10_000 }, newId);
  await sql`insert into comment_threads (id, graph_id, kind, metadata_id)
    select id, ${graph}, 'node', ${node} from unnest(${ids}::uuid[]) as made(id)`.execute(server.db);
  await sql`insert into comments (id, thread_id, graph_id, account_id, key, body)
    select id, id, ${graph}, ${cast.owner.account.id}, id, 'Filler' from unnest(${ids}::uuid[]) as made(id)`.execute(
    server.db,
  );
  const seen = new Set<string>();
  for (let next: string | null = ""; next !== null;) {
    const page: CommentThreadPage = await listed(cast.viewer, `?limit=100${next === "" ? "" : `&after=${next}`}`);
    expect(page.threads.length).toBeLessThanOrEqual(100);
    for (const { id } of page.threads) seen.add(id);
    ({ next } = page);
  }
  expect(seen.size).toBe(10_001);
  expect(seen.has(comment.thread_id)).toBe(true);
});
