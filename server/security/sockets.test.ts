import { errors } from "@miranda/contract/errors.ts";
import { type BroadcastChannel, broadcastChannels } from "@miranda/contract/broadcast-channels.ts";
import { parseBroadcastEvent } from "@miranda/contract/events.ts";
import { broadcastSamples } from "@miranda/contract/graph/graph-samples.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import type { ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { RealtimeCounts } from "@miranda/contract/schemas/realtime.ts";
import { sql } from "kysely";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, type Cast, signUpCast } from "../testing/access.ts";
import { addNode, setApi } from "../testing/editor.ts";
import type { TestClient } from "../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../testing/test-server.ts";
import { connect, refusalOf, type TestSocket, until } from "../testing/test-socket.ts";

const quota = 5;
const refused = "That is not what this channel carries.";
let server: TestServer;
let cast: Cast;
let graph: string;
let sockets: TestSocket[] = [];

beforeAll(async () => {
  server = await startTestServer({ socketsPerAccount: quota });
  cast = await signUpCast(server);
  // Public: every account may read and select.
  const made = await cast.owner.post("/api/v3/projects/", { name: "Open", description: "" });
  const { id } = made.json<{ id: string }>();
  await cast.owner.post(`/api/v3/projects/${id}/members`, { user: "editor", role: "editor" });
  graph = await buildGraph(cast, id);
});
afterAll(() => server.close());
afterEach(async () => {
  for (const socket of sockets) socket.close();
  sockets = [];
  // Wait until all connections of the previous test are closed.
  while ((await counts()).connections > 0) await new Promise((resolve) => setTimeout(resolve, 10));
});

async function counts(): Promise<RealtimeCounts> {
  return (await cast.admin.get("/api/v3/realtime")).json<RealtimeCounts>();
}

async function open(client: TestClient, options = {}): Promise<TestSocket> {
  const socket = await connect(server, client, options);
  sockets.push(socket);
  return socket;
}

async function entered(client: TestClient): Promise<TestSocket> {
  const socket = await open(client);
  expect(await socket.enter(graph)).toBe(null);
  return socket;
}

const heardBroadcasts = ({ received }: TestSocket) => received.filter(({ event }) => event.startsWith("broadcast<"));

/** Everything on its way to a connection has arrived. */
const caughtUp = (socket: TestSocket) => socket.ask("leave_project", "");

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
}

describe("a hostile broadcast", () => {
  const hostileSelections: [string, unknown][] = [
    ["null", null],
    ["a list", [1, 2]],
    ["a text", "x"],
    ["nothing in it", {}],
    ["no list of nodes", { metadata_ids: null }],
    ["texts as nodes", { metadata_ids: ["<img>"] }],
    ["fractions as nodes", { metadata_ids: [1.5] }],
    ["5,001 nodes", { metadata_ids: Array.from({ length: 5_001 }, (_, at) => at) }],
    ["a pointer without a place", { metadata_ids: [], cursor: {} }],
    ["a pointer off the map", { metadata_ids: [], cursor: { x: 1e300, y: 0 } }],
    ["bytes", Buffer.alloc(64)],
  ];

  it.each(hostileSelections)("of a reader reaches nobody: a selection with %s", async (_, data) => {
    const [owner, stranger] = [await entered(cast.owner), await entered(cast.stranger)];
    const before = (await counts()).dropped_broadcasts.total;
    expect(await stranger.broadcast("selection", data)).toBe(refused);
    await caughtUp(owner);
    expect(heardBroadcasts(owner)).toEqual([]);
    expect((await counts()).dropped_broadcasts.total).toBe(before + 1);
    // The sender may go on.
    expect(await stranger.broadcast("selection", { metadata_ids: [1] })).toBe(null);
    await owner.next("broadcast<stranger>(selection)");
  });

  it.each(broadcastChannels)(
    "of an editor reaches nobody: %s with nothing, or a field of another type",
    async (name) => {
      const [owner, viewer, editor] = [
        await entered(cast.owner),
        await entered(cast.viewer),
        await entered(cast.editor),
      ];
      const sample: object = broadcastSamples[name];
      // The value of an attribute may be any JSON.
      const fields = Object.keys(sample).filter((field) => field !== "value");
      const wrong = fields.map((field) => ({ ...sample, [field]: [["wrong"]] }));
      for (const data of [null, {}, "x", [sample], ...wrong]) expect(await editor.broadcast(name, data)).toBe(refused);
      await Promise.all([caughtUp(owner), caughtUp(viewer)]);
      expect([...heardBroadcasts(owner), ...heardBroadcasts(viewer)]).toEqual([]);
    },
  );

  it.each([
    ["a value nested 2,000 times", { metadata_id: 1, name: "a", value: nested(2_000) }],
    ["bytes as a value", { metadata_id: 1, name: "a", value: Buffer.alloc(16) }],
    ["bytes inside a value", { metadata_id: 1, name: "a", value: { deep: [Buffer.alloc(16)] } }],
  ])("of an editor reaches nobody: %s", async (_what, data) => {
    const [owner, editor] = [await entered(cast.owner), await entered(cast.editor)];
    const words = await editor.broadcast("update[attribute]", data);
    expect([refused, errors.message_too_large]).toContain(words);
    await caughtUp(owner);
    expect(heardBroadcasts(owner)).toEqual([]);
  });

  it("is refused when it is nested so deeply that recursion would crash the server", async () => {
    const [owner, editor] = [await entered(cast.owner), await entered(cast.editor)];
    for (const depth of [5_000, 20_000, 100_000]) {
      const value = "[".repeat(depth) + "]".repeat(depth);
      // As bytes on the wire: a Socket.IO client could not write it.
      editor.socket.io.engine.write(`2["broadcast","update[attribute]",{"metadata_id":1,"name":"a","value":${value}}]`);
      expect(await editor.broadcast("delete[wob]", { metadata_id: depth })).toBe(null);
    }
    await owner.next<{ metadata_id: number }>("broadcast<editor>(delete[wob])", (data) => data.metadata_id === 100_000);
    expect(heardBroadcasts(owner)).toHaveLength(3);
  });

  it("that announces bytes it does not send closes the sender's connection, and no other", async () => {
    const [owner, editor] = [await entered(cast.owner), await entered(cast.editor)];
    const forged = { _placeholder: true, num: 7 };
    expect(await editor.broadcast("update[attribute]", { metadata_id: 1, name: "a", value: forged })).toBe(null);
    expect(await owner.next("broadcast<editor>(update[attribute])")).toMatchObject({ value: forged });
    editor.socket.emit("broadcast", "update[attribute]", {
      metadata_id: 1,
      name: "a",
      value: [forged, Buffer.alloc(1)],
    });
    await until(() => editor.socket.disconnected, "still connected");
    expect(await owner.broadcast("selection", { metadata_ids: [] })).toBe(null);
  });

  it("is stripped of fields that its channel does not have", async () => {
    const [owner, editor] = [await entered(cast.owner), await entered(cast.editor)];
    const extra = { sender: "owner", html: "<script>", constructor: { x: 1 }, toString: "x" };
    for (const channel of broadcastChannels) {
      const data: object = broadcastSamples[channel];
      expect(await editor.broadcast(channel, { ...data, ...extra })).toBe(null);
      expect(await owner.next(`broadcast<editor>(${channel})`)).toEqual(data);
    }
  });

  it("is refused with a code and words, or by a notice without acknowledgement", async () => {
    const stranger = await entered(cast.stranger);
    const answer = await new Promise<unknown[]>((resolve) => {
      stranger.socket.emit("broadcast", "selection", null, (...args: unknown[]) => resolve(args));
    });
    expect(answer).toEqual([refused, "invalid_broadcast"]);
    stranger.socket.emit("broadcast", "selection", null);
    expect(await stranger.next("notice")).toEqual({ code: "invalid_broadcast", message: refused });
  });

  it("is counted for administrators only", async () => {
    const stranger = await entered(cast.stranger);
    const before = (await counts()).dropped_broadcasts.channels["selection"] ?? 0;
    await stranger.broadcast("selection", null);
    expect((await counts()).dropped_broadcasts.channels["selection"]).toBe(before + 1);
    expect((await cast.owner.get("/api/v3/realtime")).status).toBe(403);
    expect((await cast.anonymous.get("/api/v3/realtime")).status).toBe(401);
  });
});

it("can broadcast every node of the shipped library", async () => {
  const [owner, editor] = [await entered(cast.owner), await entered(cast.editor)];
  const prefabs = (await cast.editor.get("/api/v3/prefabs?limit=500")).json<{ id: string }[]>();
  expect(prefabs.length).toBeGreaterThan(10);
  for (const { id } of prefabs) {
    const made = await cast.editor.post(`/api/v3/objects/clone/${id}`, { project_id: graph });
    const { revision: _revision, ...node } = made.json<ChangedNode>();
    expect([node.name, await editor.broadcast("create[wob]", node)]).toEqual([node.name, null]);
    const isThis = (data: unknown) => (data as ChangedNode).metadata_id === node.metadata_id;
    expect(await owner.next("broadcast<editor>(create[wob])", isThis)).toEqual(node);
  }
  const channels = new Set(heardBroadcasts(owner).map(({ event }) => parseBroadcastEvent(event)?.channel));
  expect([...channels]).toEqual(["create[wob]" satisfies BroadcastChannel]);
});

it("a member made a reader receives no secret, even when they enter again at once", async () => {
  const made = await cast.owner.post("/api/v3/projects/", { name: "Mine", description: "" });
  const { id } = made.json<{ id: string }>();
  await cast.owner.post(`/api/v3/projects/${id}/members`, { user: "editor", role: "editor" });
  const own = await buildGraph(cast, id);
  const { metadata_id } = await addNode(cast.owner, own);
  const secret = { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } };
  await setApi(cast.owner, metadata_id, [secret]);
  const [owner, editor] = [await open(cast.owner), await open(cast.editor)];
  for (const socket of [owner, editor]) expect(await socket.enter(own)).toBe(null);
  // Behind the server's back: it checks rights every 2 s, and must not depend on that.
  await server.db.updateTable("project_members").set({ role: "viewer" }).where("project_id", "=", id).execute();
  expect(await editor.enter(own)).toBe(null);
  expect(await owner.broadcast("update[attribute]", { metadata_id, name: "key", value: "hunter2" })).toBe(null);
  await editor.next("broadcast<owner>(update[attribute])");
  await caughtUp(editor);
  expect(heardBroadcasts(editor).map(({ data }) => data)).toEqual([{ metadata_id, name: "key", value: null }]);
});

describe("the connections of one account", () => {
  const words = "You have too many connections. Close some tabs.";

  it("are refused beyond the quota with words and a code, until one is closed", async () => {
    const mine: TestSocket[] = [];
    while (mine.length < quota) mine.push(await open(cast.viewer));
    const error = await connect(server, cast.viewer).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ message: words, data: { code: "too_many_connections" } });
    await entered(cast.owner);
    mine[0]?.close();
    await expect.poll(() => refusalOf(server, cast.viewer).catch(() => "let in")).toBe("let in");
  });

  it("are refused beyond the quota even when all connect at once", async () => {
    const asked = await Promise.allSettled(Array.from({ length: 30 }, () => open(cast.viewer)));
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(quota);
    expect((await counts()).connections).toBe(quota);
  });

  it("close when they ask to be let in again and again, and cost the database one look", async () => {
    const person = await server.signUp("patient");
    const shake = `${server.url}${limits.path}/?EIO=4&transport=polling`;
    const opened = (await (await fetch(shake)).text()).slice(1);
    const { sid } = JSON.parse(opened) as { sid: string };
    await server.db.transaction().execute(async (trx) => {
      // Whoever looks a token up waits for as long as this lasts.
      await sql`lock table access_tokens in access exclusive mode`.execute(trx);
      const asking = Array.from({ length: 20_000 }, () => '40{"token":"x"}').join("\x1e");
      const asked = await fetch(`${shake}&sid=${sid}`, { method: "POST", body: asking });
      await asked.text();
      expect((await person.get("/api/v3/projects")).status).toBe(200);
    });
    expect((await fetch(`${shake}&sid=${sid}`)).status).toBe(400);
  });

  it("return their places when they are given up before they are accepted", async () => {
    const { token } = (await cast.viewer.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const address = `${server.url.replace("http", "ws")}${limits.path}/?EIO=4&transport=websocket`;
    for (let at = 0; at < 3 * quota; at++) {
      const wire = new WebSocket(address);
      await once(wire, "open");
      wire.send(`40${JSON.stringify({ token })}`);
      wire.close();
      await until(() => wire.readyState === WebSocket.CLOSED, "still open");
    }
    await expect.poll(async () => (await counts()).connections).toBe(0);
    for (let at = 0; at < quota; at++) await open(cast.viewer);
  });
});
