import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from "y-protocols/awareness";
import type { CodeUpdateEvent, CommitPage, Draft, DraftEvent } from "@miranda/contract/schemas/code.ts";
import * as Y from "yjs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";
import { replacement } from "@miranda/contract/replacement.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graph: string;
let node: number;
let sockets: TestSocket[] = [];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
  await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "one\ntwo\n" });
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

async function entered(client: TestClient): Promise<TestSocket> {
  const socket = await connect(server, client);
  sockets.push(socket);
  expect(await socket.enter(graph)).toBe(null);
  return socket;
}

async function opened(client: TestClient): Promise<SharedCode> {
  const code = new SharedCode(node);
  expect(await code.open(await entered(client))).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  return code;
}

const drafts = async () => (await cast.viewer.get(`/api/v3/graphs/${graph}/drafts`)).json<Draft[]>();
const alike = (text: string, ...codes: SharedCode[]) =>
  until(
    () => codes.every((code) => code.text === text),
    `not alike: ${codes.map((code) => JSON.stringify(code.text)).join()}`,
  );

describe("writing together", () => {
  it("gives everybody one copy of the code and every keystroke", async () => {
    const [ada, ben, eve] = [await opened(cast.owner), await opened(cast.editor), await opened(cast.viewer)];
    expect([ada.text, ben.text]).toEqual(["one\ntwo\n", "one\ntwo\n"]);
    ada.type(0, "a");
    ben.type(4, "b");
    await alike("aone\nbtwo\n", ada, ben, eve);
  });

  it("merges text typed on both sides of a lost connection, once", async () => {
    const [ada, ben] = [await opened(cast.owner), await opened(cast.editor)];
    ada.type(0, "sent ");
    await alike("sent one\ntwo\n", ada, ben);
    ben.socket?.close();
    ben.type(9, "B");
    ada.type(0, "A");
    await until(() => ada.text.startsWith("A"), "typing");
    expect(await ben.open(await entered(cast.editor))).toBe(null);
    await alike("Asent one\nBtwo\n", ada, ben);
  });

  it("keeps text that only one person had through their disconnect and a closed document", async () => {
    const ada = await opened(cast.owner);
    ada.socket?.close();
    ada.type(0, "offline ");
    // The server closes the document. The next person to open it gets it from the stored draft.
    const ben = await opened(cast.editor);
    expect(ben.text).toBe("one\ntwo\n");
    await ada.open(await entered(cast.owner));
    await alike("offline one\ntwo\n", ada, ben);
  });

  it("S4-020 stores unsaved code, publishes it, and shows it to the next person who opens it", async () => {
    const listener = await entered(cast.viewer);
    const ada = await opened(cast.owner);
    ada.type(0, "draft ");
    const event = await listener.next<DraftEvent>("code_draft");
    expect(event).toMatchObject({ graph_id: graph, metadata_id: node, unsaved: true, by: "owner" });
    expect(await drafts()).toMatchObject([{ metadata_id: node, by: "owner" }]);
    ada.socket?.close();
    expect((await opened(cast.editor)).text).toBe("draft one\ntwo\n");
    expect((await readGraph(cast.owner, graph)).nodes[node]?.source_code).toBe("one\ntwo\n");
  });

  it("S4-021 clears the draft of a committed node, and of no other", async () => {
    const other = await addNode(cast.owner, graph, "Other");
    const ada = await opened(cast.owner);
    const second = new SharedCode(other.metadata_id);
    await second.open(await entered(cast.owner));
    await until(() => second.epoch !== null, "no document");
    ada.type(0, "mine ");
    second.type(0, "# kept\n");
    await until(() => ada.socket?.all<DraftEvent>("code_draft").length === 2, "drafts not published");
    const answer = await cast.owner.post(`/api/v3/objects/${node}/commits`, { message: "Mine" });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await ada.socket?.next<DraftEvent>("code_draft", (draft) => draft.metadata_id === node && !draft.unsaved);
    expect((await drafts()).map(({ metadata_id }) => metadata_id)).toEqual([other.metadata_id]);
    expect((await readGraph(cast.owner, graph)).nodes[node]?.source_code).toBe("mine one\ntwo\n");
    expect(ada.text).toBe("mine one\ntwo\n");
  });

  it("updates a clean document when the code changes, and keeps unsaved code", async () => {
    const ada = await opened(cast.owner);
    await cast.editor.put(`/api/v3/objects/${node}/api`, { source_code: "one\nthree\n" });
    await alike("one\nthree\n", ada);
    ada.type(0, "x");
    await until(() => ada.socket?.all<DraftEvent>("code_draft").length === 1, "draft not published");
    await cast.editor.put(`/api/v3/objects/${node}/api`, { source_code: "four\n" });
    expect(await drafts()).toHaveLength(1);
    expect(ada.text).toBe("xone\nthree\n");
  });

  it("does not count Windows line endings as a change", async () => {
    await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "one\r\ntwo\r\n" });
    const ada = await opened(cast.owner);
    expect(ada.text).toBe("one\ntwo\n");
    ada.type(0, "x");
    ada.doc.getText("code").delete(0, 1);
    expect((await drafts()).length).toBe(0);
  });
});

it("names everybody who typed in the code when one of them commits or runs it", async () => {
  const [ada, ben] = [await opened(cast.owner), await opened(cast.editor)];
  ben.type(0, "ben ");
  await alike("ben one\ntwo\n", ada);
  ada.type(0, "ada ");
  await until(() => ben.text.startsWith("ada"), "not typed");
  const credits = async () => {
    const { commits } = (await cast.viewer.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>();
    return [commits[0]?.author?.username, commits[0]?.with.map(({ username }) => username)];
  };
  await cast.owner.post(`/api/v3/objects/${node}/commits`, { message: "Ours" });
  expect(await credits()).toEqual(["owner", ["editor"]]);
  ada.type(0, "alone ");
  await until(() => ben.text.startsWith("alone"), "not typed");
  await cast.owner.post(`/api/v3/objects/${node}/commits`, { message: "Mine" });
  expect(await credits()).toEqual(["owner", []]);
});

describe("restoring while another edits", () => {
  it("loses nothing: unsaved code is committed first, and later keystrokes stay", async () => {
    const first = (await cast.owner.post(`/api/v3/objects/${node}/commits`, { message: "First" })).json<{
      id: string;
    }>();
    await cast.owner.post(`/api/v3/objects/${node}/commits`, { source_code: "second\n" });
    const ben = await opened(cast.editor);
    ben.type(0, "unsaved ");
    await until(() => ben.socket?.all("code_draft").length === 1, "draft not published");
    const answer = await cast.owner.post(`/api/v3/objects/${node}/commits/${first.id}/restore`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await alike("one\ntwo\n", ben);
    const { commits } = (await cast.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>();
    expect(commits.map(({ message }) => message)).toEqual([
      "Restore #1: First",
      "Unsaved changes before #1 was restored",
      "",
      "First",
    ]);
    // The restored commit is the owner's, the unsaved code was Ben's.
    expect(commits.map(({ author }) => author?.username)).toEqual(["owner", "editor", "owner", "owner"]);
    ben.type(0, "later ");
    expect((await opened(cast.owner)).text).toBe("later one\ntwo\n");
  });
});

describe("a node deleted while it is open", () => {
  it("notifies everybody, refuses keystrokes, and is restored with its unsaved code", async () => {
    const ada = await opened(cast.owner);
    ada.type(0, "kept ");
    await until(() => ada.socket?.all("code_draft").length === 1, "draft not published");
    await cast.editor.delete(`/api/v3/objects/${node}`);
    expect(await ada.socket?.next("code_gone")).toMatchObject({ metadata_id: node, by: "editor" });
    ada.type(0, "lost? ");
    await until(() => ada.refusals.length > 0, "was not refused");
    expect(ada.refusals).toEqual(["Node not found."]);
    expect(await drafts()).toEqual([]);
    // As the browser does when it sees the restored node before it is stored.
    expect(await ada.open(ada.socket as TestSocket)).toBe("Node not found.");
    const known = ada.socket?.all("code_document").length ?? 0;
    await cast.editor.post(`/api/v3/graphs/${graph}/restore`, { metadata_ids: JSON.stringify([node]) });
    await until(() => (ada.socket?.all("code_document").length ?? 0) > known, "not told that the node is back");
    expect(await ada.open(ada.socket as TestSocket)).toBe(null);
    expect((await opened(cast.editor)).text).toContain("kept one");
  });
});

describe("cursors", () => {
  it("carry the account's name, and disappear with their connection", async () => {
    const [ada, ben] = [await opened(cast.owner), await opened(cast.editor)];
    const mine = new Awareness(ada.doc);
    mine.setLocalState({ user: { name: "somebody else" }, cursor: { anchor: 1, head: 1 } });
    const word = await ada.socket?.ask(
      "code_awareness",
      node,
      Buffer.from(encodeAwarenessUpdate(mine, [ada.doc.clientID])),
    );
    expect(word).toBe(null);
    const seen = new Awareness(ben.doc);
    const take = (event: CodeUpdateEvent) => applyAwarenessUpdate(seen, new Uint8Array(event.update), "server");
    ben.socket?.all<CodeUpdateEvent>("code_awareness").forEach(take);
    await until(() => {
      ben.socket?.all<CodeUpdateEvent>("code_awareness").forEach(take);
      return seen.getStates().has(ada.doc.clientID);
    }, "no cursor came");
    expect(seen.getStates().get(ada.doc.clientID)).toEqual({
      user: { name: "owner" },
      cursor: { anchor: 1, head: 1 },
    });
    ada.socket?.close();
    await until(() => {
      ben.socket?.all<CodeUpdateEvent>("code_awareness").forEach(take);
      return !seen.getStates().has(ada.doc.clientID);
    }, "the cursor stayed");
    mine.destroy();
    seen.destroy();
  });
});

describe("cursors of a hostile editor", () => {
  const of = (id: number, state: object | null) => {
    const doc = new Y.Doc();
    doc.clientID = id;
    const awareness = new Awareness(doc);
    awareness.setLocalState(state);
    const update = Buffer.from(encodeAwarenessUpdate(awareness, [id]));
    awareness.destroy();
    return update;
  };
  const refused = "The request could not be understood.";

  it("are limited, and cannot pose as another person's", async () => {
    const [ada, eve] = [await opened(cast.owner), await opened(cast.editor)];
    expect(await ada.socket?.ask("code_awareness", node, of(4_000_000_000, { cursor: 1 }))).toBe(null);
    expect(await eve.socket?.ask("code_awareness", node, of(4_000_000_000, { cursor: 2 }))).toBe(refused);
    expect(await eve.socket?.ask("code_awareness", node, of(4_000_000_000, null))).toBe(refused);
    // The same person in another window, after a reconnect.
    const again = await opened(cast.owner);
    expect(await again.socket?.ask("code_awareness", node, of(4_000_000_000, { cursor: 3 }))).toBe(null);
    const words = [];
    for (let id = 1; id <= 25; id++)
      words.push(await eve.socket?.ask("code_awareness", node, of(id, id % 2 ? { cursor: id } : null)));
    expect(words).toEqual([...Array(20).fill(null), ...Array(5).fill(refused)]);
    expect(await eve.socket?.ask("code_awareness", node, of(3, { cursor: 9 }))).toBe(null);
    const two = Buffer.concat([Buffer.from([2]), of(3, null).subarray(1), of(4, null).subarray(1)]);
    expect(await eve.socket?.ask("code_awareness", node, two)).toBe(refused);
    expect(await eve.socket?.ask("code_awareness", node, Buffer.from([1, 255, 255, 255, 255, 255, 255]))).toBe(refused);
  });
});

describe("access, a test per cell", () => {
  const roles: Role[] = ["stranger", "viewer", "editor", "owner", "admin"];

  it.each(roles)("%s", async (role) => {
    const socket = await connect(server, cast[role]);
    sockets.push(socket);
    const first = await socket.ask("code_open", node, null, null);
    expect(first).toBe(role === "stranger" ? "Node not found." : "Enter a workflow first.");
    if (role === "stranger") return;
    await socket.enter(graph);
    const code = new SharedCode(node);
    expect(await code.open(socket)).toBe(null);
    await until(() => code.epoch !== null, "no document");
    code.type(0, "x");
    const word = await socket.ask("code_awareness", node, Buffer.from([0]));
    expect(word).toBe(role === "viewer" ? "You may look at this workflow but not change it." : null);
    if (role === "viewer") await until(() => code.refusals.length > 0, "was not refused");
    expect(code.refusals).toEqual(role === "viewer" ? ["You may look at this workflow but not change it."] : []);
  });

  it("ends with write access, and with read access", async () => {
    const ben = await opened(cast.editor);
    const ada = await opened(cast.owner);
    await cast.owner.patch(`/api/v3/projects/${project.id}`, { visibility: "public" });
    await cast.owner.delete(`/api/v3/projects/${project.id}/members/${cast.editor.account.id}`);
    await ben.socket?.next("access");
    ben.type(0, "x");
    await until(() => ben.refusals.length > 0, "was not refused");
    await cast.owner.patch(`/api/v3/projects/${project.id}`, { visibility: "private" });
    await ben.socket?.next("evicted");
    ada.type(0, "secret ");
    await until(() => ada.socket?.all("code_draft").length === 1, "draft not published");
    expect(ben.text).not.toContain("secret");
  });
});

describe("the piece in which two texts differ", () => {
  it.each([
    ["", "", undefined],
    ["abc", "abc", undefined],
    ["abc", "axc", { from: 1, remove: 1, insert: "x" }],
    ["aa", "aaa", { from: 2, remove: 0, insert: "a" }],
    ["😀", "😁", { from: 0, remove: 2, insert: "😁" }],
    ["a\u{1F600}b", "a\u{1FA00}b", { from: 1, remove: 2, insert: "\u{1FA00}" }],
  ])("from %j to %j", (before, after, change) => {
    expect(replacement(before, after)).toEqual(change);
  });
});
