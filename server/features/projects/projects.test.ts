import type { ProjectMember } from "@miranda/contract/schemas/members.ts";
import type { Project, ProjectDetails } from "@miranda/contract/schemas/projects.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const follow = "wob_type=PROJECT&public=false";

async function names(role: Exclude<Role, "anonymous">, path: string): Promise<string[]> {
  return (await cast[role].get(path)).json<Project[]>().map((project) => project.name);
}

describe("access, a test per cell", () => {
  type Call = (role: Role, project: { id: string; metadata_id: number }) => Promise<Answer>;
  const table: [string, Call, Record<Role, number>][] = [
    [
      "read",
      (role, { id }) => cast[role].get(`/api/v3/projects/${id}`),
      { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 },
    ],
    [
      "rename",
      (role, { id }) => cast[role].patch(`/api/v3/projects/${id}`, { name: "New" }),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "visibility",
      (role, { id }) => cast[role].patch(`/api/v3/projects/${id}`, { visibility: "private" }),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "preview a delete",
      (role, { id }) => cast[role].delete(`/api/v3/projects/${id}?preview=true`),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "delete",
      (role, { id }) => cast[role].delete(`/api/v3/projects/${id}?preview=false`),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "see members",
      (role, { id }) => cast[role].get(`/api/v3/projects/${id}/members`),
      { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 },
    ],
    [
      "add a member",
      (role, { id }) => cast[role].post(`/api/v3/projects/${id}/members`, { user: "admin" }),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "change a member",
      (role, { id }) =>
        cast[role].patch(`/api/v3/projects/${id}/members/${cast.viewer.account.id}`, { role: "editor" }),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "remove another member",
      (role, { id }) =>
        cast[role].delete(
          `/api/v3/projects/${id}/members/${(role === "viewer" ? cast.editor : cast.viewer).account.id}`,
        ),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "transfer",
      (role, { id }) => cast[role].post(`/api/v3/projects/${id}/transfer`, { user: "editor" }),
      { anonymous: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, admin: 200 },
    ],
    [
      "follow",
      (role, { metadata_id }) => cast[role].post(`/api/v3/objects/${metadata_id}/tags?${follow}`, { tag: "following" }),
      { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 },
    ],
    [
      "unfollow",
      (role, { metadata_id }) =>
        cast[role].delete(`/api/v3/objects/${metadata_id}/tags?${follow}`, { tag: "following" }),
      { anonymous: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, admin: 200 },
    ],
  ];
  const cells = table.flatMap(([what, call, expected]) =>
    roles.map((role) => [role, what, call, expected[role]] as const),
  );
  it.each(cells)("%s: %s", async (role, _what, call, status) => {
    const project = await buildProject(cast);
    expect((await call(role, project)).status).toBe(status);
    if (status >= 400) {
      const { project: kept } = (await cast.owner.get(`/api/v3/projects/${project.id}`)).json<ProjectDetails>();
      expect(kept).toMatchObject({ name: "Tides", visibility: "private", created_by: { you: true } });
    }
  });

  it("a private project is absent from every list of a stranger", async () => {
    await buildProject(cast, "Hidden");
    for (const path of [
      "browse",
      "browse?include_own=true",
      "browse?query=hidden",
      "following",
      "browse?writable=true&include_own=true",
      "",
    ]) {
      expect(await names("stranger", `/api/v3/projects/${path}`)).not.toContain("Hidden");
    }
    expect(await names("viewer", "/api/v3/projects/browse")).toContain("Hidden");
    expect(await names("viewer", "/api/v3/projects/browse?writable=true")).not.toContain("Hidden");
    expect(await names("editor", "/api/v3/projects/browse?writable=true")).toContain("Hidden");
  });

  it("a public project can be read and followed, but not changed, by everybody signed in", async () => {
    const { id, metadata_id } = (await cast.owner.post("/api/v3/projects/", { name: "Open" })).json<{
      id: string;
      metadata_id: number;
    }>();
    expect((await cast.stranger.get(`/api/v3/projects/${id}`)).json<ProjectDetails>().project.access).toBe("viewer");
    expect((await cast.stranger.patch(`/api/v3/projects/${id}`, { name: "Mine" })).status).toBe(403);
    expect(
      (await cast.stranger.post(`/api/v3/objects/${metadata_id}/tags?${follow}`, { tag: "following" })).status,
    ).toBe(200);
    expect(await names("stranger", "/api/v3/projects/following")).toContain("Open");

    await cast.owner.patch(`/api/v3/projects/${id}`, { visibility: "private" });
    expect(await names("stranger", "/api/v3/projects/following")).not.toContain("Open");
    await cast.owner.patch(`/api/v3/projects/${id}`, { visibility: "public" });
    expect(await names("stranger", "/api/v3/projects/following")).not.toContain("Open");
  });
});

describe("projects", () => {
  it("S3-007 S7-013 S7-014 S7-018 lists own and others' projects with their fields", async () => {
    await cast.owner.post("/api/v3/projects/", { name: "Listed", description: "Of fields" });
    const mine = (await cast.owner.get("/api/v3/projects/"))
      .json<Project[]>()
      .find((project) => project.name === "Listed");
    expect(mine).toMatchObject({
      description: "Of fields",
      following: false,
      created_by: { you: true, avatar: null, first_name: "Owner" },
      access: "owner",
      visibility: "public",
    });
    expect(typeof mine?.metadata_id).toBe("number");
    expect(await names("owner", "/api/v3/projects/browse")).not.toContain("Listed");
    expect(await names("owner", "/api/v3/projects/browse?include_own=true")).toContain("Listed");
    expect(await names("stranger", "/api/v3/projects/")).not.toContain("Listed");
    expect(await names("stranger", "/api/v3/projects/browse")).toContain("Listed");
  });

  it.each([
    ["no name", {}, "Name is required."],
    ["a name of spaces", { name: "   " }, "Name is required."],
    ["a name too long", { name: "x".repeat(201) }, "Name can have at most 200 characters."],
    [
      "a description of 1 MB",
      { name: "Big", description: "x".repeat(1_000_000) },
      "Description can have at most 100000 characters.",
    ],
  ])("refuses %s and creates nothing", async (_what, form, message) => {
    const before = await names("owner", "/api/v3/projects/");
    const answer = await cast.owner.post("/api/v3/projects/", form);
    expect([answer.status, answer.text]).toEqual([400, message]);
    expect(await names("owner", "/api/v3/projects/")).toEqual(before);
  });

  it("S7-022 changes the given fields, and of two renames at once one wins", async () => {
    const { id } = await buildProject(cast);
    await cast.owner.patch(`/api/v3/projects/${id}`, { description: "Only this" });
    const answers = await Promise.all([
      cast.owner.patch(`/api/v3/projects/${id}`, { name: "First" }),
      cast.admin.patch(`/api/v3/projects/${id}`, { name: "Second" }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    const { project } = (await cast.owner.get(`/api/v3/projects/${id}`)).json<ProjectDetails>();
    expect(["First", "Second"]).toContain(project.name);
    expect(project.description).toBe("Only this");
  });

  it("S2-094 S7-023 previews a delete, then deletes the project with its workflows, once", async () => {
    const { id } = await buildProject(cast);
    const graph = await buildGraph(cast, id);
    const preview = await cast.owner.delete(`/api/v3/projects/${id}?preview=true`);
    expect(preview.json()).toMatchObject({ name: "Tides", graphs: 1, nodes: 0 });
    expect((await cast.owner.get(`/api/v3/graphs/${graph}/graph`)).status).toBe(200);
    expect((await cast.owner.delete(`/api/v3/projects/${id}?preview=false`)).status).toBe(200);
    expect((await cast.owner.get(`/api/v3/graphs/${graph}/graph`)).status).toBe(404);
    const again = await cast.owner.delete(`/api/v3/projects/${id}?preview=false`);
    expect([again.status, again.text]).toEqual([404, "Project not found."]);
  });

  it("answers 404 to invalid ids and to unknown ones", async () => {
    for (const id of ["nonsense", "0190a000-0000-7000-8000-000000000000", "'; drop table projects; --"]) {
      expect((await cast.owner.get(`/api/v3/projects/${encodeURIComponent(id)}`)).status).toBe(404);
    }
  });
});

describe("sharing", () => {
  it("invites by username or e-mail, changes roles, lets members leave", async () => {
    const { id } = await buildProject(cast);
    const list = async () =>
      (await cast.owner.get(`/api/v3/projects/${id}/members`))
        .json<ProjectMember[]>()
        .map(({ username, role }) => `${username} ${role}`);
    expect(await list()).toEqual(["owner owner", "editor editor", "viewer viewer"]);
    await cast.owner.patch(`/api/v3/projects/${id}/members/${cast.viewer.account.id}`, { role: "editor" });
    expect(await list()).toContain("viewer editor");
    expect((await cast.viewer.delete(`/api/v3/projects/${id}/members/${cast.viewer.account.id}`)).status).toBe(200);
    expect((await cast.viewer.get(`/api/v3/projects/${id}`)).status).toBe(404);
    expect(await list()).toEqual(["owner owner", "editor editor"]);
  });

  it("shows e-mail addresses to members only", async () => {
    const { id } = await buildProject(cast);
    const emails = async (role: "viewer" | "editor") =>
      (await cast[role].get(`/api/v3/projects/${id}/members`)).json<ProjectMember[]>().map((member) => member.email);
    expect(await emails("editor")).toEqual(["owner@example.org", "editor@example.org", "viewer@example.org"]);
    expect(await emails("viewer")).toEqual(["", "", "viewer@example.org"]);
  });

  it("refuses an unknown person, a second invitation, an unknown role, and the owner's leaving", async () => {
    const { id } = await buildProject(cast);
    const add = (user: string, role = "viewer") => cast.owner.post(`/api/v3/projects/${id}/members`, { user, role });
    expect((await add("ghost")).text).toBe("There is no account with that username or e-mail.");
    for (const user of ["editor", "Editor@Example.org"])
      expect((await add(user)).text).toBe("That account is already a member of this project.");
    expect((await add("owner")).text).toBe("That account is already a member of this project.");
    expect((await add("stranger", "owner")).text).toBe("Role must be viewer or editor.");
    const leave = await cast.owner.delete(`/api/v3/projects/${id}/members/${cast.owner.account.id}`);
    expect([leave.status, leave.text]).toEqual([409, "The last owner cannot leave. Transfer the project first."]);
    expect((await cast.owner.get(`/api/v3/projects/${id}`)).status).toBe(200);
  });

  it("transfers to one account, and the old owner stays an editor", async () => {
    const { id } = await buildProject(cast);
    const offered = await cast.owner.post(`/api/v3/projects/${id}/transfer`, { user: "viewer" });
    expect(offered.json()).toEqual({ state: "offered" });
    expect((await cast.viewer.post(`/api/v3/projects/${id}/transfer/accept`)).status).toBe(200);
    expect((await cast.viewer.get(`/api/v3/projects/${id}`)).json<ProjectDetails>().project).toMatchObject({
      access: "owner",
      created_by: { you: true },
    });
    expect((await cast.owner.get(`/api/v3/projects/${id}`)).json<ProjectDetails>().project.access).toBe("editor");
    expect((await cast.owner.delete(`/api/v3/projects/${id}?preview=false`)).status).toBe(403);
  });

  it("limits probing for accounts", async () => {
    const asker = await server.signUp("asker");
    const { id } = (await asker.post("/api/v3/projects/", { name: "Mine" })).json<{ id: string }>();
    const ask = (user: string) => asker.post(`/api/v3/projects/${id}/members`, { user, role: "viewer" });
    const misses = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(`nobody${at}@example.org`)));
    expect(new Set(misses.map(({ status }) => status))).toEqual(new Set([404]));
    const refused = await ask("viewer@example.org");
    expect([refused.status, refused.text]).toEqual([429, "Too many attempts. Try again in 60 minutes."]);
  });

  it("following ends when membership ends", async () => {
    const { id, metadata_id } = await buildProject(cast, "Followed by a member");
    await cast.viewer.post(`/api/v3/objects/${metadata_id}/tags?${follow}`, { tag: "following" });
    expect(await names("viewer", "/api/v3/projects/following")).toContain("Followed by a member");
    await cast.owner.delete(`/api/v3/projects/${id}/members/${cast.viewer.account.id}`);
    expect(await names("viewer", "/api/v3/projects/following")).not.toContain("Followed by a member");
    expect(await server.db.selectFrom("follows").selectAll().where("project_id", "=", id).execute()).toEqual([]);
  });

  it("accepts no other tag of a project", async () => {
    const { metadata_id } = await buildProject(cast);
    expect((await cast.owner.post(`/api/v3/objects/${metadata_id}/tags?${follow}`, { tag: "loved" })).status).toBe(400);
    expect((await cast.owner.post(`/api/v3/objects/${metadata_id}/tags?${follow}`, {})).text).toBe("Tag is required.");
  });
});
