import { errors } from "@miranda/contract/errors.ts";
import type { Team, TeamDetails } from "@miranda/contract/schemas/people/teams.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildTeam } from "../../testing/people/people.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let team: string;
let sockets: TestSocket[] = [];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project, "Levels");
  team = await buildTeam(cast.owner, "Hydrologists", { stranger: "member" });
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  sockets = [];
});

const shareWith = (role: "viewer" | "editor") => cast.owner.post(`/api/v3/projects/${project}/teams`, { team, role });
const accessOf = async (person: TestAccount) => {
  const answer = await person.get(`/api/v3/projects/${project}`);
  return answer.status === 200 ? answer.json<{ project: Project }>().project.access : answer.status;
};
/** Everywhere a person could meet the project. */
async function traces(person: TestAccount): Promise<string[]> {
  const places = [
    ["shared", "/api/v3/projects/shared"],
    ["browse", "/api/v3/projects/browse"],
    ["workflows", "/api/v3/graphs/browse?query=Levels"],
    ["search", "/api/v3/search?query=Levels"],
    ["following", "/api/v3/projects/following"],
  ] as const;
  const found: string[] = [];
  for (const [name, path] of places) {
    const { text } = await person.get(path);
    if (text.includes(project) || text.includes(graph)) found.push(name);
  }
  return found;
}

describe("a project through a team", () => {
  it("gives its people the role of the team, everywhere, and the best of several", async () => {
    expect(await accessOf(cast.stranger)).toBe(404);
    expect(await traces(cast.stranger)).toEqual([]);
    expect((await shareWith("viewer")).status).toBe(200);
    expect(await accessOf(cast.stranger)).toBe("viewer");
    expect((await cast.stranger.patch(`/api/v3/graphs/${graph}`, { name: "Mine" })).status).toBe(403);
    await cast.owner.patch(`/api/v3/projects/${project}/teams/${team}`, { role: "editor" });
    expect(await accessOf(cast.stranger)).toBe("editor");
    expect((await cast.stranger.patch(`/api/v3/graphs/${graph}`, { name: "Levels 2" })).status).toBe(200);
    // Nobody becomes an owner through a team, and the owner stays one.
    expect((await cast.stranger.delete(`/api/v3/projects/${project}`)).status).toBe(403);
    expect(await accessOf(cast.owner)).toBe("owner");
    const metadata = (await cast.stranger.get(`/api/v3/projects/${project}`)).json<{ project: Project }>().project;
    await cast.stranger.post(`/api/v3/objects/${metadata.metadata_id}/tags?wob_type=PROJECT&public=false`, {
      tag: "following",
    });
    expect(await traces(cast.stranger)).toEqual(["shared", "browse", "workflows", "search", "following"]);
    // In two ways: each list has it once, and the better role counts.
    await cast.owner.post(`/api/v3/projects/${project}/members`, { user: "stranger", role: "viewer" });
    expect(await accessOf(cast.stranger)).toBe("editor");
    const shared = (await cast.stranger.get("/api/v3/projects/shared?limit=2")).json<Project[]>();
    expect(shared.filter(({ id }) => id === project).length).toBe(1);
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.stranger.account.id}`);
    expect(await accessOf(cast.stranger)).toBe("editor");
    const leaving = await cast.stranger.delete(`/api/v3/projects/${project}/members/${cast.stranger.account.id}`);
    expect([leaving.status, leaving.text]).toEqual([409, errors.member_through_team]);
    // The owner is in the team too: the project is not shared with them.
    expect((await cast.owner.get("/api/v3/projects/shared")).text).not.toContain(project);
  });

  it.each([
    ["leaves the team", () => cast.stranger.delete(`/api/v3/teams/${team}/members/${cast.stranger.account.id}`)],
    ["is removed from it", () => cast.owner.delete(`/api/v3/teams/${team}/members/${cast.stranger.account.id}`)],
    ["loses the team", () => cast.owner.delete(`/api/v3/teams/${team}`)],
    ["was in a team that the project removed", () => cast.owner.delete(`/api/v3/projects/${project}/teams/${team}`)],
  ])("leaves nothing to somebody who %s, also on an open connection", async (_what, end) => {
    await shareWith("editor");
    const socket = await connect(server, cast.stranger);
    sockets.push(socket);
    expect(await socket.enter(graph)).toBe(null);
    const evicted = new Promise((resolve) => {
      socket.socket.once("evicted", resolve);
    });
    expect((await end()).status).toBe(200);
    expect(await evicted).toMatchObject({ graph_id: graph });
    expect(await accessOf(cast.stranger)).toBe(404);
    expect(await traces(cast.stranger)).toEqual([]);
    expect((await cast.stranger.get(`/api/v3/graphs/${graph}/graph`)).status).toBe(404);
    expect(await socket.enter(graph)).not.toBe(null);
  });
});

describe("a team", () => {
  it("is hidden from people outside it, who cannot share a project with it", async () => {
    const { id } = await buildProject(cast, "Elsewhere");
    const foreign = await buildTeam(cast.editor, "Secret", {});
    const refused = await cast.owner.post(`/api/v3/projects/${id}/teams`, { team: foreign, role: "editor" });
    expect([refused.status, refused.text]).toEqual([404, errors.team_not_found]);
    expect((await cast.owner.get(`/api/v3/teams/${foreign}`)).status).toBe(404);
    expect((await cast.owner.get("/api/v3/teams")).text).not.toContain(foreign);
  });

  it("always has one owner: two gifts at once, and the owner who would leave", async () => {
    await cast.owner.post(`/api/v3/teams/${team}/members`, { user: "editor", role: "manager" });
    const give = (to: TestAccount) =>
      cast.owner.patch(`/api/v3/teams/${team}/members/${to.account.id}`, { role: "owner" });
    const leave = await cast.owner.delete(`/api/v3/teams/${team}/members/${cast.owner.account.id}`);
    expect([leave.status, leave.text]).toEqual([409, errors.team_needs_owner]);
    const answers = await Promise.all([give(cast.editor), give(cast.stranger)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
    const { people } = (await cast.owner.get(`/api/v3/teams/${team}`)).json<TeamDetails>();
    expect(people.filter(({ role }) => role === "owner").length).toBe(1);
    expect(people.find(({ username }) => username === "owner")?.role).toBe("manager");
    // A manager does not take the team.
    const taken = await cast.owner.patch(`/api/v3/teams/${team}/members/${cast.owner.account.id}`, { role: "owner" });
    expect([taken.status, taken.text]).toEqual([403, errors.team_owner_only]);
  });

  it("goes to its next person when its owner's account is deleted", async () => {
    const leaver = await server.signUp();
    const own = await buildTeam(leaver, "Left", { editor: "member", viewer: "manager" });
    const alone = await buildTeam(leaver, "Alone", {});
    const { username } = leaver.account;
    const gone = await leaver.send(
      "DELETE",
      "/api/v3/auth/account",
      JSON.stringify({ username, password, projects: "delete" }),
      { "content-type": "application/json" },
    );
    expect(gone.status).toBe(200);
    const mine = (await cast.viewer.get("/api/v3/teams")).json<Team[]>().find(({ id }) => id === own);
    expect(mine).toMatchObject({ role: "owner", people: 2 });
    expect(await server.db.selectFrom("teams").select("id").where("id", "=", alone).execute()).toEqual([]);
  });
});
