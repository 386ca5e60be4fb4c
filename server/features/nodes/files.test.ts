import { nodeFile as limits } from "@miranda/contract/limits.ts";
import type { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph, setApi } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { createNodeFiles } from "./files-service.ts";

const code = `from miranda import Field, File, Node


class Read(Node):
    data = Field(control=File(accept=".csv"))

    def run(self):
        pass
`;

const { quotas } = readConfig({});
let server: TestServer;
let cast: Cast;
let graph: string;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  node = (await addNode(cast.owner, graph, "Read")).metadata_id;
  await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: code });
});

function upload(client: TestClient, content: string | Uint8Array<ArrayBuffer>, name = "tides.csv") {
  const form = new FormData();
  form.set("file", new File([content], name, { type: "text/csv" }));
  return client.send("POST", `/api/v3/objects/${node}/files`, form);
}

const set = (client: TestClient, value: unknown) =>
  client.patch(`/api/v3/objects/${node}/attributes/data`, { attribute_value: JSON.stringify(value) });

const download = (client: TestClient) => client.get(`/api/v3/objects/${node}/attributes/data/file`);

const stored = async () =>
  (await readGraph(cast.owner, graph)).nodes[node]?.api.attributes.find(({ name }) => name === "data");

describe("a file control", () => {
  it("is declared by the code, stores an uploaded file and returns it", async () => {
    expect(await stored()).toMatchObject({ kind: "file", value: null, control: { type: "file", accept: ".csv" } });
    const answer = await upload(cast.editor, "a,b\n1,2\n", "C:\\data\\Gezeiten 🌊.csv");
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("Gezeiten")]);
    const value = answer.json<FileValue>();
    const hash = createHash("sha256").update("a,b\n1,2\n").digest("hex");
    expect(value).toEqual({ file: hash, name: "Gezeiten 🌊.csv", size: 8, type: "text/csv" });
    expect((await set(cast.editor, value)).status).toBe(200);
    expect((await stored())?.value).toEqual(value);
    const got = await download(cast.viewer);
    expect([got.status, got.text]).toEqual([200, "a,b\n1,2\n"]);
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(got.headers.get("content-disposition")).toContain("attachment; filename*=UTF-8''Gezeiten%20");
    expect((await set(cast.editor, null)).status).toBe(200);
    expect((await download(cast.viewer)).status).toBe(404);
  });

  it("is copied when its workflow is cloned", async () => {
    await set(cast.owner, (await upload(cast.owner, "kept")).json());
    const { id: project } = await buildProject(cast, "Copies");
    const copy = (await cast.owner.post(`/api/v3/graphs/${graph}/clone`, { to_project: project })).json<{
      id: string;
    }>();
    const [cloned] = Object.values((await readGraph(cast.owner, copy.id)).nodes);
    const got = await cast.owner.get(`/api/v3/objects/${cloned?.metadata_id}/attributes/data/file`);
    expect(got.text).toBe("kept");
  });

  it.each([
    ["anonymous", 401, 401],
    ["stranger", 404, 404],
    ["viewer", 403, 200],
    ["editor", 200, 200],
    ["owner", 200, 200],
    ["admin", 200, 200],
  ] as const)("for %s: upload %i, download %i", async (role, up, down) => {
    await set(cast.owner, (await upload(cast.owner, "x")).json());
    expect((await upload(cast[role], `by ${role}`)).status).toBe(up);
    expect((await download(cast[role])).status).toBe(down);
  });

  it("refuses an oversized file, and keeps the old one", async () => {
    const value = (await upload(cast.owner, "small")).json<FileValue>();
    await set(cast.owner, value);
    const slightly = await upload(cast.owner, new Uint8Array(limits.sizeMax + 1));
    expect([slightly.status, slightly.text]).toEqual([413, "A file can have at most 10 MB."]);
    const far = await upload(cast.owner, new Uint8Array(limits.sizeMax * 2 + 1));
    expect(far.status).toBe(413);
    expect((await stored())?.value).toEqual(value);
    expect((await upload(cast.owner, new Uint8Array(limits.sizeMax))).status).toBe(200);
  });

  it.each([
    ["a file nobody uploaded", { file: "0".repeat(64), name: "x", size: 1, type: "" }, 404, "File not found."],
    ["text", "tides.csv", 400, "data must be a file that was uploaded."],
    ["a number", 5, 400, "data must be a file that was uploaded."],
    ["half a file", { file: "0".repeat(64) }, 400, "data must be a file that was uploaded."],
  ])("refuses %s as its value", async (_what, value, status, words) => {
    const answer = await set(cast.owner, value);
    expect([answer.status, answer.text]).toEqual([status, words]);
    expect((await stored())?.value).toBe(null);
  });

  it("refuses a form without a file, and an upload to a locked node", async () => {
    const empty = await cast.owner.post(`/api/v3/objects/${node}/files`, { file: "text" });
    expect([empty.status, empty.text]).toEqual([400, "Please upload a file."]);
    await cast.owner.patch(`/api/v3/objects/${node}`, { locked: true });
    expect((await upload(cast.owner, "x")).text).toBe("This node is locked.");
  });

  it("refuses more than an account may store, but not a file that is already stored", async () => {
    const person = cast.editor.account.id;
    const filler = { hash: "f".repeat(64), content: Buffer.alloc(1), size: quotas.fileBytes, created_by: person };
    await upload(cast.owner, "known");
    await server.db.insertInto("node_files").values(filler).execute();
    const refused = await upload(cast.editor, "new");
    expect([refused.status, refused.text]).toEqual([
      413,
      "You have put as much into nodes as one account can. Remove some files first: after a day they no longer count.",
    ]);
    expect((await upload(cast.editor, "known")).status).toBe(200);
    await server.db.deleteFrom("node_files").where("hash", "=", filler.hash).execute();
  });

  it("deletes a file that nothing names for a day, and none that an undo could need", async () => {
    const files = createNodeFiles({ db: server.db, nodes: {} as never, quotas });
    const sweep = () => finishChore(files.sweep());
    const kept = async (file: string) =>
      (await server.db.selectFrom("node_files").select("unused_since").where("hash", "=", file).execute())[0];
    const aDayLater = () =>
      server.db
        .updateTable("node_files")
        .set({ unused_since: sql<Date>`unused_since - interval '25 hours'` })
        .execute();
    const used = (await upload(cast.owner, "in a node")).json<FileValue>();
    const replaced = (await upload(cast.owner, "replaced")).json<FileValue>();
    await set(cast.owner, replaced);
    await set(cast.owner, used);
    await sweep();
    expect(await kept(used.file)).toEqual({ unused_since: null });
    expect((await kept(replaced.file))?.unused_since).not.toBe(null);

    // Undone: it is named again, and kept.
    await set(cast.owner, replaced);
    await aDayLater();
    await sweep();
    expect(await kept(replaced.file)).toEqual({ unused_since: null });
    expect((await download(cast.owner)).text).toBe("replaced");

    // The other file is no longer named, and is deleted after a day.
    await aDayLater();
    await sweep();
    expect(await kept(used.file)).toBe(undefined);

    // A deleted node can be restored.
    await cast.owner.delete(`/api/v3/objects/${node}`);
    await sweep();
    expect(await kept(replaced.file)).toEqual({ unused_since: null });
    await server.db.deleteFrom("deleted_nodes").execute();
    await sweep();
    await aDayLater();
    await sweep();
    expect(await kept(replaced.file)).toBe(undefined);
  });
});

describe("somebody who knows a file's hash", () => {
  let secret: FileValue;
  let own: string;
  beforeEach(async () => {
    secret = (await upload(cast.owner, `for us alone ${node}`)).json<FileValue>();
    await set(cast.owner, secret);
  });

  /** A person's own graph, with a node that has a file control and one that accepts any value. */
  async function ownGraph(client: TestClient): Promise<number> {
    const form = { name: "Own", description: "", visibility: "private" };
    const project_id = (await client.post("/api/v3/projects/", form)).json<{ id: string }>().id;
    const made = await client.post("/api/v3/graphs/", { name: "Flow", description: "", project_id });
    own = made.json<{ id: string }>().id;
    const { metadata_id } = await addNode(client, own, "Read");
    const attribute = { kind: "json", direction: "RECEIVER_FIELD", value: null };
    await setApi(client, metadata_id, [
      { ...attribute, name: "data", kind: "file", control: { type: "file" } },
      { ...attribute, name: "anything", control: { type: "json" } },
      { ...attribute, name: "declared", kind: "file", control: { type: "file" }, value: secret },
    ]);
    return metadata_id;
  }

  const give = (client: TestClient, id: number, name: string) =>
    client.patch(`/api/v3/objects/${id}/attributes/${name}`, { attribute_value: JSON.stringify(secret) });
  const got = async (client: TestClient, id: number, name = "data") =>
    (await client.get(`/api/v3/objects/${id}/attributes/${name}/file`)).text;
  const pastes = async (client: TestClient) => {
    const copied = (await readGraph(cast.owner, graph)).nodes[node];
    const answer = await client.postJson(`/api/v3/graphs/${own}/paste`, { nodes: [copied] });
    return Object.values(answer.json<PasteResponse>().ids)[0] ?? 0;
  };
  const imports = async (client: TestClient) => {
    const file = (await cast.owner.get(`/api/v3/graphs/${graph}/graphml`)).text;
    await client.post(`/api/v3/graphs/${own}/graphml`, { body: file });
    return Math.max(...Object.keys((await readGraph(client, own)).nodes).map(Number));
  };

  it("but may not read it cannot get it into a node in any way", async () => {
    const { stranger } = cast;
    const mine = await ownGraph(stranger);
    const refused = await give(stranger, mine, "data");
    expect([refused.status, refused.text]).toEqual([404, "File not found."]);
    expect((await give(stranger, mine, "anything")).status).toBe(200);
    const prefab = (await stranger.post("/api/v3/prefabs", { metadata_id: mine })).json<{ id: string }>();
    const made = await stranger.post(`/api/v3/objects/clone/${prefab.id}`, { project_id: own });
    const ways = [mine, await pastes(stranger), await imports(stranger), made.json<ChangedNode>().metadata_id];
    for (const id of ways)
      for (const name of ["data", "anything", "declared"])
        expect([id, name, await got(stranger, id, name)]).toEqual([id, name, "File not found."]);
  });

  it("and may read it can copy it by setting, pasting, importing, cloning and publishing", async () => {
    const { viewer, stranger } = cast;
    const mine = await ownGraph(viewer);
    expect((await give(viewer, mine, "data")).status).toBe(200);
    const prefab = await viewer.post("/api/v3/prefabs", { metadata_id: mine, public: true });
    const ids = [mine, await pastes(viewer), await imports(viewer)];
    for (const id of ids) expect(await got(viewer, id)).toBe(`for us alone ${node}`);
    const { id: project } = (await viewer.post("/api/v3/projects/", { name: "Copies" })).json<{ id: string }>();
    await viewer.patch(`/api/v3/projects/${project}`, { visibility: "private" });
    const clone = await viewer.post(`/api/v3/graphs/${graph}/clone`, { to_project: project });
    await viewer.patch(`/api/v3/projects/${project}`, { visibility: "public" });
    const [cloned] = Object.values((await readGraph(viewer, clone.json<{ id: string }>().id)).nodes);
    expect(await got(stranger, cloned?.metadata_id ?? 0)).toBe(`for us alone ${node}`);
    await ownGraph(stranger);
    const made = await stranger.post(`/api/v3/objects/clone/${prefab.json<{ id: string }>().id}`, { project_id: own });
    expect(await got(stranger, made.json<ChangedNode>().metadata_id)).toBe(`for us alone ${node}`);
  });

  it("and uploads the same content may read it, even when another person was first", async () => {
    const mine = await ownGraph(cast.stranger);
    const form = new FormData();
    form.set("file", new File([`for us alone ${node}`], "mine.csv"));
    expect((await cast.stranger.send("POST", `/api/v3/objects/${mine}/files`, form)).status).toBe(200);
    expect((await give(cast.stranger, mine, "data")).status).toBe(200);
    expect(await got(cast.stranger, mine)).toBe(`for us alone ${node}`);
  });
});
