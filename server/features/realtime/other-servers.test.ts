import { broadcastEvent } from "@miranda/contract/events.ts";
import type { Draft, DraftEvent } from "@miranda/contract/schemas/code.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { findRedis } from "../../../scripts/redis.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { TestRedis } from "../../testing/services/redis.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";

let redis: TestRedis;
let one: TestServer;
let two: Awaited<ReturnType<TestServer["twin"]>>;
let cast: Cast;
let graph: string;
let node: number;
let sockets: TestSocket[] = [];

/** The same person at the other server. */
function at({ url }: { url: string }, person: TestClient): TestClient {
  const client = new TestClient(url);
  for (const [name, value] of person.cookies) client.cookies.set(name, value);
  return client;
}

async function entered(server: { url: string }, person: TestClient): Promise<TestSocket> {
  const socket = await connect(server as TestServer, at(server, person), { reconnection: true });
  sockets.push(socket);
  expect(await socket.enter(graph)).toBe(null);
  return socket;
}

async function opened(server: { url: string }, person: TestClient): Promise<SharedCode> {
  const code = new SharedCode(node);
  expect(await code.open(await entered(server, person))).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  return code;
}

const alike = (text: string, ...codes: SharedCode[]) =>
  until(
    () => codes.every((code) => code.text === text),
    `not alike: ${codes.map((code) => JSON.stringify(code.text)).join()}`,
  );

describe.skipIf(!findRedis())("two servers on one database and one Redis", () => {
  beforeAll(async () => {
    redis = await TestRedis.open();
    one = await startTestServer({ redisUrl: redis.url, secretKey: "the same for both", presenceExpiry: 20_000 });
    two = await one.twin();
    cast = await signUpCast(one);
  });
  afterAll(async () => {
    await two?.close();
    await one?.close();
    await redis?.close();
  });
  beforeEach(async () => {
    graph = await buildGraph(cast, (await buildProject(cast)).id);
    node = (await addNode(cast.owner, graph, "Train")).metadata_id;
    await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "one\ntwo\n" });
  });
  afterEach(() => {
    for (const socket of sockets) socket.close();
    sockets = [];
  });

  it("people on both see each other enter and leave", async () => {
    const ada = await entered(one, cast.owner);
    const ben = await entered(two, cast.editor);
    const { members } = await ben.next<{ members: Member[] }>("project_members");
    expect(members.map(({ username }) => username)).toEqual(["editor", "owner"]);
    expect(await ada.next("entered_project")).toMatchObject({ user: { username: "editor" } });
    ben.close();
    expect(await ada.next("left_project")).toMatchObject({ user: { username: "editor" } });
  });

  it("a person on both is present once, until the last connection is closed", async () => {
    const ada = await entered(one, cast.owner);
    const ben = await entered(one, cast.editor);
    await ada.next("entered_project");
    const again = await entered(two, cast.editor);
    ben.close();
    await cast.owner.patch(`/api/v3/objects/${node}`, { name: "Fit" });
    await again.next("update[GRAPH]");
    expect(ada.all("left_project")).toEqual([]);
    again.close();
    expect(await ada.next("left_project")).toMatchObject({ user: { username: "editor" } });
  });

  it("broadcasts, changes and messages to an account reach people on the other", async () => {
    const ada = await entered(one, cast.owner);
    const ben = await entered(two, cast.editor);
    const eve = await entered(two, cast.viewer);
    await ada.broadcast("selection", { metadata_ids: [1, 2] });
    for (const other of [ben, eve])
      expect(await other.next(broadcastEvent("owner", "selection"))).toEqual({ metadata_ids: [1, 2] });
    const renamed = await at(two, cast.editor).patch(`/api/v3/objects/${node}`, { name: "Fit" });
    expect(renamed.status).toBe(200);
    expect(await ada.next("update[GRAPH]")).toMatchObject({ by: "editor" });
  });

  it("readers on the other see no more than readers here", async () => {
    const ada = await entered(one, cast.owner);
    const eve = await entered(two, cast.viewer);
    await cast.owner.put(`/api/v3/objects/${node}/api`, {
      source_code: "from miranda import *\nclass A(Node):\n    key = Field('', control=Secret())\n",
      api: "{}",
    });
    await ada.broadcast("update[attribute]", { metadata_id: node, name: "key", value: "hidden" });
    expect(await eve.next(broadcastEvent("owner", "update[attribute]"))).toMatchObject({ value: null });
  });

  it("people on both write code together: one copy of the text, every keystroke, cursors with names", async () => {
    const [ada, ben] = await Promise.all([opened(one, cast.owner), opened(two, cast.editor)]);
    expect([ada.text, ben.text]).toEqual(["one\ntwo\n", "one\ntwo\n"]);
    expect(ada.epoch).toBe(ben.epoch);
    ada.type(0, "a");
    ben.type(4, "b");
    await alike("aone\nbtwo\n", ada, ben);
    const eve = await opened(two, cast.viewer);
    await alike("aone\nbtwo\n", ada, ben, eve);
  });

  it("a commit on one includes text just typed on the other, and is published once", async () => {
    const ada = await opened(one, cast.owner);
    const ben = await opened(two, cast.editor);
    ada.type(0, "mine ");
    await alike("mine one\ntwo\n", ada, ben);
    const answer = await at(two, cast.editor).post(`/api/v3/objects/${node}/commits`, { message: "Ours" });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect((await readGraph(cast.owner, graph)).nodes[node]?.source_code).toBe("mine one\ntwo\n");
    const drafts = async () => (await cast.owner.get(`/api/v3/graphs/${graph}/drafts`)).json<Draft[]>().length;
    await expect.poll(drafts).toBe(0);
    await alike("mine one\ntwo\n", ada, ben);
    const saved = ada.socket?.all<DraftEvent>("code_draft").filter(({ unsaved }) => !unsaved) ?? [];
    expect(saved.length).toBeLessThanOrEqual(1);
  });

  it("a run on one includes its runner's text just typed on the other, and both know the author", async () => {
    const ada = await opened(one, cast.owner);
    const ben = await opened(two, cast.editor);
    ada.type(0, "(");
    expect(await ada.socket?.ask("renew_project_presence", graph)).toBe(null);
    const check = (client: TestClient) => client.post(`/api/v3/graphs/${graph}/run-check`, { args: "" });
    const answer = await check(at(two, cast.owner));
    expect([answer.status, answer.text]).toEqual([409, "Train, line 1: '(' was never closed"]);
    expect((await check(at(two, cast.editor))).status).toBe(200);
    ben.type(0, "[");
    expect(await ben.socket?.ask("renew_project_presence", graph)).toBe(null);
    expect((await check(cast.owner)).status).toBe(200);
    const [draft] = (await cast.owner.get(`/api/v3/graphs/${graph}/drafts`)).json<Draft[]>();
    expect(draft?.authors.map(({ username }) => username)).toEqual(["editor", "owner"]);
  });

  it("a draft below which the code changes is outdated on both, until somebody decides on one of them", async () => {
    const [ada, ben] = [await opened(one, cast.owner), await opened(two, cast.editor)];
    ada.type(0, "# typed\n");
    await alike("# typed\none\ntwo\n", ada, ben);
    const source_code = "one\nchanged\n";
    await at(two, cast.editor).put(`/api/v3/objects/${node}/api`, { source_code });
    const commit = (server: { url: string }) =>
      at(server, cast.owner).post(`/api/v3/objects/${node}/commits`, { message: "mine" });
    const drafts = async () => (await cast.viewer.get(`/api/v3/graphs/${graph}/drafts`)).json<Draft[]>();
    for (const server of [one, two]) expect((await commit(server)).status).toBe(409);
    expect(await drafts()).toMatchObject([{ outdated: true }]);
    expect((await at(two, cast.editor).post(`/api/v3/objects/${node}/draft/kept`, { source_code })).status).toBe(200);
    expect(await drafts()).toMatchObject([{ unsaved: true, outdated: false }]);
    expect((await commit(one)).status).toBe(200);
    expect((await readGraph(cast.owner, graph)).nodes[node]?.source_code).toBe("# typed\none\ntwo\n");
    await expect.poll(drafts, { timeout: 20_000 }).toEqual([]);
  });

  it("changed code reaches a clean document on both, once", async () => {
    const ada = await opened(one, cast.owner);
    const ben = await opened(two, cast.editor);
    await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "one\nthree\n" });
    await alike("one\nthree\n", ada, ben);
    ada.type(0, "# ");
    await alike("# one\nthree\n", ada, ben);
    await at(two, cast.editor).put(`/api/v3/objects/${node}/api`, { source_code: "other\n" });
    ben.type(2, "kept ");
    await alike("# kept one\nthree\n", ada, ben);
    expect([ada.refusals, ben.refusals]).toEqual([[], []]);
  });

  it(
    "when Redis goes away and comes back, each server works on, and both agree afterwards",
    { timeout: 40_000 },
    async () => {
      const ada = await entered(one, cast.owner);
      const eve = await entered(one, cast.viewer);
      const ben = await entered(two, cast.editor);
      await redis.stop();
      await ada.broadcast("selection", { metadata_ids: [3] });
      expect(await eve.next(broadcastEvent("owner", "selection"))).toEqual({ metadata_ids: [3] });
      expect((await cast.owner.patch(`/api/v3/objects/${node}`, { name: "Alone" })).status).toBe(200);
      await eve.next("update[GRAPH]");
      const away = new Promise<void>((resolve) => ben.socket.once("disconnect", () => resolve()));
      await redis.start();
      // Ben asks for what he missed when he reconnects.
      await away;
      await until(() => ben.socket.connected, "not back");
      expect(await ben.enter(graph)).toBe(null);
      await until(() => ada.socket.connected, "not back");
      expect(await ada.enter(graph)).toBe(null);
      await ada.broadcast("selection", { metadata_ids: [5] });
      expect(await ben.next(broadcastEvent("owner", "selection"))).toEqual({ metadata_ids: [5] });
    },
  );
});
