import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { buildFlow, deployFlow } from "../../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { openApiDocument } from "./openapi-document.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  const project = await buildProject(cast);
  const graph = await buildGraph(cast, project.id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: "tides", title: "Tide tables", description: "Of the *sea*." });
});
afterAll(() => server.close());

interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown }> } }>>;
  components: { schemas: { Inputs: { properties: object } } };
}

it("the document is valid, and describes the fields of the release", async () => {
  const answer = await cast.viewer.get("/api/v3/deployments/tides/openapi.json");
  const document = answer.json<Document>();
  const result = await new Validator().validate(answer.json<Record<string, unknown>>());
  expect(result).toMatchObject({ valid: true });
  expect([document.openapi, document.info.title, document.info.version]).toEqual(["3.1.0", "Tide tables", "1"]);
  expect(document.servers).toEqual([{ url: server.url }]);
  const { post } = document.paths["/api/v3/deployments/tides/runs"] ?? {};
  expect(Object.keys(post?.requestBody?.content ?? {})).toEqual(["application/json", "multipart/form-data"]);
  expect(document.components.schemas.Inputs.properties).toMatchObject({
    rate: { type: "number", minimum: 0, maximum: 9, default: 1 },
    mode: { enum: ["fast", "safe"], default: "fast" },
    data: { required: ["name", "content"] },
  });
  expect(answer.text).not.toContain("wob_key");
});

it("the document is valid without fields, and with a plain field", async () => {
  const app = { name: "tides", title: "Tides", description: "", release: 2 };
  const plain = { label: "City", help: "Where", kind: "str", control: null, min: null, max: null };
  for (const fields of [[], [{ ...plain, name: "city", required: true, default: null }]]) {
    const document = openApiDocument({ ...app, fields }, "http://127.0.0.1:4600");
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  }
});

it.each([["stranger"], ["anonymous"]] as const)("the document is refused to: %s", async (who) => {
  const answer = await cast[who].get("/api/v3/deployments/tides/openapi.json");
  expect(answer.status).toBe(who === "anonymous" ? 401 : 404);
});
