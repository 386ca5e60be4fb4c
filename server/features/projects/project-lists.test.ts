import type { ProjectMember } from "@miranda/contract/schemas/members.ts";
import type { KnowledgeObject, Project, ProjectDetails } from "@miranda/contract/schemas/projects.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

interface Named {
  id: string;
  name: string;
}

async function create(client: TestClient, name: string): Promise<Project> {
  const { id } = (await client.post("/api/v3/projects/", { name })).json<{ id: string }>();
  return (await client.get(`/api/v3/projects/${id}`)).json<ProjectDetails>().project;
}

async function namesOf(client: TestClient, path: string): Promise<string[]> {
  return (await client.get(path)).json<Named[]>().map(({ name }) => name);
}

/** All pages of a list, each asked for by the last item of the page before. */
async function allPages(client: TestClient, path: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after = ""; ;) {
    const page = (await client.get(`${path}limit=${limit}${after && `&after=${after}`}`)).json<Named[]>();
    if (page.length > 0) pages.push(page.map(({ name }) => name));
    if (page.length < limit) return pages;
    after = page.at(-1)?.id ?? "";
  }
}

const searched = (text: string) => `query=${encodeURIComponent(text)}`;

describe("a list of projects", () => {
  it("comes in pages, newest first, and says how many there are", async () => {
    const person = await server.signUp("pager");
    for (let number = 0; number < 5; number += 1) await create(person, `Paged ${number}`);
    const first = await person.get("/api/v3/projects/?limit=2");
    expect(first.headers.get("x-miranda-total")).toBe("5");
    const pages = [["Paged 4", "Paged 3"], ["Paged 2", "Paged 1"], ["Paged 0"]];
    expect(await allPages(person, "/api/v3/projects/?", 2)).toEqual(pages);
    expect(await allPages(cast.stranger, "/api/v3/projects/browse?query=PAGED&", 2)).toEqual(pages);
    expect(await allPages(cast.admin, "/api/v3/projects/browse?query=paged&", 2)).toEqual(pages);
    expect(await allPages(person, "/api/v3/projects/browse?include_own=true&writable=true&", 2)).toEqual(pages);
    const second = await person.get("/api/v3/projects/?limit=2&after=0190a000-0000-7000-8000-000000000000");
    expect(second.headers.get("x-miranda-total")).toBeNull();
  });

  it("goes on after a project that was deleted meanwhile", async () => {
    const person = await server.signUp("deleter");
    for (let number = 0; number < 4; number += 1) await create(person, `Vanishing ${number}`);
    const list = (await person.get("/api/v3/projects/?limit=2")).json<Project[]>();
    const after = list.at(-1)?.id;
    expect((await person.delete(`/api/v3/projects/${after}?preview=false`)).status).toBe(200);
    for (const path of ["", "browse", "following"]) {
      const answer = await cast.stranger.get(`/api/v3/projects/${path}?limit=2&after=${after}`);
      expect(answer.status).toBe(200);
    }
    expect(await namesOf(person, `/api/v3/projects/?limit=2&after=${after}`)).toEqual(["Vanishing 1", "Vanishing 0"]);
  });

  it("counts up to 1,000 and then says that there are more", async () => {
    const person = await server.signUp("hoarder");
    await sql`insert into projects (id, owner_id, name) select gen_random_uuid(), ${person.account.id}, 'Trove ' || n
      from generate_series(1, 1001) as n`.execute(server.db);
    const answer = await person.get("/api/v3/projects/");
    expect(answer.headers.get("x-miranda-total")).toBe("1000+");
    expect(answer.json<Project[]>()).toHaveLength(100);
    expect((await cast.stranger.get("/api/v3/projects/browse?limit=500")).json<Project[]>()).toHaveLength(500);
  });

  it("merges public, shared and own projects in one order, each once", async () => {
    const person = await server.signUp("merger");
    const shared = await buildProject(cast, "Merged shared");
    await cast.owner.post(`/api/v3/projects/${shared.id}/members`, { user: "merger", role: "viewer" });
    const open = await create(cast.owner, "Merged open");
    await cast.owner.post(`/api/v3/projects/${open.id}/members`, { user: "merger", role: "editor" });
    await buildProject(cast, "Merged hidden");
    await create(person, "Merged own");
    const browse = "/api/v3/projects/browse?query=merged";
    expect(await namesOf(person, browse)).toEqual(["Merged open", "Merged shared"]);
    expect(await namesOf(person, `${browse}&include_own=true`)).toEqual(["Merged own", "Merged open", "Merged shared"]);
    expect(await namesOf(person, `${browse}&include_own=true&writable=true`)).toEqual(["Merged own", "Merged open"]);
    expect(await namesOf(person, `${browse}&writable=true`)).toEqual(["Merged open"]);
  });

  it.each([
    ["%", ["Odd 100%"]],
    ["_", ["Odd snake_case"]],
    ["\\", ["Odd back\\slash"]],
    ["0%", ["Odd 100%"]],
    ["ODD", ["Odd back\\slash", "Odd snake_case", "Odd 100%"]],
    ["d", ["Odd back\\slash", "Odd snake_case", "Odd 100%"]],
    ["e_c", ["Odd snake_case"]],
  ])("finds %s as it is written", async (text, found) => {
    if ((await namesOf(cast.editor, `/api/v3/projects/?${searched("odd")}`)).length === 0)
      for (const name of ["Odd 100%", "Odd snake_case", "Odd back\\slash"]) await create(cast.editor, name);
    expect(await namesOf(cast.editor, `/api/v3/projects/?${searched(text)}`)).toEqual(found);
    const browsed = await namesOf(cast.stranger, `/api/v3/projects/browse?limit=500&${searched(text)}`);
    expect(browsed.filter((name) => name.startsWith("Odd"))).toEqual(found);
    expect(browsed.every((name) => name.toLowerCase().includes(text.toLowerCase()))).toBe(true);
  });

  const refused: [string, string, string][] = [
    ["a page of a million", "limit=1000000", "limit must be a whole number from 1 to 500."],
    ["a page of nothing", "limit=0", "limit must be a whole number from 1 to 500."],
    ["a page below nothing", "limit=-1", "limit must be a whole number from 1 to 500."],
    ["half an item", "limit=1.5", "limit must be a whole number from 1 to 500."],
    ["a page size in words", "limit=all", "limit must be a whole number from 1 to 500."],
    ["a key that is no id", "after=yesterday", "That is not a valid id."],
    ["a key with SQL in it", `after=${encodeURIComponent("'; drop table projects; --")}`, "That is not a valid id."],
    ["a search for 10,000 letters", `query=${"x".repeat(10_000)}`, "Query can have at most 200 characters."],
    ["a search for a NUL", "query=%00", "Query contains a character that cannot be stored."],
  ];
  it.each(refused)("refuses %s, and nothing is lost", async (_what, query, words) => {
    const { id } = await buildProject(cast);
    for (const path of ["", "following", "browse", `${id}/graphs`]) {
      const answer = await cast.owner.get(`/api/v3/projects/${path}?${query}`);
      expect([answer.status, answer.text]).toEqual([400, words]);
    }
    expect((await cast.owner.get(`/api/v3/projects/${id}`)).status).toBe(200);
  });
});

describe("the workflows of a project", () => {
  it("come in pages and are searched by name and description", async () => {
    const { id } = await buildProject(cast);
    await sql`insert into graphs (id, project_id, name, description)
      select gen_random_uuid(), ${id}, 'Flow ' || n, case when n = 7 then 'About tides' else '' end
      from generate_series(1, 120) as n`.execute(server.db);
    const details = await cast.viewer.get(`/api/v3/projects/${id}`);
    expect(details.headers.get("x-miranda-total")).toBe("120");
    expect(details.json<ProjectDetails>().knowledge_objects).toHaveLength(100);
    const pages = await allPages(cast.viewer, `/api/v3/projects/${id}/graphs?`, 50);
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
    expect(new Set(pages.flat()).size).toBe(120);
    expect(await namesOf(cast.viewer, `/api/v3/projects/${id}/graphs?query=TIDES`)).toEqual(["Flow 7"]);
    expect(await namesOf(cast.viewer, `/api/v3/projects/${id}/graphs?query=flow%20120`)).toEqual(["Flow 120"]);
    const found = await cast.viewer.get(`/api/v3/projects/${id}/graphs?query=flow%201`);
    expect(found.headers.get("x-miranda-total")).toBe("32");
    expect((await cast.stranger.get(`/api/v3/projects/${id}/graphs`)).status).toBe(404);
    expect((await cast.anonymous.get(`/api/v3/projects/${id}/graphs`)).status).toBe(401);
  });

  it("go on after a workflow that was deleted meanwhile", async () => {
    const { id } = await buildProject(cast);
    for (const name of ["First", "Second", "Third"]) await cast.owner.post("/api/v3/graphs/", { name, project_id: id });
    const [, second] = (await cast.owner.get(`/api/v3/projects/${id}/graphs`)).json<KnowledgeObject[]>();
    await cast.owner.delete(`/api/v3/graphs/${second?.id}?preview=false`);
    expect(await namesOf(cast.owner, `/api/v3/projects/${id}/graphs?after=${second?.id}`)).toEqual(["First"]);
  });
});

describe("the members of a project", () => {
  it("come in pages by username, the owner first, and are searched by their names", async () => {
    const { id } = await buildProject(cast);
    await sql`with made as (
        insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits)
        select gen_random_uuid(), 'crowd' || lpad(n::text, 3, '0'), 'crowd' || n || '@example.org', 'Crowd', 'No. ' || n, 'x', false, 0
        from generate_series(1, 120) as n returning id)
      insert into project_members (project_id, account_id, role) select ${id}, id, 'viewer' from made`.execute(
      server.db,
    );
    const list = async (query: string) => {
      const answer = await cast.editor.get(`/api/v3/projects/${id}/members?${query}`);
      return {
        total: answer.headers.get("x-miranda-total"),
        names: answer.json<ProjectMember[]>().map((one) => one.username),
      };
    };
    const first = await list("limit=3");
    expect(first).toEqual({ total: "123", names: ["owner", "crowd001", "crowd002"] });
    expect(await list("limit=2&after=crowd119")).toEqual({ total: null, names: ["crowd120", "editor"] });
    expect((await list("after=viewer")).names).toEqual([]);
    // Nobody has this name: only its place in the order counts.
    expect((await list("limit=1&after=crowd119z")).names).toEqual(["crowd120"]);
    expect(await list("query=no.%2077")).toEqual({ total: "1", names: ["crowd077"] });
    expect((await list("query=%25")).names).toEqual([]);
    expect((await list("")).names).toHaveLength(100);
  });

  it.each([
    ["a page of a million", "limit=1000000", "limit must be a whole number from 1 to 500."],
    ["a key that is too long for a username", `after=${"x".repeat(40)}`, "after can have at most 39 characters."],
    ["a search for 10,000 letters", `query=${"x".repeat(10_000)}`, "Query can have at most 200 characters."],
  ])("refuse %s", async (_what, query, words) => {
    const { id } = await buildProject(cast);
    const answer = await cast.owner.get(`/api/v3/projects/${id}/members?${query}`);
    expect([answer.status, answer.text]).toEqual([400, words]);
    expect((await cast.owner.get(`/api/v3/projects/${id}/members`)).json<ProjectMember[]>()).toHaveLength(3);
  });
});
