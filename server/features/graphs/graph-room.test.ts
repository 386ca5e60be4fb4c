import { graph as limits } from "../../limits.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

it("refuses large additions to a full workflow in every way, and allows normal work", async () => {
  const { id: project } = await buildProject(cast);
  const graph = await buildGraph(cast, project);
  const { metadata_id: node, ...copy } = await addNode(cast.owner, graph, "Small");
  const full = Math.floor((limits.bytesMax - 200_000) / 1_000_000);
  await sql`
    insert into nodes (id, graph_id, class, name, source_code)
    select gen_random_uuid(), ${graph}, 'Code_block', 'Large', repeat('x', 1000000) from generate_series(1, ${full})`.execute(
    server.db,
  );
  const code = "y".repeat(990_000);
  const own = { nodes: [{ ...copy, key: 1, source_code: code }] };
  const file = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="a"/></graph></graphml>';
  const refused = [
    await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: code, api: '{"attributes":[]}' }),
    await cast.owner.postJson(`/api/v3/graphs/${graph}/paste`, own),
  ];
  for (const { status, text } of refused)
    expect([status, text]).toEqual([413, "A workflow can hold at most 128 MB of code and values."]);
  expect((await cast.owner.post(`/api/v3/graphs/${graph}/graphml`, { body: file })).status).toBe(200);
  expect((await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "small\n" })).status).toBe(200);
  const elsewhere = await buildGraph(cast, project);
  expect((await cast.owner.postJson(`/api/v3/graphs/${elsewhere}/paste`, own)).status).toBe(200);
  expect(Object.keys((await readGraph(cast.owner, elsewhere)).nodes)).toHaveLength(1);
});
