import type { VersionGraph } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, setApi } from "../../testing/editor.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

const output = { name: "output", kind: "table", direction: "TRANSMITTER" };
const input = { name: "input", kind: "table", direction: "RECEIVER" };
const unknown = "00000000-0000-4000-8000-000000000000";

let server: TestServer;
let cast: Cast;
let graph: string;
let [one, two] = [0, 0];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  one = await add("One");
  two = await add("Two");
});

async function add(name: string): Promise<number> {
  const { metadata_id } = await addNode(cast.owner, graph, name);
  await setApi(cast.owner, metadata_id, [input, output], `${name}\n`);
  return metadata_id;
}
const join = (from: number, to: number) => cast.owner.post("/api/v3/objects/edges", ends(from, "output", to, "input"));
const versions = () => versionsOf(cast.owner, graph);
const lineageOf = async (id: number) => (await versions().graph("now")).lineages[id] ?? "";
const names = ({ nodes }: VersionGraph) => Object.values(nodes).map(({ name }) => name);

describe("publishing", () => {
  it("marks a version as published, and refuses when nothing has changed since", async () => {
    const first = await versions().made("First", { publish: true });
    expect(first.time_published).not.toBeNull();
    const again = await versions().create("Again", { publish: true });
    expect([again.status, again.text]).toEqual([409, "Nothing has changed since the last published version."]);
    expect((await versions().list("?kind=named")).length).toBe(1);
    expect((await versions().made("Only named")).time_published).toBeNull();
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    expect((await versions().made("Second", { publish: true })).time_published).not.toBeNull();
  });

  it("leaves nodes out: a changed one stays as it was, a new one is absent with its edges", async () => {
    await join(one, two);
    await versions().made("First", { publish: true });
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Half done" });
    await cast.owner.patch(`/api/v3/objects/${two}`, { name: "Done" });
    const fresh = await add("New");
    await join(two, fresh);
    const left_out = [await lineageOf(one), await lineageOf(fresh)];
    const second = await versions().made("Second", { publish: true, left_out });
    expect(second).toMatchObject({ nodes: 2, edges: 1 });
    const published = await versions().graph(2);
    expect(names(published)).toEqual(["One", "Done"]);
    expect(published.edges).toMatchObject([{ source_wob_key: one, destination_wob_key: two }]);
    const third = await versions().made("Third", { publish: true });
    expect(third).toMatchObject({ nodes: 3, edges: 2 });
    expect(names(await versions().graph(3))).toEqual(["Half done", "Done", "New"]);
  });

  it("keeps a deleted node published when its removal is left out", async () => {
    await join(one, two);
    await versions().made("First", { publish: true });
    const lineage = await lineageOf(two);
    await cast.owner.delete(`/api/v3/objects/${two}`);
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    await versions().made("Second", { publish: true, left_out: [lineage] });
    const published = await versions().graph(2);
    expect([names(published), published.edges.length]).toEqual([["Eins", "Two"], 1]);
  });

  it("refuses when everything that changed is left out, or a node is not known", async () => {
    await versions().made("First", { publish: true });
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    const nothing = await versions().create("Second", { publish: true, left_out: [await lineageOf(one)] });
    expect([nothing.status, nothing.text]).toEqual([409, "Nothing has changed since the last published version."]);
    const wrong = await versions().create("Second", { publish: true, left_out: [unknown] });
    expect([wrong.status, wrong.text]).toEqual([
      404,
      "One of the nodes to leave out is not in this workflow. Nothing was published.",
    ]);
    expect((await versions().list()).length).toBe(1);
  });

  it("does not take a version that left something out for the whole workflow", async () => {
    await versions().made("First", { publish: true });
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    await cast.owner.patch(`/api/v3/objects/${two}`, { name: "Zwei" });
    await versions().made("Second", { publish: true, left_out: [await lineageOf(one)] });
    const { before } = await versions().restored(1);
    expect(before).toMatchObject({ reason: "restore" });
    await versions().restored(before.id);
    expect(names(await versions().graph("now"))).toEqual(["Eins", "Zwei"]);
  });

  it("keeps the published version from being deleted, and says why", async () => {
    await versions().made("First", { publish: true });
    const refused = await versions().remove(1);
    expect([refused.status, refused.text]).toEqual([
      409,
      "Version 1 is the published one. Publish another version first.",
    ]);
    await cast.owner.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    await versions().made("Second", { publish: true });
    expect((await versions().remove(1)).status).toBe(200);
  });

  it("numbers two that publish at once one after the other", async () => {
    const answers = await Promise.all(["A", "B", "C"].map((name) => versions().create(name, { publish: true })));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409", "409"]);
    const named = await Promise.all(["D", "E", "F"].map((name) => versions().made(name)));
    expect(new Set(named.map(({ number }) => number))).toEqual(new Set([2, 3, 4]));
  });
});

describe("who changed what since a version", () => {
  it("is known node by node and person by person, with moves apart", async () => {
    await versions().made("First");
    expect(await versions().edits(1)).toEqual([]);
    await cast.editor.patch(`/api/v3/objects/${one}`, { name: "Eins" });
    await cast.owner.patch(`/api/v3/objects/${one}`, { colour: "#ff0000" });
    await cast.editor.post(`/api/v3/graphs/${graph}/positions`, {
      positions: JSON.stringify({ [two]: { x: 7, y: 7 } }),
    });
    const edits = await versions().edits(1);
    expect(edits).toMatchObject([
      { metadata_id: one, name: "Eins", people: [{ username: "owner" }, { username: "editor", moved_only: false }] },
      { metadata_id: two, people: [{ username: "editor", moved_only: true }], unsaved: [] },
    ]);
    await versions().made("Second");
    expect(await versions().edits(2)).toEqual([]);
    await join(one, two);
    expect(await versions().edits(2)).toMatchObject([{ metadata_id: two, people: [{ username: "owner" }] }]);
  });

  it("is known before anything is published, for every node", async () => {
    await cast.editor.patch(`/api/v3/objects/${two}`, { name: "Zwei" });
    await cast.owner.delete(`/api/v3/objects/${one}`);
    expect(await versions().allEdits()).toMatchObject([
      { metadata_id: one, people: [{ username: "owner" }] },
      { metadata_id: two, name: "Zwei", people: [{ username: "editor" }, { username: "owner" }] },
    ]);
  });

  it("names deleted nodes, also after they are forgotten, and people whose account is gone", async () => {
    await versions().made("First");
    await cast.editor.delete(`/api/v3/objects/${one}`);
    expect(await versions().edits(1)).toMatchObject([
      { metadata_id: one, name: "One", people: [{ username: "editor" }] },
    ]);
    await sql`delete from deleted_nodes where graph_id = ${graph}`.execute(server.db);
    expect(await versions().edits(1)).toMatchObject([{ metadata_id: one, name: "One" }]);
    await sql`update accounts set deleted_at = now() where username = 'editor'`.execute(server.db);
    expect(await versions().edits(1)).toMatchObject([{ people: [{ username: "", first_name: "Deleted account" }] }]);
    await sql`update accounts set deleted_at = null where username = 'editor'`.execute(server.db);
  });

  it("still names who changed a node that was left out", async () => {
    await versions().made("First", { publish: true });
    await cast.editor.patch(`/api/v3/objects/${one}`, { name: "Half done" });
    await cast.owner.patch(`/api/v3/objects/${two}`, { name: "Done" });
    await versions().made("Second", { publish: true, left_out: [await lineageOf(one)] });
    expect(await versions().edits(2)).toMatchObject([{ metadata_id: one, people: [{ username: "editor" }] }]);
  });

  it("names people with unsaved code", async () => {
    await versions().made("First");
    const socket = await connect(server, cast.editor);
    await socket.enter(graph);
    const shared = new SharedCode(one);
    await shared.open(socket);
    await until(() => shared.epoch !== null, "no document came");
    shared.type(0, "# mine\n");
    await expect.poll(() => versions().edits(1)).toMatchObject([{ metadata_id: one, people: [], unsaved: ["editor"] }]);
    socket.close();
  });
});
