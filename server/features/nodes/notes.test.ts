import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
});
afterAll(() => server.close());

const text = "# Why\n\nThe *second* node needs three hours.";

it("a note has text and a size, no code and no ports", async () => {
  const graph = await buildGraph(cast, project);
  const { metadata_id: id, api, source_code, body } = await addNode(cast.editor, graph, "Note", "NOTE");
  expect({ attributes: api.attributes, source_code, body }).toEqual({
    ...{ attributes: [], source_code: "" },
    body: { width: 256, height: 160 },
  });
  const patch = (form: Record<string, string>) => cast.editor.patch(`/api/v3/objects/${id}`, form);
  expect((await patch({ description: text, body: '{"width":400}' })).status).toBe(200);
  const read = async () => (await cast.viewer.get(`/api/v3/objects/${id}`)).json<Node>();
  expect(await read()).toMatchObject({ class: "note", description: text, body: { width: 400, height: 160 } });
  for (const [form, words] of [
    [{ body: '{"width":1000000}' }, "Width must be a whole number from 128 to 1600."],
    [{ body: '{"height":"tall"}' }, "Height must be a whole number from 64 to 1600."],
  ] as const) {
    const refused = await patch(form);
    expect([refused.status, refused.text]).toEqual([400, words]);
  }
  const code = await cast.editor.put(`/api/v3/objects/${id}/api`, { source_code: "x = 1" });
  expect([code.status, code.text]).toEqual([400, "Only a code block has code."]);
  const block = await addNode(cast.editor, graph, "Load");
  const edge = { from_id: id, to_id: block.metadata_id, transmitter_key: "output", receiver_key: "input" };
  expect((await cast.editor.post("/api/v3/objects/edges", edge)).status).toBe(404);
  expect((await cast.viewer.patch(`/api/v3/objects/${id}`, { description: "mine" })).status).toBe(403);
  expect(await read()).toMatchObject({ description: text, body: { width: 400, height: 160 } });
});

it("a note goes along with copies, files and versions", async () => {
  const graph = await buildGraph(cast, project);
  const { metadata_id: id } = await addNode(cast.owner, graph, "Note", "NOTE");
  await cast.owner.patch(`/api/v3/objects/${id}`, { description: text, body: '{"width":640,"height":320}' });
  const note = { class: "note", name: "Note", description: text, body: { width: 640, height: 320 } };

  const { nodes } = await readGraph(cast.owner, graph);
  const pasted = await cast.owner.post(`/api/v3/graphs/${graph}/paste`, {
    nodes: JSON.stringify(Object.values(nodes)),
  });
  expect(pasted.json<{ nodes: Record<string, Node> }>().nodes).toMatchObject({
    [Number(Object.keys(pasted.json<{ nodes: object }>().nodes)[0])]: note,
  });

  const exported = await cast.owner.get(`/api/v3/graphs/${graph}/graphml`);
  const other = await buildGraph(cast, project);
  expect((await cast.owner.post(`/api/v3/graphs/${other}/graphml`, { body: exported.text })).status).toBe(200);
  expect(Object.values((await readGraph(cast.owner, other)).nodes)).toMatchObject([note, note]);

  const made = await cast.owner.post(`/api/v3/graphs/${graph}/versions`, { name: "With notes" });
  expect(made.status).toBe(200);
  await cast.owner.delete(`/api/v3/objects/${id}`);
  expect((await cast.owner.post(`/api/v3/graphs/${graph}/versions/1/restore`, {})).status).toBe(200);
  expect(Object.values((await readGraph(cast.owner, graph)).nodes)).toMatchObject([note, note]);
});
