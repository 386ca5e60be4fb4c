import type { CommitPage, Draft, DraftComparison, DraftEvent } from "@miranda/contract/schemas/code.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Cast, signUpCast } from "../../testing/access.ts";
import { readGraph } from "../../testing/editor.ts";
import { codeOf, mergeAll, nodeNamed, originAndClone, writeCode } from "../../testing/versions/merging.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let clone: string;
let node: number;
let sockets: TestSocket[] = [];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  ({ origin: graph, clone } = await originAndClone(cast));
  node = (await nodeNamed(cast.owner, graph, "Train")).metadata_id;
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

const refusal =
  "The code changed below this draft. Open the code and decide: keep the draft, take the stored code, or put both together. Nothing was changed.";
const started = codeOf("Train");
const merged = codeOf("Train", { note: "merged" });
const at = () => `/api/v3/objects/${node}`;

async function opened(client: TestClient): Promise<SharedCode> {
  const socket = await connect(server, client);
  sockets.push(socket);
  expect(await socket.enter(graph)).toBe(null);
  const code = new SharedCode(node);
  expect(await code.open(socket)).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  return code;
}

/** Types a line below all others, and waits until everybody knows that the code is unsaved. */
async function draftOf(client: TestClient, line = "# draft\n"): Promise<SharedCode> {
  const code = await opened(client);
  code.type(code.text.length, line);
  await expect.poll(drafts, { timeout: 20_000 }).toHaveLength(1);
  return code;
}

const drafts = async () => (await cast.viewer.get(`/api/v3/graphs/${graph}/drafts`)).json<Draft[]>();
const compare = async () => (await cast.owner.get(`${at()}/draft`)).json<DraftComparison>();
const storedCode = async () => (await readGraph(cast.owner, graph)).nodes[node]?.source_code;

/** Brings other code below the draft, as a merge does. */
async function mergeCode(code = merged): Promise<void> {
  await writeCode(cast.editor, clone, "Train", code);
  await mergeAll(cast.editor, graph, clone);
  expect(await storedCode()).toBe(code);
}

describe("unsaved code below which the code changes", () => {
  it("stays, is told to everybody with its authors, and cannot be committed over a merge", async () => {
    const listener = await connect(server, cast.viewer);
    sockets.push(listener);
    await listener.enter(graph);
    const ada = await draftOf(cast.owner);
    await mergeCode();
    const told = await listener.next<DraftEvent>("code_draft", ({ outdated }) => outdated);
    expect(told).toMatchObject({
      metadata_id: node,
      unsaved: true,
      authors: [{ username: cast.owner.account.username }],
    });
    expect(await drafts()).toMatchObject([{ metadata_id: node, outdated: true }]);
    for (const body of [{ message: "mine" }, { message: "mine", source_code: ada.text }]) {
      const answer = await cast.owner.post(`${at()}/commits`, body);
      expect([answer.status, answer.text]).toEqual([409, refusal]);
    }
    expect([await storedCode(), ada.text]).toEqual([merged, `${started}# draft\n`]);
  });

  it("is known to be so also when nobody had it open, after a restore", async () => {
    const versions = versionsOf(cast.owner, graph);
    const { id } = await versions.made("Before");
    await writeCode(cast.owner, graph, "Train", merged);
    const ada = await draftOf(cast.owner);
    ada.socket?.close();
    await versions.restored(id);
    expect(await drafts()).toMatchObject([{ outdated: true }]);
    const again = await opened(cast.owner);
    expect(again.text).toBe(`${merged}# draft\n`);
    expect((await cast.owner.post(`${at()}/commits`, { message: "mine" })).text).toBe(refusal);
    expect(await storedCode()).toBe(started);
  });

  it("can be kept by somebody who saw the stored code, and then be committed", async () => {
    const ada = await draftOf(cast.owner);
    await mergeCode();
    const old = await cast.owner.post(`${at()}/draft/kept`, { source_code: started });
    expect([old.status, old.text]).toEqual([409, "The code of the node has just been changed. Try again."]);
    expect((await drafts())[0]?.outdated).toBe(true);
    expect((await cast.viewer.post(`${at()}/draft/kept`, { source_code: merged })).status).toBe(403);
    expect((await cast.stranger.post(`${at()}/draft/kept`, { source_code: merged })).status).toBe(404);
    expect((await cast.stranger.get(`${at()}/draft`)).status).toBe(404);
    expect((await cast.viewer.get(`${at()}/draft`)).status).toBe(403);

    expect((await cast.owner.post(`${at()}/draft/kept`, { source_code: merged })).status).toBe(200);
    expect(await drafts()).toMatchObject([{ unsaved: true, outdated: false }]);
    expect((await cast.owner.post(`${at()}/commits`, { message: "mine" })).status).toBe(200);
    expect(await storedCode()).toBe(ada.text);
    const { commits } = (await cast.owner.get(`${at()}/commits`)).json<CommitPage>();
    // The merged code can still be found.
    expect(commits.map(({ message }) => message).slice(0, 2)).toEqual(["mine", "Merge changes from another workflow"]);
  });

  it("is saved again when the stored code is taken, and what is typed then starts from it", async () => {
    const ada = await draftOf(cast.owner);
    await mergeCode();
    const text = ada.doc.getText("code");
    ada.doc.transact(() => {
      text.delete(0, text.length);
      text.insert(0, merged);
    });
    await expect.poll(drafts, { timeout: 20_000 }).toHaveLength(0);
    ada.type(0, "# new\n");
    await expect.poll(drafts, { timeout: 20_000 }).toHaveLength(1);
    expect((await drafts())[0]?.outdated).toBe(false);
  });

  it("can be put together with the stored code", async () => {
    await draftOf(cast.owner);
    await mergeCode();
    expect(await compare()).toEqual({
      outdated: true,
      base: started,
      stored: merged,
      draft: `${started}# draft\n`,
      together: `${merged}# draft\n`,
      conflicts: 0,
    });
  });

  it("marks the places where both changed the same lines", async () => {
    await draftOf(cast.owner, "# draft");
    await mergeCode(`${started}# merged\n`);
    expect(await compare()).toMatchObject({
      together: `${started}<<<<<<< Draft\n# draft\n=======\n# merged\n>>>>>>> Stored code\n`,
      conflicts: 1,
    });
  });
});

it("goes on from a commit when more is typed meanwhile", async () => {
  const ada = await draftOf(cast.owner);
  const code = ada.text;
  ada.type(0, "# more\n");
  expect((await cast.owner.post(`${at()}/commits`, { message: "first", source_code: code })).status).toBe(200);
  await expect.poll(drafts, { timeout: 20_000 }).toHaveLength(1);
  expect((await cast.owner.post(`${at()}/commits`, { message: "second" })).status).toBe(200);
  expect(await storedCode()).toBe(`# more\n${code}`);
});
