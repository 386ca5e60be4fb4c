import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: "framed", access: "link", embed_origins: ["https://a.example"] });
});
afterAll(() => server.close());

async function ancestorsOf(path: string): Promise<[status: number, ancestors: string, frameOptions: string | null]> {
  const { status, headers } = await server.anonymous().get(path);
  const policy = (headers.get("content-security-policy") ?? "").split("; ");
  expect(policy).toContain("default-src 'self'");
  const ancestors = policy.filter((one) => one.startsWith("frame-ancestors"));
  return [status, ancestors.join(), headers.get("x-frame-options")];
}

it("is allowed to the origins of the owner, on the pages for it and no others", async () => {
  const { sharing } = (await deploymentOf(cast.owner, graph).send("POST", "/link")).json<Deployment>();
  const link = sharing?.link ?? "";
  for (const path of ["/embed/framed", "/embed/framed/runs/x", `/embed/links/${link}`])
    expect([path, await ancestorsOf(path)]).toEqual([path, [200, "frame-ancestors https://a.example", null]]);
  const closed = [
    ...["/embed", "/embed/", "/embed/other", "/embed/links/framed", "/embed/../framed", "/embed/%66ramed"],
    ...["/explorer/apps/framed", `/explorer/links/${link}`, "/explorer/results/x", "/embed/framed%0d%0ax"],
  ];
  for (const path of closed)
    expect([path, ...(await ancestorsOf(path)).slice(1)]).toEqual([path, "frame-ancestors 'none'", "DENY"]);
});

it("ends with the link", async () => {
  const { sharing } = (await deploymentOf(cast.owner, graph).send("POST", "/link")).json<Deployment>();
  await deploymentOf(cast.owner, graph).changed({ access: "accounts" });
  expect((await ancestorsOf(`/embed/links/${sharing?.link}`))[1]).toBe("frame-ancestors 'none'");
});

it("is not widened by an origin that is none", async () => {
  for (const origin of [
    "*",
    "https:",
    "https://a.example/path",
    "'self'; script-src *",
    "https://a.example https://b.example",
  ])
    expect((await deploymentOf(cast.owner, graph).patch({ embed_origins: [origin] })).status).toBe(400);
  // Not even by one that came into the database in another way.
  await sql`update deployments set embed_origins = array['*; script-src *'] where name = 'framed'`.execute(server.db);
  expect((await ancestorsOf("/embed/framed"))[1]).toBe("frame-ancestors 'none'");
});

it("pages without an account are served, and their data asks for the link", async () => {
  for (const path of ["/explorer/links/x", "/explorer/results/x", "/embed/x"])
    expect((await server.anonymous().get(path)).status).toBe(200);
  expect((await server.anonymous().get("/api/v3/deployments/framed")).status).toBe(401);
});
