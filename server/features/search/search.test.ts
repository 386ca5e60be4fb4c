import type { SearchAnswer } from "@miranda/contract/schemas/search/search.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let hidden: { project: string; graph: string };

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  const project = (await buildProject(cast, "Zephyr hidden")).id;
  const graph = await buildGraph(cast, project, "Zephyr flow");
  await addNode(cast.owner, graph, "Zephyr node 100%");
  await fill(project, graph, "Zephyr");
  hidden = { project, graph };
});
afterAll(() => server.close());

/** Inserts a model, a run and a deployment, without running anything. */
async function fill(project: string, graph: string, name: string): Promise<void> {
  const owner = cast.owner.account.id;
  await sql`insert into models (id, project_id, graph_id, name) values (gen_random_uuid(), ${project}, ${graph}, ${`${name} model`})`.execute(
    server.db,
  );
  await sql`insert into deployments (id, graph_id, owner_id, name, title)
    values (gen_random_uuid(), ${graph}, ${owner}, ${`${name.toLowerCase()}-app`}, ${`${name} app`})`.execute(
    server.db,
  );
}

async function search(client: TestClient, query: string): Promise<SearchAnswer> {
  return (await client.get(`/api/v3/search?query=${encodeURIComponent(query)}`)).json<SearchAnswer>();
}

const counts = ({ incomplete: _incomplete, ...groups }: SearchAnswer) =>
  Object.fromEntries(Object.entries(groups).map(([kind, items]) => [kind, items.length]));

describe("the search over everything", () => {
  it("finds each kind for people who may read it, and nothing for others", async () => {
    const all = { workflows: 1, nodes: 1, models: 1, runs: 0, people: 0, deployments: 1 };
    for (const client of [cast.owner, cast.editor, cast.viewer, cast.admin]) {
      expect(counts(await search(client, "ZEPHYR"))).toEqual(all);
    }
    const found = await search(cast.viewer, "zephyr");
    expect(found.nodes[0]).toMatchObject({
      name: "Zephyr node 100%",
      graph: { id: hidden.graph, name: "Zephyr flow" },
      project_id: hidden.project,
    });
    expect(found.deployments[0]).toMatchObject({ title: "Zephyr app", page: { graph_id: hidden.graph } });
    const hiddenFrom = await search(cast.stranger, "zephyr");
    expect(counts(hiddenFrom)).toEqual({ ...all, workflows: 0, nodes: 0, models: 0, deployments: 0 });
    expect(JSON.stringify(hiddenFrom).toLowerCase()).not.toContain("zephyr");
    expect((await cast.anonymous.get("/api/v3/search?query=zephyr")).status).toBe(401);
  });

  it("no longer finds what a person has lost access to, at once", async () => {
    const guest = await server.signUp("guest");
    await cast.owner.post(`/api/v3/projects/${hidden.project}/members`, { user: "guest", role: "viewer" });
    expect((await search(guest, "zephyr")).nodes).toHaveLength(1);
    await cast.owner.delete(`/api/v3/projects/${hidden.project}/members/${guest.account.id}`);
    expect(counts(await search(guest, "zephyr"))).toMatchObject({ nodes: 0, models: 0, workflows: 0, deployments: 0 });
  });

  it.each(["%", "_", "%%%", "\\", "z%r", "___", "'; drop table nodes; --"])(
    "searches for %s literally",
    async (query) => {
      expect(counts(await search(cast.stranger, query))).toEqual({
        ...{ workflows: 0, nodes: 0, models: 0, runs: 0, people: 0, deployments: 0 },
      });
    },
  );

  it("finds a percent sign, and searches a person's own for one or two letters", async () => {
    expect((await search(cast.owner, "100%")).nodes).toHaveLength(1);
    expect((await search(cast.owner, "%")).nodes).toHaveLength(1);
    expect((await search(cast.owner, "ze")).nodes).toHaveLength(1);
    expect((await search(cast.owner, "z_p")).nodes).toHaveLength(0);
  });

  it.each([
    ["10,000 letters", `query=${"x".repeat(10_000)}`, "Query can have at most 200 characters."],
    ["nothing", "query=%20%20", "Query is required."],
    ["no query", "", "Query is required."],
    ["a zero byte", "query=a%00b", "Query contains a character that cannot be stored."],
  ])("refuses %s", async (_what, query, words) => {
    const answer = await cast.owner.get(`/api/v3/search?${query}`);
    expect([answer.status, answer.text]).toEqual([400, words]);
  });
});

describe("people", () => {
  it("are found by their names when their projects can be read, never by their e-mail", async () => {
    const names = async (client: TestClient, query: string) =>
      (await search(client, query)).people.map(({ username }) => username);
    await server.signUp("marguerite");
    expect(await names(cast.stranger, "marguerite")).toEqual([]);
    expect(await names(cast.admin, "marguerite")).toEqual(["marguerite"]);
    // Members of one private project know each other.
    expect(await names(cast.viewer, "editor")).toEqual(["editor"]);
    expect(await names(cast.stranger, "editor")).toEqual([]);
    await cast.editor.post("/api/v3/projects/", { name: "Open pier" });
    expect(await names(cast.stranger, "editor")).toEqual(["editor"]);
    expect(await names(cast.stranger, "editor@example.org")).toEqual([]);
    expect(JSON.stringify(await search(cast.stranger, "editor"))).not.toContain("@");
  });

  it("lead to those of their projects that the caller may read", async () => {
    const list = async (client: TestClient, by: string) =>
      (await client.get(`/api/v3/projects/browse?by=${by}`)).json<Project[]>().map(({ name }) => name);
    expect(await list(cast.stranger, "EDITOR")).toEqual(["Open pier"]);
    expect(await list(cast.stranger, "owner")).toEqual([]);
    expect(await list(cast.viewer, "owner")).toEqual(["Zephyr hidden"]);
    expect(await list(cast.owner, "owner")).toEqual(["Zephyr hidden"]);
    expect(await list(cast.stranger, "nobody")).toEqual([]);
    expect(await list(cast.stranger, "%25")).toEqual([]);
  });
});

describe("in a large installation", () => {
  it("finds a person's own among thousands of others with the same word, and a few of each kind", async () => {
    await sql`with made as (
        insert into projects (id, owner_id, name, visibility)
        select gen_random_uuid(), ${cast.editor.account.id}, 'Lagoon ' || n, case when n % 2 = 0 then 'public' else 'private' end
        from generate_series(1, 3000) as n returning id),
      flows as (insert into graphs (id, project_id, name) select gen_random_uuid(), id, 'Lagoon flow' from made returning id)
      insert into nodes (id, graph_id, class, name) select gen_random_uuid(), id, 'Code_block', 'Lagoon step' from flows`.execute(
      server.db,
    );
    const project = (await cast.stranger.post("/api/v3/projects/", { name: "Mine" })).json<{ id: string }>().id;
    const graph = (
      await cast.stranger.post("/api/v3/graphs/", { name: "Mine", project_id: project, description: "" })
    ).json<{ id: string }>().id;
    await addNode(cast.stranger, graph, "My lagoon");
    const found = await search(cast.stranger, "lagoon");
    expect(found.nodes[0]).toMatchObject({ name: "My lagoon" });
    expect(found.nodes).toHaveLength(8);
    expect(found.workflows).toHaveLength(8);
    expect(found.incomplete).toBe(false);
    const ids = found.nodes.slice(1).map(({ project_id }) => project_id);
    const { rows } = await sql<{
      visibility: string;
    }>`select distinct visibility from projects where id = any(${ids}::uuid[])`.execute(server.db);
    expect(rows).toEqual([{ visibility: "public" }]);
  });
});
