import type { Workflow } from "@miranda/contract/schemas/graphs.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let person: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  person = await server.signUp("searcher");
  const { id: own } = (await person.post("/api/v3/projects/", { name: "Atlas" })).json<{ id: string }>();
  const { id: open } = (await cast.editor.post("/api/v3/projects/", { name: "Breakwater" })).json<{ id: string }>();
  for (const name of ["Sound 1", "Sound 2"]) await person.post("/api/v3/graphs/", { name, project_id: own });
  for (const name of ["Sound 3", "Sound 4", "Quay 100%"])
    await cast.editor.post("/api/v3/graphs/", { name, project_id: open });
  const shared = await buildProject(cast, "Shared pier");
  await cast.owner.post(`/api/v3/projects/${shared.id}/members`, { user: "searcher", role: "viewer" });
  await buildGraph(cast, shared.id, "Sound 5");
  await buildGraph(cast, (await buildProject(cast, "Hidden pier")).id, "Sound 6");
});
afterAll(() => server.close());

async function found(client: TestClient, query: string): Promise<string[]> {
  return (await client.get(`/api/v3/graphs/browse?${query}`)).json<Workflow[]>().map(({ name }) => name);
}

describe("browsing workflows", () => {
  it("finds by the workflow's name and by its project's name", async () => {
    expect(await found(person, "query=SOUND")).toEqual(["Sound 5", "Sound 4", "Sound 3", "Sound 2", "Sound 1"]);
    expect(await found(person, "query=breakwater")).toEqual(["Quay 100%", "Sound 4", "Sound 3"]);
    expect(await found(person, "query=pier")).toEqual(["Sound 5"]);
    expect(await found(cast.admin, "query=pier")).toEqual(["Sound 6", "Sound 5"]);
    expect(await found(cast.stranger, "query=sound")).toEqual(["Sound 4", "Sound 3", "Sound 2", "Sound 1"]);
  });

  it("finds one and two letters, and % as it is written", async () => {
    expect(await found(person, "query=d")).toEqual(["Sound 5", "Sound 4", "Sound 3", "Sound 2", "Sound 1"]);
    expect(await found(person, "query=y%201")).toEqual(["Quay 100%"]);
    expect(await found(person, "query=%25")).toEqual(["Quay 100%"]);
    expect(await found(person, "query=_")).toEqual([]);
  });

  it("lists own workflows and those of others apart", async () => {
    expect(await found(person, "query=sound&owned=true")).toEqual(["Sound 2", "Sound 1"]);
    expect(await found(person, "query=sound&owned=false")).toEqual(["Sound 5", "Sound 4", "Sound 3"]);
    expect(await found(person, "owned=true")).toEqual(["Sound 2", "Sound 1"]);
    expect(await found(person, "owned=false")).toEqual(["Sound 5", "Quay 100%", "Sound 4", "Sound 3"]);
  });

  it("comes in pages, also after a workflow that was deleted meanwhile", async () => {
    const first = (await person.get("/api/v3/graphs/browse?query=sound&limit=2")).json<Workflow[]>();
    expect(first.map(({ name }) => name)).toEqual(["Sound 5", "Sound 4"]);
    const after = first.at(-1)?.id;
    expect(await found(person, `query=sound&limit=2&after=${after}`)).toEqual(["Sound 3", "Sound 2"]);
    expect((await cast.editor.delete(`/api/v3/graphs/${after}?preview=false`)).status).toBe(200);
    expect(await found(person, `query=sound&limit=2&after=${after}`)).toEqual(["Sound 3", "Sound 2"]);
    expect(await found(person, `limit=3&after=${after}`)).toEqual(["Sound 3", "Sound 2", "Sound 1"]);
  });

  it("finds the newest workflows of a project name that thousands of projects have", async () => {
    await sql`with made as (
        insert into projects (id, owner_id, name)
        select gen_random_uuid(), ${cast.editor.account.id}, 'Lagoon ' || n from generate_series(1, 4100) as n returning id)
      insert into graphs (id, project_id, name) select gen_random_uuid(), id, 'Flow' from made`.execute(server.db);
    const page = (await person.get("/api/v3/graphs/browse?query=lagoon&limit=500")).json<Workflow[]>();
    expect(page).toHaveLength(500);
    const { rows } = await sql<{
      id: string;
    }>`select id from graphs where name = 'Flow' order by id desc limit 500`.execute(server.db);
    expect(page.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it.each([
    ["a page of a million", "limit=1000000", "limit must be a whole number from 1 to 500."],
    ["a key that is no id", "after=last", "That is not a valid id."],
    ["a search for 10,000 letters", `query=${"x".repeat(10_000)}`, "Query can have at most 200 characters."],
    ["an owner that is neither yes nor no", "owned=perhaps", "owned must be true or false."],
  ])("refuses %s, and nothing is lost", async (_what, query, words) => {
    const answer = await person.get(`/api/v3/graphs/browse?${query}`);
    expect([answer.status, answer.text]).toEqual([400, words]);
    expect(await found(person, "query=atlas")).toEqual(["Sound 2", "Sound 1"]);
  });
});
