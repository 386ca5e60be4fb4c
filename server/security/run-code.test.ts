import { runArgs } from "@miranda/contract/command-args.ts";
import { draft as limits } from "@miranda/contract/limits.ts";
import type { CommitPage, Draft } from "@miranda/contract/schemas/code.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as Y from "yjs";

import { SharedCode } from "../testing/shared-code.ts";
import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { connect, type TestSocket, until } from "../testing/test-socket.ts";
import { script, Workbench } from "../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let mallory: TestAccount;
let sockets: TestSocket[] = [];

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  mallory = await server.signUp("mallory");
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "mallory", role: "editor" });
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  sockets = [];
  bench?.close();
  await server?.close();
});

async function open(person: TestAccount, node: number): Promise<SharedCode> {
  const socket = await connect(server, person);
  sockets.push(socket);
  await socket.enter(bench.graphId);
  const code = new SharedCode(node);
  expect(await code.open(socket)).toBe(null);
  await until(() => code.epoch !== null, "no document came");
  return code;
}

const check = (person: TestAccount, args = "", graphId = bench.graphId) =>
  person.post(`/api/v3/graphs/${graphId}/run-check`, { args });
const drafts = async () => (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/drafts`)).json<Draft[]>();

it("never counts another person's text as the runner's own, whatever its Yjs update claims", async () => {
  const node = await bench.node(script("pass"), "Shared");
  const own = await open(bench.owner, node);
  const hers = await open(mallory, node);
  // Her client uses the owner's client id, so that the text looks like the owner's.
  hers.doc.clientID = own.doc.clientID;
  hers.type(0, "(");
  await until(() => own.text.startsWith("("), "the text did not come");
  expect((await check(bench.owner)).status).toBe(200);
  expect(await drafts()).toMatchObject([{ metadata_id: node, authors: [{ username: "mallory" }] }]);
  // The owner's editor sends back what it received. That must not make the text the owner's.
  await own.send(Y.encodeStateAsUpdate(own.doc));
  expect((await check(bench.owner)).status).toBe(200);
  expect(await drafts()).toMatchObject([{ metadata_id: node, authors: [{ username: "mallory" }] }]);
  await bench.owner.delete(`/api/v3/objects/${node}`);
});

it("runs code of this workflow only, even when a run names nodes of another", async () => {
  const elsewhere = await Workbench.open(server);
  const node = await elsewhere.node(script("pass"), "Elsewhere");
  const socket = await connect(server, elsewhere.owner);
  sockets.push(socket);
  await socket.enter(elsewhere.graphId);
  const code = new SharedCode(node);
  await code.open(socket);
  await until(() => code.epoch !== null, "no document came");
  code.type(0, "(");
  expect(await socket.ask("renew_project_presence", elsewhere.graphId)).toBe(null);
  expect((await check(elsewhere.owner, "", elsewhere.graphId)).status).toBe(409);
  expect((await check(mallory, runArgs({ mode: "all", include: [node] }))).status).toBe(200);
  const { commits } = (await elsewhere.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>();
  expect(commits).toEqual([]);
  elsewhere.close();
});

it("refuses more node names than a workflow can have, and invalid ones", async () => {
  const many = Array.from({ length: limits.includedMax + 1 }, (_, at) => at);
  expect((await check(mallory, runArgs({ mode: "all", include: many }))).status).toBe(400);
  for (const include of [{}, "1", [1.5], [null], [[1]]]) {
    const args = Buffer.from(JSON.stringify({ mode: "all", include })).toString("base64");
    expect((await check(mallory, args)).status).toBe(400);
  }
});

it("refuses a run that would read more unsaved code than allowed", async () => {
  const node = await bench.node(script("pass"), "Large");
  const code = await open(mallory, node);
  code.type(0, "#");
  await expect.poll(async () => (await drafts()).length).toBe(1);
  code.socket?.close();
  // Ten documents of the largest size, inserted directly: typing them would take minutes.
  const copies = await Promise.all(Array.from({ length: 9 }, (_, at) => bench.node(script("pass"), `Copy ${at}`)));
  const document = Buffer.alloc(limits.bytesMax);
  const author = mallory.account.id;
  for (const metadata_id of copies)
    await server.db
      .insertInto("node_drafts")
      .values({
        metadata_id,
        graph_id: bench.graphId,
        epoch: "00000000-0000-0000-0000-000000000000",
        document,
        unsaved: true,
        updated_by: author,
        authors: [author],
      })
      .execute();
  const answer = await check(mallory);
  expect([answer.status, answer.text]).toEqual([
    413,
    "There is too much unsaved code for one run. Commit some of it first.",
  ]);
  expect((await check(bench.owner)).status).toBe(200);
});
