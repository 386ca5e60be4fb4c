import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipFile } from "yazl";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { readGraph } from "../../testing/editor.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { sendZip, type TestFolder, zipOf } from "../../testing/versions/workflow-folder.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
});
afterAll(() => server.close());

const code = "from miranda import *\n\n\nclass A(Node):\n    rows = Receiver()\n    out = Transmitter()\n";
const toml = `format = 1
sdk = "0.1.0"

[workflow]
name = "Test"

[nodes.a]
name = "A"

[nodes.b]
name = "B"

[layout]
a = [0, 0]
b = [400, 0]

[graph]
edges = [
  { from = "a.out", to = "b.rows" },
]
`;
const good = (): TestFolder =>
  new Map([
    ["workflow.toml", toml],
    ["nodes/a.py", code],
    ["nodes/b.py", code],
  ]);
const withToml = (before: string, after: string): TestFolder =>
  new Map([...good(), ["workflow.toml", toml.replace(before, after)]]);

const send = (zip: Buffer): Promise<Answer> =>
  sendZip(cast.owner, "/api/v3/graphs/files", zip, { project_id: project.id });

/** The code and the words of the refusal, which every call that takes a zip gives. Nothing may be lost or added. */
async function refusal(zip: Buffer): Promise<string> {
  const before = await readGraph(cast.owner, graph);
  const workflows = (await cast.owner.get(`/api/v3/projects/${project.id}/graphs`)).text;
  const fields = { mine_revision: String(before.revision), theirs_revision: "0" };
  const answers = [
    await send(zip),
    await sendZip(cast.owner, `/api/v3/graphs/${graph}/files/preview`, zip),
    await sendZip(cast.owner, `/api/v3/graphs/${graph}/files`, zip, fields),
  ];
  expect(await readGraph(cast.owner, graph)).toEqual(before);
  expect((await cast.owner.get(`/api/v3/projects/${project.id}/graphs`)).text).toBe(workflows);
  const words = new Set(answers.map(({ headers, text }) => `${headers.get("x-miranda-error")}: ${text}`));
  expect([...words]).toHaveLength(1);
  return [...words].join("");
}

const refusalOf = async (folder: TestFolder): Promise<string> => refusal(await zipOf(folder));

describe("a folder that was edited by hand", () => {
  it("accepts the folder that all the others differ from", async () => {
    expect((await send(await zipOf(good()))).status).toBe(200);
  });

  it("refuses a missing file and names it", async () => {
    const folder = good();
    folder.delete("nodes/b.py");
    expect(await refusalOf(folder)).toContain("The file nodes/b.py is missing. Nothing was imported.");
    expect(await refusalOf(withToml("[layout]", '[values.a]\ndata = { file = "files/x.csv" }\n\n[layout]'))).toContain(
      "The file files/x.csv is missing.",
    );
    folder.delete("workflow.toml");
    expect(await refusalOf(folder)).toContain("There is no workflow.toml in this zip.");
  });

  it("refuses code that belongs to no node, because it would be lost", async () => {
    expect(await refusalOf(new Map([...good(), ["nodes/c.py", code]]))).toContain(
      "The file nodes/c.py belongs to no node. Add [nodes.c] to workflow.toml",
    );
  });

  it("refuses a name that is there twice, also in another case", async () => {
    expect(await refusalOf(withToml("[nodes.b]", '[nodes.a]\nname = "Again"\n\n[nodes.b]'))).toContain(
      "workflow.toml, line ",
    );
    const folder = new Map([...withToml("[nodes.b]", "[nodes.A]"), ["nodes/b.py", code]]);
    expect(await refusalOf(folder)).toContain("The nodes a and A have the same name.");
    const lineage = 'lineage = "0e2f8a2e-1111-4111-8111-111111111111"';
    const copied = withToml('name = "A"', `name = "A"\n${lineage}`);
    const twice = (copied.get("workflow.toml") ?? "").replace('name = "B"', `name = "B"\n${lineage}`);
    expect(await refusalOf(new Map([...copied, ["workflow.toml", twice]]))).toContain(
      "The nodes a and b have the same lineage.",
    );
  });

  it("refuses an edge to nowhere and one that is there twice", async () => {
    expect(await refusalOf(withToml("b.rows", "z.rows"))).toContain(
      "The edge a.out → z.rows leads to nowhere: there is no node z.",
    );
    expect(await refusalOf(withToml('to = "b.rows"', 'to = "b"'))).toContain("is not written as node.attribute");
    const line = '{ from = "a.out", to = "b.rows" },';
    expect(await refusalOf(withToml(line, `${line}\n  ${line}`))).toContain(
      "The edge a.out → b.rows stands there twice.",
    );
  });

  it("refuses a workflow and a node of a newer version of the SDK", async () => {
    const words = "needs version 99.0.0 of the SDK. This server has";
    expect(await refusal(await zipOf(withToml('sdk = "0.1.0"', 'sdk = "99.0.0"')))).toContain(
      `sdk_differs: This workflow ${words}`,
    );
    expect(await refusal(await zipOf(withToml('name = "B"', 'name = "B"\nsdk = "99.0.0"')))).toContain(
      `sdk_differs: The node b ${words}`,
    );
    expect(await refusalOf(withToml('sdk = "0.1.0"', 'sdk = "new"'))).toContain("new is not a version of the SDK.");
  });

  it("refuses entries that nobody knows, and values of the wrong kind, with their place", async () => {
    expect(await refusalOf(withToml('name = "A"', 'name = "A"\nlocket = true'))).toContain(
      "workflow.toml, nodes.a: There is no entry locket here.",
    );
    expect(await refusalOf(withToml('name = "A"', 'name = "A"\nlocked = "yes"'))).toContain(
      "workflow.toml, nodes.a.locked: locked must be true or false.",
    );
    expect(await refusalOf(withToml("a = [0, 0]", "a = [0]"))).toContain(
      "workflow.toml, layout.a: A place is two numbers",
    );
    expect(await refusalOf(withToml("[layout]", "[layout]\nz = [0, 0]"))).toContain(
      "workflow.toml, layout.z: There is no node z.",
    );
    expect(await refusalOf(withToml("[layout]", "[values.a]\nday = 2020-01-01\n\n[layout]"))).toContain(
      "Write a date as text, in quotes.",
    );
    expect(await refusalOf(withToml("[layout]", '[values.a]\nx = { json = "{" }\n\n[layout]'))).toContain(
      "This is not JSON.",
    );
    expect(await refusalOf(withToml('name = "A"', 'name = "A"\ngit = "file:///etc"'))).toContain(
      "workflow.toml, nodes.a.git:",
    );
    expect(await refusalOf(withToml("format = 1", "format = 2"))).toContain("workflow.toml, format: format must be 1.");
    expect(await refusalOf(withToml("format = 1", "format = "))).toContain("workflow.toml, line 1:");
  });

  it("refuses a policy whose settings no processor could be given", async () => {
    const policy = withToml(
      "[layout]",
      '[nodes.big]\nclass = "compute_policy"\n\n[settings.big]\ncpu = 9999\n\n[layout]',
    );
    expect(await refusalOf(policy)).toContain("workflow.toml, settings.big:");
  });

  it("keeps wrong Python and says in the node what is wrong with it", async () => {
    const answer = await send(await zipOf(new Map([...good(), ["nodes/b.py", "class B(:\n"]])));
    expect(answer.status).toBe(200);
    const { nodes } = await readGraph(cast.owner, answer.json<{ id: string }>().id);
    const wrong = Object.values(nodes).find(({ name }) => name === "B");
    expect(wrong?.source_code).toBe("class B(:\n");
    expect(wrong?.api.error).toContain("line 1");
  });
});

describe("a zip that was made to harm", () => {
  /** A zip with one more entry, whose name the library that writes zips would refuse. */
  async function withName(name: string): Promise<Buffer> {
    const placeholder = "x".repeat(name.length);
    const zip = await zipOf(new Map([...good(), [placeholder, "evil"]]));
    return Buffer.from(zip.toString("latin1").replaceAll(placeholder, name), "latin1");
  }

  it("refuses paths that climb out of the folder", async () => {
    for (const name of [
      "../../evil.py",
      "nodes/../../evil.py",
      "/etc/passwd",
      String.raw`nodes\evil.py`,
      "C:/evil.py",
      "nodes//evil.py",
    ])
      expect(await refusal(await withName(name))).toMatch(
        /^zip_unsafe_name: .* has a name that leads out of its folder\. Nothing was imported\.$/,
      );
  });

  it("refuses links", async () => {
    const zip = await zipWith((file) =>
      file.addBuffer(Buffer.from("/etc/passwd"), "nodes/evil.py", { mode: 0o120_777 }),
    );
    expect(await refusal(zip)).toContain("zip_unsafe_name: nodes/evil.py is a link.");
  });

  it("refuses two files that are one on other machines", async () => {
    expect(await refusal(await zipOf(new Map([...good(), ["nodes/A.py", code]])))).toContain(
      "zip_unsafe_name: nodes/A.py is in this zip twice.",
    );
  });

  it("refuses a zip bomb without unpacking it", async () => {
    const zeros = Buffer.alloc(1024 * 1024);
    const bomb = await zipWith((file) => {
      file.addReadStreamLazy("files/bomb", (done) =>
        done(null, Readable.from(Array.from({ length: 300 }, () => zeros))),
      );
    });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(await refusal(bomb)).toContain("zip_bomb: This zip would unpack to more than 256 MB.");
  });

  it("refuses a zip that says it is smaller than it is", async () => {
    const zip = await zipOf(new Map([...good(), ["files/liar", Buffer.alloc(5_000_000).toString()]]));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(5_000_000);
    const lie = Buffer.alloc(4);
    lie.writeUInt32LE(10);
    const lying = Buffer.from(
      zip.toString("latin1").replaceAll(size.toString("latin1"), lie.toString("latin1")),
      "latin1",
    );
    expect(await refusal(lying)).toContain("zip_unreadable: That is not a zip file we can read.");
  });

  it("refuses a broken zip, one with two workflows, and a form without a zip", async () => {
    expect(await refusal(Buffer.from("PK not a zip"))).toContain("zip_unreadable: That is not a zip file we can read.");
    const zip = await zipOf(good());
    expect(await refusal(zip.subarray(0, zip.length - 30))).toContain(
      "zip_unreadable: That is not a zip file we can read.",
    );
    const two = new Map(
      [...good()].flatMap(([path, text]) => [[`one/${path}`, text] as const, [`two/${path}`, text] as const]),
    );
    expect(await refusal(await zipOf(two))).toContain("workflow_files_invalid: This zip has several workflows");
    const none = await cast.owner.post("/api/v3/graphs/files", { project_id: project.id });
    expect([none.status, none.text]).toEqual([400, "Please upload a zip file."]);
  });
});

async function zipWith(add: (file: ZipFile) => void): Promise<Buffer> {
  const file = new ZipFile();
  for (const [path, text] of good()) file.addBuffer(Buffer.from(text), path);
  add(file);
  file.end();
  const parts: Buffer[] = [];
  for await (const part of file.outputStream) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts);
}
