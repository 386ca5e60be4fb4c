import type { NodeEdits } from "@miranda/contract/schemas/versions.ts";
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
});
afterAll(() => server.close());

/** A workflow of the stranger's own, which nobody else may read. */
async function ownGraph(): Promise<string> {
  const made = await cast.stranger.post("/api/v3/projects/", { name: "Own", description: "" });
  const { id } = made.json<{ id: string }>();
  const graph = await cast.stranger.post("/api/v3/graphs/", { name: "Own", description: "", project_id: id });
  return graph.json<{ id: string }>().id;
}

describe("somebody who may not read a workflow", () => {
  it("reaches none of its versions through a workflow of their own", async () => {
    const hidden = await buildGraph(cast, project);
    await addNode(cast.owner, hidden, "Hidden");
    const version = await versionsOf(cast.owner, hidden).made("Hidden");
    const own = await ownGraph();
    await addNode(cast.stranger, own, "Own");
    const { made, get, restore, post, remove } = versionsOf(cast.stranger, own);
    await made("Own");
    const { lineages } = await versionsOf(cast.owner, hidden).graph(1);
    const answers = [
      await get(version.id),
      await get(`${version.id}/graph`),
      await get(`${version.id}/edits`),
      await get(`1/compare/${version.id}`),
      await get(`1/compare/1?with=${hidden}`),
      await get(`1/compare/now?with=${hidden}`),
      await restore(version.id),
      await remove(version.id),
      await post(`${version.id}/workflow`, { project_id: project, name: "x" }),
      await restore(1, { nodes: Object.values(lineages) }),
    ];
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([404, text]);
      expect(text).not.toContain("Hidden");
    }
    expect((await versionsOf(cast.owner, hidden).list()).length).toBe(1);
  });

  it("learns nothing from the page key of another workflow", async () => {
    const hidden = await buildGraph(cast, project);
    const version = await versionsOf(cast.owner, hidden).made("Hidden");
    const own = await ownGraph();
    expect(await versionsOf(cast.stranger, own).list(`?after=${version.id}`)).toEqual([]);
  });
});

describe("a reader", () => {
  it("sees no secret value and no git credential in any answer about versions", async () => {
    const graph = await buildGraph(cast, project);
    const { metadata_id } = await addNode(cast.owner, graph, "Keeps");
    const secret = {
      name: "key",
      kind: "text",
      direction: "RECEIVER_FIELD",
      value: "dflt-secret",
      control: { type: "secret" },
    };
    await setApi(cast.owner, metadata_id, [secret]);
    await cast.owner.patch(`/api/v3/objects/${metadata_id}/attributes/key`, { attribute_value: '"hunter2"' });
    await cast.owner.patch(`/api/v3/objects/${metadata_id}`, { git: "https://me:gitsecret@example.org/a.git" });
    const versions = versionsOf(cast.viewer, graph);
    await versionsOf(cast.owner, graph).made("First");
    // The value stays when the code no longer declares it.
    await setApi(cast.owner, metadata_id, []);
    await versionsOf(cast.owner, graph).made("Second");
    for (const path of ["", "1", "1/graph", "2/graph", "now/graph", "1/compare/2", "1/compare/now", "1/edits"]) {
      const { text } = await versions.get(path);
      for (const word of ["hunter2", "gitsecret", "dflt-secret"])
        expect([path, text.includes(word)]).toEqual([path, false]);
    }
  });
});

describe("an editor with bad intentions", () => {
  it("cannot take the number of another workflow's node by restoring a version", async () => {
    const graph = await buildGraph(cast, project);
    const { metadata_id } = await addNode(cast.owner, graph, "Mine");
    const { made, restored } = versionsOf(cast.owner, graph);
    await made("First");
    await cast.owner.delete(`/api/v3/objects/${metadata_id}`);
    await sql`delete from deleted_nodes`.execute(server.db);
    const other = await buildGraph(cast, project);
    const taken = await addNode(cast.owner, other, "Other");
    await sql`update nodes set metadata_id = ${metadata_id} where metadata_id = ${taken.metadata_id}`.execute(
      server.db,
    );
    await restored(1);
    expect(Object.values((await readGraph(cast.owner, other)).nodes)).toMatchObject([{ metadata_id, name: "Other" }]);
    const [mine] = Object.values((await readGraph(cast.owner, graph)).nodes);
    expect([mine?.name, mine?.metadata_id === metadata_id]).toEqual(["Mine", false]);
  });

  it("gets clear refusals for lists that are too long, and 20,000 nodes are accepted", async () => {
    const graph = await buildGraph(cast, project);
    await addNode(cast.owner, graph, "One");
    const { create, restore, made } = versionsOf(cast.owner, graph);
    await made("First");
    const many = Array.from({ length: 20_001 }, () => randomUUID());
    for (const answer of [await create("x", { publish: true, left_out: many }), await restore(1, { nodes: many })])
      expect([answer.status, answer.text]).toEqual([400, "At most 20000 nodes at once."]);
    const unknown = await create("x", { publish: true, left_out: many.slice(1) });
    expect([unknown.status, unknown.text]).toEqual([
      404,
      "One of the nodes to leave out is not in this workflow. Nothing was published.",
    ]);
    const form = await cast.owner.post(`/api/v3/graphs/${graph}/versions`, {
      name: "x",
      publish: true,
      left_out: JSON.stringify(many.slice(1)),
    });
    expect(form.status).toBe(404);
    expect((await versionsOf(cast.owner, graph).list()).length).toBe(1);
  });
});

describe("a workflow of 20,000 nodes", { timeout: 120_000 }, () => {
  it("is stored, shown, edited and restored while others are served", async () => {
    const graph = await buildGraph(cast, project);
    await sql`insert into nodes (id, graph_id, class, name, source_code)
      select gen_random_uuid(), ${graph}, 'Code_block', 'Node ' || n, 'pass # ' || n
      from generate_series(1, 20000) as n`.execute(server.db);
    await sql`update graphs set revision = revision + 1 where id = ${graph}`.execute(server.db);
    const { made, graph: look, restored, edits } = versionsOf(cast.owner, graph);
    const served = { count: 0, isOver: false };
    async function others(): Promise<void> {
      while (!served.isOver) {
        expect((await cast.stranger.get("/api/v3/auth/")).status).toBe(200);
        served.count += 1;
      }
    }
    const serving = others();
    expect(await made("First")).toMatchObject({ nodes: 20_000 });
    expect(Object.keys((await look(1)).nodes).length).toBe(20_000);
    const [first] = Object.keys((await look(1)).nodes);
    await cast.owner.patch(`/api/v3/objects/${first}`, { name: "Other" });
    const changed: NodeEdits = await edits(1);
    expect(changed.map(({ metadata_id }) => metadata_id)).toEqual([Number(first)]);
    await restored(1);
    served.isOver = true;
    await serving;
    expect(served.count).toBeGreaterThan(3);
  });
});
