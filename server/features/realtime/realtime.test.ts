import { broadcastChannels } from "@miranda/contract/broadcast-channels.ts";
import { readerChannels } from "@miranda/contract/events.ts";
import { attribute, broadcastSamples, node as sampleNode } from "@miranda/contract/graph/graph-samples.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, setApi } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, refusalOf, type TestSocket, until } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graph: string;
let sockets: TestSocket[] = [];
beforeAll(async () => {
  server = await startTestServer({ presenceExpiry: 5_000 });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

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

const hidden = "Workflow not found.";

it("returns the graph's revision on entering, so that a client knows when its copy is older", async () => {
  const progress = async () => {
    const socket = await open(cast.viewer);
    return new Promise((resolve) => {
      socket.socket.emit("enter_project", graph, (_refusal: null, entered: unknown) => resolve(entered));
    });
  };
  const node = await addNode(cast.owner, graph, "One");
  const { revision } = (await cast.viewer.get(`/api/v3/graphs/${graph}/graph`)).json<{ revision: number }>();
  expect(await progress()).toEqual({ revision, last_used: null });
  const usedAt = new Date("2026-01-02T03:04:05.678Z");
  await server.db
    .updateTable("nodes")
    .set({ last_used_at: usedAt })
    .where("metadata_id", "=", node.metadata_id)
    .execute();
  await cast.owner.patch(`/api/v3/objects/${node.metadata_id}`, { name: "Two" });
  expect(await progress()).toEqual({ revision: revision + 1, last_used: usedAt.toISOString() });
});

describe("access, a test per cell", () => {
  const readOnly = "You may look at this workflow but not change it.";
  const members: Role[] = ["stranger", "viewer", "editor", "owner", "admin"];

  it("connect: refuses an anonymous client", async () => {
    expect(await refusalOf(server, cast.anonymous)).toBe("You are not signed in.");
  });
  it.each(members)("connect: accepts %s", async (role) => {
    expect((await open(cast[role])).socket.connected).toBe(true);
  });

  it.each(members)("enter_project: %s", async (role) => {
    const socket = await open(cast[role]);
    expect(await socket.enter(graph)).toBe(role === "stranger" ? hidden : null);
    expect(socket.all("project_members")).toHaveLength(role === "stranger" ? 0 : 1);
  });

  it.each(members)("broadcast selection: %s", async (role) => {
    const listener = await entered(cast.owner);
    const socket = await open(cast[role]);
    await socket.enter(graph);
    const word = await socket.broadcast("selection", { metadata_ids: [1] });
    expect(word).toBe(role === "stranger" ? "Enter a workflow first." : null);
    if (word === null) await listener.next(`broadcast<${role}>(selection)`);
    else expect(listener.received.filter(({ event }) => event.startsWith("broadcast"))).toEqual([]);
  });

  it.each(members)("broadcast edits: %s", async (role) => {
    const listener = await entered(cast.owner);
    const socket = await open(cast[role]);
    await socket.enter(graph);
    for (const channel of broadcastChannels.filter((one) => !readerChannels.includes(one))) {
      const expected = role === "stranger" ? "Enter a workflow first." : role === "viewer" ? readOnly : null;
      expect(await socket.broadcast(channel, broadcastSamples[channel])).toBe(expected);
    }
    const edits = role === "stranger" || role === "viewer" ? 0 : broadcastChannels.length - readerChannels.length;
    const received = () => listener.received.filter(({ event }) => event.startsWith(`broadcast<${role}>`));
    await expect.poll(() => received().length).toBeGreaterThanOrEqual(edits);
    expect(received()).toHaveLength(edits);
  });

  it("a public workflow can be entered by everybody signed in, to read", async () => {
    await cast.owner.patch(`/api/v3/projects/${project.id}`, { visibility: "public" });
    const socket = await entered(cast.stranger);
    expect(await socket.broadcast("delete[wob]", { metadata_id: 1 })).toBe(readOnly);
  });
});

describe("connecting", () => {
  it("S7-086 S7-125 at the specification's path is answered with ready", async () => {
    expect(limits.path).toBe("/ws/socket.io");
    expect((await open(cast.owner)).all("ready")).toHaveLength(1);
  });

  it.each(["websocket", "polling"])("S7-087 works by %s", async (transport) => {
    const socket = await open(cast.owner, { transports: [transport], upgrade: false });
    expect(socket.socket.io.engine.transport.name).toBe(transport);
    expect(await socket.enter(graph)).toBe(null);
  });

  it("works with an access token, as a header or as auth.token, until it is revoked", async () => {
    const { token } = (await cast.owner.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const nobody = server.anonymous();
    const first = await open(nobody, { extraHeaders: { authorization: `Bearer ${token}` } });
    expect(await first.enter(graph)).toBe(null);
    const second = await open(nobody, { auth: { token } });
    const [{ id } = { id: "" }] = (await cast.owner.get("/api/v3/auth/access_tokens")).json<{ id: string }[]>();
    await cast.owner.delete(`/api/v3/auth/access_tokens/${id}`);
    await until(() => first.socket.disconnected && second.socket.disconnected, "revoked tokens stay connected", 5_000);
    expect(await refusalOf(server, nobody, { auth: { token } })).toBe("You are not signed in.");
  });

  it.each([
    ["a foreign origin", { extraHeaders: { origin: "https://evil.example" } }],
    ["a forged cookie", { extraHeaders: { cookie: "miranda_session=forged" } }],
    ["a forged token", { auth: { token: "mir_forged" } }],
  ])("is refused with %s", async (_what, options) => {
    expect(await refusalOf(server, cast.owner, options)).not.toBe("");
  });

  it("is refused with an expired session", async () => {
    const person = await server.signUp("expired");
    await server.db
      .updateTable("sessions")
      .set({ expires_at: new Date(0) })
      .where("account_id", "=", person.account.id)
      .execute();
    expect(await refusalOf(server, person)).toBe("You are not signed in.");
  });
});

describe("presence in a workflow", () => {
  it("S7-094 S7-095 S7-096 S4-017 S4-018 S3-010 is published to oneself and the others", async () => {
    const owner = await entered(cast.owner);
    const editor = await entered(cast.editor);
    const { members } = await editor.next<{ members: Member[] }>("project_members");
    expect(members.map(({ username }) => username)).toEqual(["editor", "owner"]);
    expect(Object.keys(members[0] ?? {}).sort()).toEqual(
      ["avatar", "email", "first_name", "id", "last_name", "username"].sort(),
    );
    const { user } = await owner.next<{ user: Member }>("entered_project");
    expect(user).toMatchObject({ id: cast.editor.account.id, username: "editor" });
    expect(editor.all("entered_project")).toEqual([]);
    expect(await editor.ask("leave_project", graph)).toBe(null);
    expect((await owner.next<{ user: Member }>("left_project")).user.username).toBe("editor");
    expect(await editor.broadcast("selection", { metadata_ids: [] })).toBe("Enter a workflow first.");
  });

  it("shows a reader no e-mail but their own", async () => {
    const viewer = await entered(cast.viewer);
    const owner = await entered(cast.owner);
    const editor = await entered(cast.editor);
    const mails = ({ members }: { members: Member[] }) => members.map(({ username, email }) => `${username} ${email}`);
    const again = await entered(cast.viewer);
    expect(mails(await again.next("project_members"))).toEqual(["editor ", "owner ", "viewer viewer@example.org"]);
    expect(mails(await editor.next("project_members"))).toContain("owner owner@example.org");
    expect((await owner.next<{ user: Member }>("entered_project")).user.email).toBe("editor@example.org");
    await editor.ask("leave_project", graph);
    await viewer.next("left_project");
    expect(JSON.stringify(viewer.received)).not.toMatch(/(owner|editor)@/);
  });

  it("with two tabs counts once, until the last is closed", async () => {
    const owner = await entered(cast.owner);
    const [first, second] = [await entered(cast.editor), await entered(cast.editor)];
    expect(owner.all("entered_project")).toHaveLength(1);
    expect(second.all<{ members: Member[] }>("project_members")[0]?.members).toHaveLength(2);
    first.close();
    expect(await second.broadcast("selection", { metadata_ids: [2] })).toBe(null);
    await owner.next("broadcast<editor>(selection)");
    expect(owner.all("left_project")).toEqual([]);
    second.close();
    await owner.next("left_project");
  });

  it("S7-090 ends without renewal, and a renewal enters again", async () => {
    const owner = await entered(cast.owner);
    const editor = await entered(cast.editor);
    const renewing = setInterval(() => void owner.socket.emit("renew_project_presence", graph), 300);
    try {
      await owner.next<{ user: Member }>("left_project", ({ user }) => user.username === "editor");
      expect(editor.all("left_project").length).toBeGreaterThan(0);
      expect(owner.socket.connected).toBe(true);
      // A person who is no longer shown still receives events.
      await owner.broadcast("selection", { metadata_ids: [1] });
      await editor.next("broadcast<owner>(selection)");
      expect(await editor.ask("renew_project_presence", graph)).toBe(null);
      await until(() => owner.all("entered_project").length === 2, "the renewal did not enter again");
    } finally {
      clearInterval(renewing);
    }
  });

  it("S7-096 ends with the connection", async () => {
    const owner = await entered(cast.owner);
    (await entered(cast.viewer)).close();
    expect((await owner.next<{ user: Member }>("left_project")).user.username).toBe("viewer");
  });

  it.each([
    ["nothing", undefined],
    ["a number", 5],
    ["an object", { id: "x" }],
    ["a room of our own", "write:x"],
    ["an account's room", () => `account:${cast.owner.account.id}`],
    ["a graph that never was", "0190a000-0000-7000-8000-000000000000"],
    ["a list", () => [graph]],
  ])("is refused for %s", async (_what, room) => {
    const socket = await open(cast.stranger);
    const given: unknown = typeof room === "function" ? room() : room;
    for (const event of ["enter_project", "renew_project_presence"])
      expect(await socket.ask(event, given)).toBe(hidden);
    expect(await socket.ask("leave_project", given)).toBe(null);
    expect(socket.received.map(({ event }) => event)).toEqual(["ready"]);
  });

  it("broadcasts go to the workflow entered last", async () => {
    const other = await buildGraph(cast, project.id, "Other");
    const [here, there] = [await entered(cast.editor), await open(cast.editor)];
    await there.enter(other);
    const owner = await entered(cast.owner);
    await owner.enter(other);
    await owner.broadcast("selection", { metadata_ids: [1] });
    await there.next("broadcast<owner>(selection)");
    await owner.ask("leave_project", other);
    await owner.broadcast("selection", { metadata_ids: [2] });
    expect(await here.next("broadcast<owner>(selection)")).toEqual({ metadata_ids: [2] });
  });
});

describe("broadcasts", () => {
  it.each([
    ["S7-098", "selection"],
    ["", "follow"],
    ["", "view"],
    ["S7-099", "setNodeDisabled"],
    ["S7-100", "update[attribute]"],
    ["S7-101", "update[CODE]"],
    ["S7-102", "create[edge]"],
    ["S7-103", "delete[edge]"],
    ["S7-104", "create[wob]"],
    ["S7-105", "update[wob]"],
    ["S7-106", "delete[wob]"],
    ["S7-107", "create[blueprint]"],
    ["S7-108", "setWaitingOnTag"],
  ] as const)(
    "%s S7-091 S7-097 on %s reach the others under the sender's name, and not the sender",
    async (_id, channel) => {
      const [owner, editor, viewer] = [
        await entered(cast.owner),
        await entered(cast.editor),
        await entered(cast.viewer),
      ];
      const event = `broadcast<owner>(${channel})`;
      const data = broadcastSamples[channel];
      expect(await owner.broadcast(channel, { ...data, sender: "editor" })).toBe(null);
      expect(await editor.next(event)).toEqual(data);
      await viewer.next(event);
      expect(owner.all(event)).toEqual([]);
    },
  );

  it("show readers no value of a secret control", async () => {
    const { metadata_id } = await addNode(cast.owner, graph);
    const secret = attribute("key", "RECEIVER_FIELD", {
      kind: "string",
      value: "hunter2",
      control: { type: "secret" },
    });
    await setApi(cast.owner, metadata_id, [{ ...secret, value: "" }]);
    const [owner, editor, viewer] = [await entered(cast.owner), await entered(cast.editor), await entered(cast.viewer)];
    const node = { ...sampleNode(metadata_id, [secret]), git: "https://me:hunter3@example.org/x" };
    await owner.broadcast("update[attribute]", { metadata_id, name: "key", value: "hunter2" });
    await owner.broadcast("create[wob]", node);
    await owner.broadcast("update[wob]", { metadata_id, changes: node });
    await owner.broadcast("create[blueprint]", {
      ...broadcastSamples["create[blueprint]"],
      nodes: { [metadata_id]: node },
    });
    await owner.broadcast("update[CODE]", { metadata_id, source_code: "", api: node.api });
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/key`, { attribute_value: "hunter2" });
    await viewer.next("update[VIEW]");
    expect(JSON.stringify(viewer.received)).not.toContain("hunter");
    expect(viewer.received.filter(({ event }) => event.startsWith("broadcast"))).toHaveLength(5);
    expect(JSON.stringify(editor.received)).toContain("hunter2");
    expect(JSON.stringify(editor.received)).not.toContain("hunter3");
  });

  it("without a callback are refused by a notice", async () => {
    const viewer = await entered(cast.viewer);
    viewer.socket.emit("broadcast", "update[CODE]", {});
    expect(await viewer.next("notice")).toEqual({
      code: "graph_read_only",
      message: "You may look at this workflow but not change it.",
    });
  });
});

describe("losing access", () => {
  it.each([
    ["membership", () => cast.owner.delete(`/api/v3/projects/${project.id}/members/${cast.editor.account.id}`)],
    ["the workflow", () => cast.owner.delete(`/api/v3/graphs/${graph}?preview=false`)],
    ["the project", () => cast.owner.delete(`/api/v3/projects/${project.id}?preview=false`)],
  ])("with %s evicts, and nothing more is received or sent", async (_what, end) => {
    const owner = await entered(cast.owner);
    const editor = await entered(cast.editor);
    expect((await end()).status).toBe(200);
    expect(await editor.next("evicted")).toEqual({ graph_id: graph, message: hidden });
    expect(await editor.broadcast("selection", { metadata_ids: [] })).toBe("Enter a workflow first.");
    expect(await editor.enter(graph)).toBe(hidden);
    await owner.broadcast("selection", { metadata_ids: [1] });
    await editor.ask("leave_project", graph);
    expect(editor.all("broadcast<owner>(selection)")).toEqual([]);
  });

  it("by a direct database change is found within 5 s", async () => {
    const editor = await entered(cast.editor);
    await server.db.deleteFrom("project_members").where("project_id", "=", project.id).execute();
    await until(() => editor.all("evicted").length === 1, "not evicted", 5_000);
    expect(await editor.enter(graph)).toBe(hidden);
  });

  it("to write turns the person into a reader, with an event", async () => {
    const editor = await entered(cast.editor);
    const path = `/api/v3/projects/${project.id}/members/${cast.editor.account.id}`;
    await cast.owner.patch(path, { role: "viewer" });
    expect(await editor.next("access")).toEqual({ graph_id: graph, viewOnly: true });
    expect(await editor.broadcast("delete[wob]", { metadata_id: 1 })).toContain("not change it");
    await cast.owner.patch(path, { role: "editor" });
    await until(() => editor.all("access").length === 2, "the right did not come back");
    expect(await editor.broadcast("delete[wob]", { metadata_id: 1 })).toBe(null);
  });

  it.each([
    ["logout", (client: TestClient) => client.delete("/api/v3/auth")],
    [
      "a new password",
      (client: TestClient) =>
        client.post("/api/v3/auth/password", { current_password: password, new_password: "another horse battery" }),
    ],
  ])("by %s ends every connection of the session within 5 s", async (what, end) => {
    const person = await server.signUp(what === "logout" ? "leaver" : "changer");
    const socket = await open(person);
    const answer = await person.post("/api/v3/auth/access_tokens", { web_password: password });
    const { token } = answer.json<{ token: string }>();
    const program = await open(server.anonymous(), { auth: { token } });
    expect((await end(person)).status).toBe(200);
    await until(() => socket.socket.disconnected, "still connected", 5_000);
    expect(socket.all("notice")).toEqual([{ code: "not_signed_in", message: "You are not signed in." }]);
    // A token is not a session: it ends with the password only.
    if (what === "logout") return expect(program.socket.connected).toBe(true);
    await until(() => program.socket.disconnected, "the token's connection stays", 5_000);
    expect(await refusalOf(server, server.anonymous(), { auth: { token } })).toBe("You are not signed in.");
  });
});
