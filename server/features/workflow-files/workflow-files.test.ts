import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { RestoredVersion, VersionPage } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { readGraph } from "../../testing/editor.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { automaticVersionsIn } from "../../testing/versions/versions.ts";
import { edited, exportFolder, importFolder, sendZip, zipOf } from "../../testing/versions/workflow-folder.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = await buildProject(cast);
});
afterAll(() => server.close());

const code = (name: string, body = "        pass") =>
  `from miranda import *\n\n\nclass ${name}(Node):\n    rows = Receiver()\n    rate = Field(0.1)\n    key = Field("", control=Secret())\n    data = Field(control=File())\n    out = Transmitter()\n\n    def run(self):\n${body}\n`;

const toml = `format = 1
sdk = "0.1.0"

[workflow]
name = "From files"
description = "Written by hand"

[nodes.load]
name = "Load rows"
description = """
first line
second line"""
colour = "#aabbcc"
tags = ["raw", "big"]

[nodes.train]
name = "Train"
disabled = true

[nodes.small]
name = "Small"
class = "compute_policy"

[values.train]
rate = 0.5
data = { file = "files/rows.csv", type = "text/csv" }

[settings.small]
cpu = 2
gpu = 0
image = ""
max_minutes = 30
ram_gb = 4

[layout]
load = [0, 0]
small = [0, 300.5]
train = [400, 0]

[graph]
edges = [
  { from = "load.out", to = "train.rows", label = "rows", via = [[100, 50]] },
  { from = "small.compute", to = "train.compute" },
]

[groups.first]
name = "First"
collapsed = true
members = [
  "load",
  "train",
]
`;
const byHand = () =>
  new Map([
    ["workflow.toml", toml],
    ["nodes/load.py", code("Load")],
    ["nodes/train.py", code("Train")],
    ["files/rows.csv", "a,b\n1,2\n"],
  ]);

async function newWorkflow(folder: ReadonlyMap<string, string> = byHand()): Promise<string> {
  const answer = await sendZip(cast.owner, "/api/v3/graphs/files", await zipOf(folder), { project_id: project.id });
  expect(answer.text).toContain("id");
  return answer.json<{ id: string }>().id;
}

const nodeNamed = (graph: GraphResponse, name: string) => {
  const found = Object.values(graph.nodes).find((node) => node.name === name);
  if (!found) throw new Error(`There is no node ${name}.`);
  return found;
};

describe("a workflow as files", () => {
  it("makes a workflow from a folder with everything in it", async () => {
    const id = await newWorkflow();
    const graph = await readGraph(cast.owner, id);
    expect(Object.values(graph.nodes).map(({ name }) => name)).toEqual(["Load rows", "Train", "Small"]);
    expect(nodeNamed(graph, "Load rows")).toMatchObject({
      description: "first line\nsecond line",
      colour: "#aabbcc",
      tags: { tags: ["raw", "big"] },
    });
    expect(nodeNamed(graph, "Small").body).toMatchObject({ cpu: 2, ram_gb: 4 });
    expect(nodeNamed(graph, "Train").api.disabled).toBe(true);
    expect(graph.edges.map(({ label, segments }) => ({ label, segments }))).toContainEqual({
      label: "rows",
      segments: [{ x: 100, y: 50 }],
    });
    expect(graph.groups).toMatchObject([{ name: "First", collapsed: true }]);
    const file = await cast.owner.get(`/api/v3/objects/${nodeNamed(graph, "Train").metadata_id}/attributes/data/file`);
    expect(file.text).toBe("a,b\n1,2\n");
  });

  it("exports the same text again, and the import of an export changes nothing", async () => {
    const id = await newWorkflow();
    const first = await exportFolder(cast.owner, id);
    const again = await exportFolder(cast.owner, id);
    expect([...again]).toEqual([...first]);
    expect([...first.keys()].toSorted()).toEqual([
      "files/rows.csv",
      "nodes/load_rows.py",
      "nodes/train.py",
      "workflow.toml",
    ]);
    const { preview } = await importFolder(cast.owner, id, first);
    expect(preview).toMatchObject({ has_base: true, conflicts: [], comparison: { nodes: [], edges: [], groups: [] } });
  });

  it("changes one line of the folder when one node is moved", async () => {
    const id = await newWorkflow();
    const before = (await exportFolder(cast.owner, id)).get("workflow.toml")?.split("\n") ?? [];
    const { metadata_id } = nodeNamed(await readGraph(cast.owner, id), "Train");
    await cast.owner.put(`/api/v3/designer/${id}/nodes/${metadata_id}`, { position: '{"x":777,"y":8}' });
    const after = (await exportFolder(cast.owner, id)).get("workflow.toml")?.split("\n") ?? [];
    const changed = after.filter((line, at) => line !== before[at]);
    expect(changed).toEqual(
      ["train = [777, 8]", ...changed.filter((line) => line.startsWith("version = "))].toReversed(),
    );
    expect(after.length).toBe(before.length);
  });

  it("merges edits of a folder with what others changed meanwhile, as one change that can be undone", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    const before = await readGraph(cast.owner, id);
    const loader = nodeNamed(before, "Load rows").metadata_id;
    await cast.editor.patch(`/api/v3/objects/${loader}?wob_type=CODE_BLOCK`, { name: "Load" });
    const mine = edited(
      edited(folder, "nodes/train.py", "pass", "print(1)"),
      "workflow.toml",
      "rate = 0.5",
      "rate = 0.7",
    );
    const { preview, answer } = await importFolder(cast.owner, id, mine);
    expect(preview.conflicts).toEqual([]);
    expect(answer.status).toBe(200);
    const after = await readGraph(cast.owner, id);
    expect(nodeNamed(after, "Load").metadata_id).toBe(loader);
    expect(nodeNamed(after, "Train").source_code).toContain("print(1)");
    expect(after.revision).toBe(answer.json<RestoredVersion>().revision);
    const undone = await cast.owner.postJson(
      `/api/v3/graphs/${id}/versions/${answer.json<RestoredVersion>().before.id}/restore`,
      {},
    );
    expect(undone.status).toBe(200);
    expect(nodeNamed(await readGraph(cast.owner, id), "Train").source_code).toContain("pass");
  });

  it("shows a conflict when both changed the same value, and keeps the chosen side", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    const { metadata_id } = nodeNamed(await readGraph(cast.owner, id), "Train");
    await cast.editor.patch(`/api/v3/objects/${metadata_id}/attributes/rate`, { attribute_value: 0.9 });
    const mine = edited(folder, "workflow.toml", "rate = 0.5", "rate = 0.7");
    const zip = await zipOf(mine);
    const undecided = await sendZip(cast.owner, `/api/v3/graphs/${id}/files`, zip, {
      mine_revision: String((await readGraph(cast.owner, id)).revision),
      theirs_revision: "0",
    });
    expect(undecided.headers.get("x-miranda-error")).toBe("merge_undecided");
    const { preview, answer } = await importFolder(cast.owner, id, mine, "theirs");
    expect(preview.conflicts).toMatchObject([{ kind: "value", field: "rate", base: 0.5, theirs: 0.7, mine: 0.9 }]);
    expect(answer.status).toBe(200);
    const rate = nodeNamed(await readGraph(cast.owner, id), "Train").api.attributes.find(({ name }) => name === "rate");
    expect(rate?.value).toBe(0.7);
  });

  it("adds a node that was written by hand once, however often the folder is sent", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    const more = new Map([...folder, ["nodes/extra.py", code("Extra")]]);
    const withNode = edited(more, "workflow.toml", "[nodes.load_rows]", "[nodes.extra]\n\n[nodes.load_rows]");
    await importFolder(cast.owner, id, withNode);
    const { preview } = await importFolder(cast.owner, id, withNode);
    expect(preview.comparison.nodes).toEqual([]);
    const graph = await readGraph(cast.owner, id);
    expect(Object.values(graph.nodes).filter(({ name }) => name === "extra")).toHaveLength(1);
  });

  it("removes a node that was removed from the folder, and its edges", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    folder.delete("nodes/load_rows.py");
    // Its table, and every other line that names it.
    const text = (folder.get("workflow.toml") ?? "").replace(/\[nodes\.load_rows\][\s\S]*?\n\n/, "");
    folder.set("workflow.toml", text.replaceAll(/^.*load_rows.*\n/gm, ""));
    const { answer } = await importFolder(cast.owner, id, folder);
    expect(answer.status).toBe(200);
    const graph = await readGraph(cast.owner, id);
    expect(Object.values(graph.nodes).map(({ name }) => name)).toEqual(["Train", "Small"]);
    expect(graph.edges).toHaveLength(1);
  });

  it("has no values of secret controls, and an import keeps those that the node has", async () => {
    const id = await newWorkflow();
    const { metadata_id } = nodeNamed(await readGraph(cast.owner, id), "Train");
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/key`, { attribute_value: "s3cret" });
    const folder = await exportFolder(cast.owner, id);
    expect([...folder.values()].join("\n")).not.toContain("s3cret");
    const sneaky = edited(folder, "workflow.toml", "rate = 0.5", 'rate = 0.6\nkey = "other"');
    expect((await importFolder(cast.owner, id, sneaky)).answer.status).toBe(200);
    const key = nodeNamed(await readGraph(cast.owner, id), "Train").api.attributes.find(({ name }) => name === "key");
    expect(key?.value).toBe("s3cret");
  });

  it("takes a folder of another workflow as additions", async () => {
    const [one, other] = [await newWorkflow(), await buildGraph(cast, project.id)];
    const { preview, answer } = await importFolder(cast.owner, other, await exportFolder(cast.owner, one));
    expect(preview.has_base).toBe(false);
    expect(answer.status).toBe(200);
    expect(Object.keys((await readGraph(cast.owner, other)).nodes)).toHaveLength(3);
  });

  it("exports a named version under its number, and refuses an unknown one", async () => {
    const id = await newWorkflow();
    await cast.owner.patch(`/api/v3/graphs/${id}`, { name: "From files" });
    await cast.owner.post(`/api/v3/graphs/${id}/versions`, { name: "First" });
    const answer = await cast.owner.get(`/api/v3/graphs/${id}/versions/1/files`);
    expect(answer.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''from-files-1.zip");
    expect((await cast.owner.get(`/api/v3/graphs/${id}/versions/7/files`)).status).toBe(404);
  });

  it("lets only one of two people merge at the same revision", async () => {
    const id = await newWorkflow();
    const zip = await zipOf(edited(await exportFolder(cast.owner, id), "workflow.toml", "rate = 0.5", "rate = 0.7"));
    const { revision } = await readGraph(cast.owner, id);
    const fields = { mine_revision: String(revision), theirs_revision: "0" };
    const path = `/api/v3/graphs/${id}/files`;
    const both = await Promise.all([sendZip(cast.owner, path, zip, fields), sendZip(cast.editor, path, zip, fields)]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  });
});

describe("the version that a folder came from", () => {
  const age = (id: string, days: number) =>
    sql`update graph_versions set created_at = now() - make_interval(days => ${days}) where graph_id = ${id}`.execute(
      server.db,
    );
  const thinOut = () => finishChore(automaticVersionsIn(server.db).sweep());
  const reasons = async (id: string) => {
    const page = (await cast.owner.get(`/api/v3/graphs/${id}/versions`)).json<VersionPage>();
    return page.versions.map(({ reason }) => reason);
  };

  it("is made once for each revision, and readers leave no name in it", async () => {
    const id = await newWorkflow();
    await exportFolder(cast.viewer, id);
    await exportFolder(cast.owner, id);
    const page = (await cast.owner.get(`/api/v3/graphs/${id}/versions`)).json<VersionPage>();
    expect(page.versions).toMatchObject([{ reason: "export", author: null }]);
  });

  it("is kept for months, so that a folder can be merged long after its export", async () => {
    const id = await newWorkflow();
    const first = await exportFolder(cast.owner, id);
    const { metadata_id } = nodeNamed(await readGraph(cast.owner, id), "Train");
    await cast.owner.patch(`/api/v3/objects/${metadata_id}`, { name: "Trainer" });
    await exportFolder(cast.owner, id);
    await age(id, 60);
    await thinOut();
    expect(await reasons(id)).toEqual(["export", "export"]);
    const { preview } = await importFolder(cast.owner, id, edited(first, "workflow.toml", "rate = 0.5", "rate = 0.7"));
    expect(preview).toMatchObject({ has_base: true, conflicts: [] });
  });

  it("may be gone: then every difference is a conflict, and nothing is lost", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    await sql`delete from graph_versions where graph_id = ${id}`.execute(server.db);
    const mine = edited(folder, "workflow.toml", "rate = 0.5", "rate = 0.7");
    const { preview, answer } = await importFolder(cast.owner, id, mine, "mine");
    expect(preview).toMatchObject({ has_base: false, conflicts: [{ kind: "value", field: "rate" }] });
    expect(answer.status).toBe(200);
    const rate = nodeNamed(await readGraph(cast.owner, id), "Train").api.attributes.find(({ name }) => name === "rate");
    expect(rate?.value).toBe(0.5);
  });

  it("is of no use to somebody who may not read its workflow", async () => {
    const id = await newWorkflow();
    const folder = await exportFolder(cast.owner, id);
    const home = (await cast.stranger.post("/api/v3/projects/", { name: "Own" })).json<{ id: string }>().id;
    const made = await sendZip(cast.stranger, "/api/v3/graphs/files", await zipOf(folder), { project_id: home });
    const { preview } = await importFolder(cast.stranger, made.json<{ id: string }>().id, folder);
    expect(preview).toMatchObject({ has_base: false, conflicts: [], comparison: { nodes: [] } });
  });
});

describe("a large workflow", () => {
  const names = Array.from({ length: 1_500 }, (_, at) => `n${at}`);
  const large = (to: string) =>
    new Map([
      [
        "workflow.toml",
        [
          'format = 1\nsdk = "0.1.0"\n\n[workflow]\nname = "Large"\n',
          ...names.map((name) => `[nodes.${name}]\n`),
          `[graph]\nedges = [\n  { from = "n0.out", to = "${to}.rows" },\n]\n`,
        ].join("\n"),
      ],
      ...names.map((name): [string, string] => [`nodes/${name}.py`, `${code("N")}# ${"x".repeat(300)}\n`]),
    ]);

  it("comes in and goes out whole, and an edit of one file changes one node", async () => {
    const id = await newWorkflow(large("n1"));
    expect(Object.keys((await readGraph(cast.owner, id)).nodes)).toHaveLength(names.length);
    const folder = await exportFolder(cast.owner, id);
    expect(folder.size).toBe(names.length + 1);
    const { preview } = await importFolder(cast.owner, id, edited(folder, "nodes/n7.py", "pass", "print(7)"));
    expect(preview.comparison.nodes).toMatchObject([{ change: "changed", after: { name: "n7" } }]);
  });

  it("is refused with the same words as a small one", async () => {
    const answer = await sendZip(cast.owner, "/api/v3/graphs/files", await zipOf(large("n9999")), {
      project_id: project.id,
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("The edge n0.out → n9999.rows leads to nowhere");
  });
});

describe("access, a test per cell", () => {
  const mayRead = { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 };
  const mayWrite = { anonymous: 401, stranger: 404, viewer: 403, editor: 200, owner: 200, admin: 200 };
  const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
  for (const role of roles) {
    it(`${role} exports: ${mayRead[role]}; imports: ${mayWrite[role]}`, async () => {
      const id = await newWorkflow();
      const path = `/api/v3/graphs/${id}`;
      expect((await cast[role].get(`${path}/versions/now/files`)).status).toBe(mayRead[role]);
      const zip = await zipOf(byHand());
      expect((await sendZip(cast[role], `${path}/files/preview`, zip)).status).toBe(mayWrite[role]);
      const made = await sendZip(cast[role], "/api/v3/graphs/files", zip, { project_id: project.id });
      expect(made.status).toBe(mayWrite[role]);
    });
  }
});
