import type { Blueprint, Prefab } from "@miranda/contract/schemas/library/templates.ts";
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

const list = async <Template>(shelf: string, query: string) =>
  (await cast.stranger.get(`/api/v3/${shelf}?query=${encodeURIComponent(query)}`)).json<Template[]>();

it("gives shipped templates a category and a picture, which only people who are signed in see", async () => {
  const all = [
    ...(await list<Prefab>("prefabs", "Confusion matrix")),
    ...(await list<Blueprint>("blueprints", "Iris")),
  ];
  expect(all.map(({ category }) => category)).toEqual(["evaluate", undefined]);
  for (const [at, type] of [
    [0, "image/webp"],
    [1, "image/svg+xml"],
  ] as const) {
    const picture = await cast.stranger.get(all[at]?.picture ?? "");
    expect([picture.status, picture.headers.get("content-type"), picture.headers.get("cache-control")]).toEqual([
      200,
      type,
      "private, max-age=604800",
    ]);
    expect((await cast.anonymous.get(all[at]?.picture ?? "")).status).toBe(401);
  }
  const { metadata_id } = await addNode(cast.editor, await buildGraph(cast, (await buildProject(cast)).id));
  const own = (await cast.editor.post("/api/v3/prefabs", { metadata_id })).json<Prefab>();
  expect([own.category, own.picture]).toEqual([undefined, undefined]);
  const wrong = [
    "prefab:nothing",
    "..%2Fattributes.json",
    "prefab:..%2F..%2Flibrary",
    "%00",
    "constructor",
    "x".repeat(500),
  ];
  for (const key of wrong)
    expect([key, (await cast.stranger.get(`/api/v3/library/pictures/${key}`)).status]).toEqual([key, 404]);
});
