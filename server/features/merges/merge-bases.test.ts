import type { Origin } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph } from "../../testing/editor.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import {
  differencesOf,
  findNamed,
  merge,
  mergeAll,
  nodeNamed,
  noDifferences,
  originAndClone,
  previewOf,
  setValue,
  valueOf,
  writeCode,
} from "../../testing/versions/merging.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { createVersionStore } from "../versions/version-store.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

describe("what two workflows have in common", () => {
  it("is there again when a merge is undone days later, after the housekeeping", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await setValue(cast.owner, origin, "Train", { note: "origin" });
    const { before } = await mergeAll(cast.editor, origin, clone);
    await server.db.deleteFrom("graph_versions").where("reason", "=", "clone").execute();
    await sql`update version_parts set created_at = created_at - interval '2 days'`.execute(server.db);
    await sql`update loose_parts set since = since - interval '2 days'`.execute(server.db);
    await finishChore(createVersionStore(server.db).sweep());

    expect((await versionsOf(cast.owner, origin).restore(before.id)).status).toBe(200);
    const again = await previewOf(cast.editor, origin, clone);
    expect([again.has_base, again.conflicts]).toEqual([true, []]);
    expect(again.comparison.nodes.flatMap(({ fields }) => fields.map(({ field }) => field))).toEqual(["epochs"]);
  });

  it("is again that of the restored version, after several merges in both directions", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 1 });
    await mergeAll(cast.editor, origin, clone);
    const name = { name: "Kept", message: "" };
    const kept = (await cast.owner.post(`/api/v3/graphs/${origin}/versions`, name)).json<{ id: string }>();
    await setValue(cast.editor, clone, "Train", { epochs: 2 });
    await mergeAll(cast.editor, origin, clone);
    await setValue(cast.owner, origin, "Train", { note: "origin" });
    await mergeAll(cast.editor, clone, origin);

    await versionsOf(cast.owner, origin).restored(kept.id);
    // The first merge stands. The second is offered again, and what came from the origin itself is not taken away.
    expect((await previewOf(cast.editor, clone, origin)).comparison).toEqual(noDifferences);
    await mergeAll(cast.editor, origin, clone);
    const train = await nodeNamed(cast.owner, origin, "Train");
    expect([valueOf(train, "epochs"), valueOf(train, "note")]).toEqual([2, "origin"]);
    expect(await differencesOf(cast.editor, origin, clone)).toEqual(noDifferences);
  });

  it("stays when a workflow takes back edits of its own that the other side has", async () => {
    const { origin, clone } = await originAndClone(cast);
    const named = await cast.editor.post(`/api/v3/graphs/${clone}/versions`, { name: "Before", message: "" });
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await mergeAll(cast.editor, origin, clone);
    const version = named.json<{ id: string }>().id;
    await cast.editor.post(`/api/v3/graphs/${clone}/versions/${version}/restore`);
    expect((await previewOf(cast.editor, clone, origin)).comparison).toEqual(noDifferences);
    const { comparison } = await previewOf(cast.editor, origin, clone);
    expect(comparison.nodes.flatMap(({ fields }) => fields)).toEqual([{ kind: "value", field: "epochs", before: 50 }]);
  });

  it("stays when only some nodes of a version are restored", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await addNode(cast.editor, clone, "Report");
    const { before } = await mergeAll(cast.editor, origin, clone);
    const { lineages } = (await cast.owner.get(`/api/v3/graphs/${origin}/versions/now/graph`)).json<{
      lineages: Record<string, string>;
    }>();
    const { metadata_id } = await nodeNamed(cast.owner, origin, "Train");
    const body = { nodes: [lineages[metadata_id]] };
    await cast.owner.postJson(`/api/v3/graphs/${origin}/versions/${before.id}/restore`, body);
    // Taking one node back is an edit of the origin. It does not come again, and the clone gets it.
    expect((await previewOf(cast.editor, origin, clone)).comparison).toEqual(noDifferences);
    const { comparison } = await previewOf(cast.editor, clone, origin);
    expect(comparison.nodes.map(({ after }) => after?.name)).toEqual(["Train"]);
  });

  it("is known for a workflow that was started from a version", async () => {
    const { origin, project } = await originAndClone(cast);
    await cast.owner.post(`/api/v3/graphs/${origin}/versions`, { name: "One", message: "" });
    await setValue(cast.owner, origin, "Train", { note: "later" });
    const body = { project_id: project.id, name: "Branch" };
    const branch = (await cast.owner.post(`/api/v3/graphs/${origin}/versions/1/workflow`, body)).json<{ id: string }>();
    const from = (await cast.owner.get(`/api/v3/graphs/${branch.id}/origin`)).json<Origin>();
    expect(from.graph?.id).toBe(origin);
    await setValue(cast.owner, branch.id, "Train", { epochs: 50 });
    const preview = await previewOf(cast.owner, origin, branch.id);
    expect([preview.has_base, preview.conflicts, preview.comparison.nodes.length]).toEqual([true, [], 1]);
  });

  it("is the origin for two clones that have not merged since, and nothing for others", async () => {
    const { origin, clone, project } = await originAndClone(cast);
    const answer = await cast.editor.post(`/api/v3/graphs/${origin}/clone`, { to_project: project.id });
    const sibling = answer.json<{ id: string }>().id;
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await setValue(cast.editor, sibling, "Train", { note: "sibling" });
    const preview = await previewOf(cast.editor, sibling, clone);
    expect([preview.has_base, preview.conflicts]).toEqual([true, []]);
    await mergeAll(cast.editor, sibling, clone);
    const train = await nodeNamed(cast.editor, sibling, "Train");
    expect([valueOf(train, "epochs"), valueOf(train, "note")]).toEqual([50, "sibling"]);

    await setValue(cast.owner, origin, "Train", { epochs: 3 });
    await merge(cast.owner, sibling, origin, () => "theirs");
    // The base of the sibling is newer now. The clone never had it.
    expect((await previewOf(cast.editor, sibling, clone)).has_base).toBe(false);
  });
});

describe("a merge also brings", () => {
  it("uploaded files that values name", async () => {
    const { origin, clone } = await originAndClone(cast);
    const code = `from miranda import Field, File, Node\n\n\nclass Load(Node):\n    data = Field(control=File())\n`;
    await writeCode(cast.editor, clone, "Load", code);
    const { metadata_id } = await nodeNamed(cast.editor, clone, "Load");
    const form = new FormData();
    form.set("file", new File(["a,b\n1,2\n"], "tides.csv", { type: "text/csv" }));
    const uploaded = await cast.editor.send("POST", `/api/v3/objects/${metadata_id}/files`, form);
    await setValue(cast.editor, clone, "Load", { data: uploaded.text });
    await mergeAll(cast.editor, origin, clone);
    const merged = await nodeNamed(cast.owner, origin, "Load");
    const file = await cast.viewer.get(`/api/v3/objects/${merged.metadata_id}/attributes/data/file`);
    expect([file.status, file.text]).toEqual([200, "a,b\n1,2\n"]);
  });

  it("groups, tags, policies and labels of edges", async () => {
    const { origin, clone } = await originAndClone(cast);
    const [load, train] = [await nodeNamed(cast.editor, clone, "Load"), await nodeNamed(cast.editor, clone, "Train")];
    const nodes = [load.metadata_id, train.metadata_id];
    const drawn = { ...ends(load.metadata_id, "output", train.metadata_id, "input"), label: "rows" };
    await cast.editor.put("/api/v3/objects/edges", drawn);
    const policy = await addNode(cast.editor, clone, "Large", "COMPUTE_POLICY");
    await cast.editor.patch(`/api/v3/compute_policies/${policy.id}`, { cpu: 4 });
    await cast.editor.postJson(`/api/v3/graphs/${clone}/groups`, { name: "All", metadata_ids: nodes });
    await cast.editor.post(`/api/v3/objects/${load.metadata_id}/tags`, { tag: "daily" });
    await mergeAll(cast.editor, origin, clone);
    expect(await differencesOf(cast.editor, origin, clone)).toEqual(noDifferences);
    const merged = await readGraph(cast.owner, origin);
    expect(merged.groups).toMatchObject([{ name: "All" }]);
    expect(merged.edges).toMatchObject([{ label: "rows" }]);
    expect(findNamed(merged, "Load")?.tags.tags).toEqual(["daily"]);
    expect(merged.groups[0]?.metadata_ids).toHaveLength(2);
    expect(findNamed(merged, "Large")?.body).toMatchObject({ cpu: 4 });
  });
});
