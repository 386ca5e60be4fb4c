import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { Sample } from "@miranda/contract/schemas/library/samples.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import type { TestAccount } from "../../testing/test-server.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ quotas: { ...readConfig({}).quotas, projectsPerAccount: 2 } });
});
afterAll(() => server.close());

const ask = async (person: TestAccount, sample: string) =>
  (await person.post("/api/v3/samples", { sample })).json<Sample>();
const offered = async (person: TestAccount) => (await person.get("/api/v3/auth/")).json<AuthResponse>().account.sample;

describe("samples", () => {
  it("are made once, as a private project with a complete workflow, however often they are asked for", async () => {
    const person = await server.signUp();
    expect(await offered(person)).toBeNull();
    const [first, again] = await Promise.all([ask(person, "waste-water"), ask(person, "waste-water")]);
    expect(again).toEqual(first);
    const graph = (await person.get(`/api/v3/graphs/${first.graph_id}/graph`)).json<GraphResponse>();
    expect([Object.keys(graph.nodes).length, graph.edges.length, graph.viewOnly]).toEqual([7, 8, false]);
    const projects = (await person.get("/api/v3/projects/")).json<{ name: string; visibility: string }[]>();
    expect(projects.map(({ name, visibility }) => [name, visibility])).toEqual([["Waste Water Management", "private"]]);
    expect(await offered(person)).toEqual({ project_id: first.project_id, graph_id: first.graph_id });
  });

  it("are no longer offered on any device once they were opened", async () => {
    const person = await server.signUp();
    const { graph_id } = await ask(person, "waste-water");
    expect((await person.post("/api/v3/samples/opened", {})).status).toBe(200);
    expect(await offered(person)).toBeNull();
    expect((await person.get("/api/v3/samples")).json<Sample[]>().map((one) => one.graph_id)).toEqual([graph_id]);
  });

  it("stay deleted unless their owner asks for them", async () => {
    const person = await server.signUp();
    const first = await ask(person, "waste-water");
    expect((await person.delete(`/api/v3/projects/${first.project_id}?preview=false`)).status).toBe(200);
    expect(await offered(person)).toBeNull();
    expect((await person.get("/api/v3/samples")).json()).toEqual([]);
    expect((await person.get("/api/v3/projects/")).json()).toEqual([]);
    const second = await ask(person, "waste-water");
    expect(second.graph_id).not.toBe(first.graph_id);
  });

  it("of others are not shown; unknown ones and people who are not signed in are refused", async () => {
    const [one, other] = [await server.signUp(), await server.signUp()];
    const { graph_id } = await ask(one, "iris");
    expect((await other.get("/api/v3/samples")).json()).toEqual([]);
    expect((await other.get(`/api/v3/graphs/${graph_id}/graph`)).status).toBe(404);
    for (const sample of ["../iris", "", "IRIS"])
      expect((await other.post("/api/v3/samples", { sample })).status).toBe(400);
    const anonymous = server.anonymous();
    expect((await anonymous.get("/api/v3/samples")).status).toBe(401);
    expect((await anonymous.post("/api/v3/samples", { sample: "iris" })).status).toBe(401);
    expect((await anonymous.post("/api/v3/samples/opened", {})).status).toBe(401);
    expect((await other.get("/api/v3/projects/")).json()).toEqual([]);
  });

  it("leave nothing behind when the account may have no more projects", async () => {
    const person = await server.signUp();
    for (const name of ["Mine", "Mine too"]) await person.post("/api/v3/projects/", { name, description: "" });
    expect((await person.post("/api/v3/samples", { sample: "waste-water" })).status).toBe(409);
    expect((await person.get("/api/v3/projects/")).json<unknown[]>()).toHaveLength(2);
    expect((await person.get("/api/v3/samples")).json()).toEqual([]);
  });
});
