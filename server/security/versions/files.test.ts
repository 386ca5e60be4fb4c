import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { randomBytes } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { exportFolder, importFolder, sendZip, zipOf } from "../../testing/versions/workflow-folder.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
});
afterAll(() => server.close());

const head = 'format = 1\nsdk = "0.1.0"\n\n[workflow]\nname = "Test"\n';
const control = { name: "data", kind: "any", direction: "RECEIVER_FIELD", control: { type: "file" } };
const code =
  "from miranda import *\n\n\nclass A(Node):\n    data = Field(control=File())\n    key = Field(control=Secret())\n";

async function ownProject(): Promise<string> {
  const made = await cast.stranger.post("/api/v3/projects/", { name: "Own", description: "" });
  return made.json<{ id: string }>().id;
}

/** The status and the words with which every call that takes a zip refuses it. Nothing may be added or lost. */
async function refusal(zip: Buffer): Promise<string> {
  const before = await readGraph(cast.owner, graph);
  const workflows = (await cast.owner.get(`/api/v3/projects/${project}/graphs`)).text;
  const fields = { mine_revision: String(before.revision), theirs_revision: "0" };
  const answers = [
    await sendZip(cast.owner, "/api/v3/graphs/files", zip, { project_id: project }),
    await sendZip(cast.owner, `/api/v3/graphs/${graph}/files/preview`, zip),
    await sendZip(cast.owner, `/api/v3/graphs/${graph}/files`, zip, fields),
  ];
  const words = new Set(answers.map(({ status, text }) => `${status} ${text}`));
  expect(await readGraph(cast.owner, graph)).toEqual(before);
  expect((await cast.owner.get(`/api/v3/projects/${project}/graphs`)).text).toBe(workflows);
  return [...words].join(" or ");
}

interface RawEntry {
  name: string;
  /** What the directory says. */
  size: number;
  crc: number;
  compressed: Buffer;
}

/** A zip whose directory names the same compressed bytes under many names. */
function overlappingZip(entry: Omit<RawEntry, "name">, names: readonly string[]): Buffer {
  const first = Buffer.from(names[0] ?? "");
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(0x800, 6);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(entry.crc, 14);
  local.writeUInt32LE(entry.compressed.length, 18);
  local.writeUInt32LE(entry.size, 22);
  local.writeUInt16LE(first.length, 26);
  const body = Buffer.concat([local, first, entry.compressed]);
  const directory = Buffer.concat(
    names.map((name) => {
      const record = Buffer.alloc(46);
      record.writeUInt32LE(0x02014b50, 0);
      record.writeUInt16LE(20, 4);
      record.writeUInt16LE(20, 6);
      record.writeUInt16LE(0x800, 8);
      record.writeUInt16LE(8, 10);
      record.writeUInt32LE(entry.crc, 16);
      record.writeUInt32LE(entry.compressed.length, 20);
      record.writeUInt32LE(entry.size, 24);
      record.writeUInt16LE(Buffer.byteLength(name), 28);
      return Buffer.concat([record, Buffer.from(name)]);
    }),
  );
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, directory, end]);
}

describe("zips", { timeout: 60_000 }, () => {
  it("that name the same bytes a thousand times are refused before they fill the memory", async () => {
    const data = Buffer.alloc(9 * 1024 * 1024);
    const entry = { size: data.length, crc: crc32(data), compressed: deflateRawSync(data) };
    const names = ["workflow.toml", ...Array.from({ length: 1_000 }, (_, at) => `files/${at}`)];
    expect(await refusal(overlappingZip(entry, names))).toMatch(/^413 .*(?:unpack|large)/i);
  });

  it("that hold another zip are not unpacked further", async () => {
    const inner = await zipOf(new Map([["workflow.toml", head]]));
    const zip = await zipOf(
      new Map<string, string | Buffer>([
        ["workflow.toml", `${head}[nodes.a]\n[values.a]\ndata = { file = "files/inner.zip" }\n`],
        ["nodes/a.py", code],
        ["files/inner.zip", inner],
      ]),
    );
    const made = await sendZip(cast.owner, "/api/v3/graphs/files", zip, { project_id: project });
    const { id } = made.json<{ id: string }>();
    expect([...(await exportFolder(cast.owner, id)).keys()]).toContain("files/inner.zip");
    expect(Object.keys((await readGraph(cast.owner, id)).nodes)).toHaveLength(1);
  });

  it("with too many files, strange names or doubles are refused", async () => {
    const files = (...names: string[]) =>
      zipOf(new Map([["workflow.toml", head], ...names.map((name) => [name, ""] as const)]));
    const empty = { size: 0, crc: 0, compressed: deflateRawSync(Buffer.alloc(0)) };
    const raw = (...names: string[]) => overlappingZip(empty, ["workflow.toml", ...names]);
    expect(await refusal(raw(...Array.from({ length: 30_001 }, (_, at) => `files/${at}`)))).toMatch(
      /^413 .*at most 30000 files/,
    );
    for (const name of ["/etc/passwd", "../up", "a/../../up", "C:/x", "a\\b", "nodes/a\u0000.py", "nodes/\u001b[2J.py"])
      expect(await refusal(raw(name))).toMatch(/^400 .*leads out of its folder/);
    expect(await refusal(await files("files/caf\u00e9", "files/cafe\u0301"))).toMatch(/^400 .*is in this zip twice/);
    expect(await refusal(await files("nodes/A.py", "nodes/a.py"))).toMatch(/^400 .*is in this zip twice/);
  });
});

describe("workflow.toml", { timeout: 120_000 }, () => {
  const toml = (text: string) => zipOf(new Map([["workflow.toml", text]]));

  it("that is too large, nested too deeply or has too many nodes is refused", async () => {
    expect(await refusal(await toml(head + `#${"x".repeat(1_000)}\n`.repeat(50_000)))).toMatch(/^413 .*(?:large|MB)/);
    expect(await refusal(await toml(`${head}[values.a]\nx = ${"[".repeat(100_000)}`))).toMatch(/^400 .*nested/);
    expect(await refusal(await toml(`${head}[values.a]\nx = { json = "${"[".repeat(200_000)}" }`))).toMatch(
      /^400 .*workflow\.toml/,
    );
    const many = Array.from({ length: 100_000 }, (_, at) => `[nodes.n${at}]\nclass = "compute_policy"\n`).join("");
    expect(await refusal(await toml(head + many))).toMatch(/^413 .*nodes/);
  });

  it("that was written to take long is refused with the same words", async () => {
    const hostile = [
      `${head}${"a.".repeat(240_000)}b = 1`,
      `${head}[values.a]\n${Array.from({ length: 30_000 }, (_, at) => `a.b.c${at}=1\n`).join("")}`,
      `${head}${"[[x]]\n".repeat(80_000)}`,
    ];
    for (const text of hostile) expect(await refusal(await toml(text))).toMatch(/^400 .*workflow\.toml/);
  });
});

describe("uploaded files of others", () => {
  it("are not opened by their hash in a folder, a merge or a restored version", async () => {
    const hidden = await buildGraph(cast, project);
    const { metadata_id } = await addNode(cast.owner, hidden, "Holds");
    await setApi(cast.owner, metadata_id, [control]);
    const form = new FormData();
    form.append("file", new File([`top secret ${randomBytes(8).toString("hex")}`], "plan.txt", { type: "text/plain" }));
    const kept = await cast.owner.send("POST", `/api/v3/objects/${metadata_id}/files`, form);
    const { file } = kept.json<{ file: string }>();
    const value = JSON.stringify(JSON.stringify({ file, name: "plan.txt", size: 27, type: "text/plain" }));
    const zip = await zipOf(
      new Map([
        ["workflow.toml", `${head}[nodes.a]\n[values.a]\ndata = { json = ${value} }\n`],
        ["nodes/a.py", code],
      ]),
    );
    const made = await sendZip(cast.stranger, "/api/v3/graphs/files", zip, { project_id: await ownProject() });
    expect(made.status).toBe(200);
    const { id } = made.json<{ id: string }>();
    await versionsOf(cast.stranger, id).made("Mine");
    const [node] = Object.values((await readGraph(cast.stranger, id)).nodes);
    await cast.stranger.delete(`/api/v3/objects/${node?.metadata_id}`);
    await versionsOf(cast.stranger, id).restored(1);
    const answers = [
      await cast.stranger.get(`/api/v3/objects/${node?.metadata_id}/attributes/data/file`),
      await cast.stranger.get(`/api/v3/objects/${metadata_id}/attributes/data/file`),
      await cast.stranger.get(`/api/v3/graphs/${id}/versions/now/files`),
      await cast.stranger.get(`/api/v3/graphs/${id}/versions/1/files`),
    ];
    for (const { bytes } of answers) expect(bytes.includes("top secret")).toBe(false);
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([404, 404]);
    const exported = await exportFolder(cast.stranger, id);
    expect([...exported.keys()].filter((path) => path.startsWith("files/"))).toEqual([]);
  });
});

describe("secret values", () => {
  const valueIn = ({ nodes }: GraphResponse) =>
    Object.values(nodes).flatMap(({ api }) =>
      api.attributes.filter(({ name }) => name === "key").map(({ value }) => value),
    );

  it("are neither set by a folder nor shown by code that no longer calls them secret", async () => {
    const id = await buildGraph(cast, project, "Secretive");
    const { metadata_id } = await addNode(cast.owner, id, "A");
    await cast.owner.put(`/api/v3/objects/${metadata_id}/api`, { source_code: code, api: "{}" });
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/key`, { attribute_value: '"hunter2"' });
    const folder = await exportFolder(cast.owner, id);
    const text = [...folder].map(([path, file]) => path + file).join();
    expect(text).not.toContain("hunter2");
    const key = [...folder.keys()].find((path) => path.startsWith("nodes/")) ?? "";
    const stem = key.slice("nodes/".length, -".py".length);
    // A folder that makes the secret an ordinary text, and one that sets it.
    const shown = new Map([
      ...folder,
      [key, code.replace("key = Field(control=Secret())", 'key = Field("")')] as const,
    ]);
    await importFolder(cast.owner, id, shown, "theirs");
    for (const person of [cast.owner, cast.viewer])
      expect((await person.get(`/api/v3/graphs/${id}/graph`)).text).not.toContain("hunter2");
    const versions = (await versionsOf(cast.viewer, id).list()).map((version) => version.id);
    for (const version of versions)
      for (const path of ["graph", "compare/now", "files"])
        expect((await versionsOf(cast.viewer, id).get(`${version}/${path}`)).text).not.toContain("hunter2");

    const other = await buildGraph(cast, project, "Set");
    const set = new Map([
      ["workflow.toml", `${head}[nodes.${stem}]\n[values.${stem}]\nkey = "planted"\n`],
      [`nodes/${stem}.py`, code],
    ]);
    await importFolder(cast.owner, other, set, "theirs");
    expect(valueIn(await readGraph(cast.owner, other))).not.toContain("planted");
  });

  it("of the origin are neither in a clone, nor in its versions, nor brought by a merge", async () => {
    const id = await buildGraph(cast, project, "Origin");
    const { metadata_id } = await addNode(cast.owner, id, "A");
    await cast.owner.put(`/api/v3/objects/${metadata_id}/api`, { source_code: code, api: "{}" });
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/key`, { attribute_value: '"hunter2"' });
    const own = (await cast.viewer.post("/api/v3/projects/", { name: "Own" })).json<{ id: string }>().id;
    await cast.viewer.patch(`/api/v3/projects/${own}`, { visibility: "private" });
    const cloned = await cast.viewer.post(`/api/v3/graphs/${id}/clone`, { to_project: own });
    const clone = cloned.json<{ id: string }>().id;
    await versionsOf(cast.viewer, clone).made("Copy");
    await versionsOf(cast.viewer, clone).post("1/workflow", { project_id: own, name: "Again" });
    const preview = await cast.viewer.postJson(`/api/v3/graphs/${clone}/merges/preview`, { from: id });
    const answers = [
      preview,
      await cast.viewer.get(`/api/v3/graphs/${clone}/graph`),
      await cast.viewer.get(`/api/v3/graphs/${clone}/versions/1/graph`),
      await cast.viewer.get(`/api/v3/graphs/${clone}/versions/now/compare/now?with=${id}`),
    ];
    for (const { status, text } of answers) expect([status, text.includes("hunter2")]).toEqual([200, false]);
  });
});

describe("values nested as deeply as they can be", { timeout: 60_000 }, () => {
  it("are stored, compared, exported and merged, or refused, but never break the server", async () => {
    const id = await buildGraph(cast, project, "Deep");
    const { metadata_id } = await addNode(cast.owner, id, "A");
    await setApi(cast.owner, metadata_id, [{ ...control, control: null }]);
    for (const depth of [500, 2_000, 4_000, 8_000, 100_000]) {
      const attribute_value = "[".repeat(depth) + "]".repeat(depth);
      const set = await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/data`, { attribute_value });
      const { create, get } = versionsOf(cast.owner, id);
      const answers = [
        set,
        await create(`Depth ${depth}`),
        await get("now/files"),
        await get("now/compare/now"),
        await get("1/compare/now"),
      ];
      for (const { status, text } of answers)
        expect([depth, status < 500, status < 500 ? "" : text]).toEqual([depth, true, ""]);
    }
  });
});
