import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

it("of twelve large sources of one account does not hold another person's save", { timeout: 300_000 }, async () => {
  const graph = await buildGraph(cast, (await buildProject(cast)).id);
  const { metadata_id: node } = await addNode(cast.owner, graph);
  const large = "x = 1\n".repeat(143_000);
  let left = 12;
  const checks = Array.from({ length: left }, async () => {
    const { status } = await cast.viewer.post(`/api/v3/objects/${node}/check`, { source_code: large });
    left -= 1;
    return status;
  });
  const source_code = "from miranda import *\n\nclass Quick(Node):\n    pass\n";
  expect((await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code })).status).toBe(200);
  expect(left).toBeGreaterThan(5);
  expect(await Promise.all(checks)).toEqual(Array.from({ length: 12 }, () => 200));
});
