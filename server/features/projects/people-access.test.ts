import type { NewInvitation } from "@miranda/contract/schemas/people/invitations.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast, readCells, roles } from "../../testing/access.ts";
import { buildTeam } from "../../testing/people/people.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// Every cell of docs/spec/access-people.tsv.

const cells = readCells("people", roles);

let server: TestServer;
let cast: Cast;
let project: string;
let team: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
let isChanged = true;
beforeEach(async () => {
  if (!isChanged) return;
  isChanged = false;
  ({ id: project } = await buildProject(cast));
  team = await buildTeam(cast.owner, "Hydrologists", { viewer: "member", editor: "manager" });
});

async function invite(): Promise<string> {
  const made = await cast.owner.post(`/api/v3/projects/${project}/invitations`, { role: "viewer" });
  return made.json<NewInvitation>().invitation.id;
}

const teamPath = () => `/api/v3/teams/${team}`;
const inProject = (rest = "") => `/api/v3/projects/${project}/teams${rest}`;
const transferPath = () => `/api/v3/projects/${project}/transfer`;

const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
  "shared projects: list": async (client) => [await client.get("/api/v3/projects/shared")],
  "project team: list": async (client) => [await client.get(inProject())],
  "project team: add, change, remove": async (client) => [
    await client.post(inProject(), { team, role: "viewer" }),
    await client.patch(inProject(`/${team}`), { role: "editor" }),
    await client.delete(inProject(`/${team}`)),
  ],
  "invitation: list, make": async (client) => [
    await client.get(`/api/v3/projects/${project}/invitations`),
    await client.post(`/api/v3/projects/${project}/invitations`, { role: "editor" }),
  ],
  "invitation: withdraw": async (client) => [await client.delete(`/api/v3/invitations/${await invite()}`)],
  "invitation to the installation: list, make, withdraw": async (client) => [
    await client.get("/api/v3/admin/invitations"),
    await client.post("/api/v3/admin/invitations", { email: "new@example.org" }),
  ],
  "invitation: accept with an unknown token": async (client) => [
    await client.post("/api/v3/invitations/accept", { token: "unknown" }),
  ],
  "transfer: offer, read the offer, withdraw": async (client) => {
    const started = await client.post(transferPath(), { user: "stranger" });
    if (started.status !== 200 || started.json<{ state: string }>().state === "transferred") return [started];
    return [started, await client.get(transferPath()), await client.delete(transferPath())];
  },
  "transfer: accept what is offered to somebody else": async (client) => {
    const newOwner = await server.signUp();
    await cast.owner.post(transferPath(), { user: newOwner.account.username });
    return [await client.post(`${transferPath()}/accept`)];
  },
  "team: make, list own": async (client) => [
    await client.post("/api/v3/teams", { name: "Own" }),
    await client.get("/api/v3/teams"),
  ],
  "team: read": async (client) => [await client.get(teamPath())],
  "team: rename, add, remove people": async (client) => [
    await client.patch(teamPath(), { name: "Renamed" }),
    await client.post(`${teamPath()}/members`, { user: "stranger" }),
    await client.delete(`${teamPath()}/members/${cast.stranger.account.id}`),
  ],
  "team: delete, give away": async (client) => [
    await client.patch(`${teamPath()}/members/${cast.editor.account.id}`, { role: "owner" }),
    // Who gave it away is a manager.
    ...(client === cast.owner ? [] : [await client.delete(teamPath())]),
  ],
};

describe("who may let people in", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    isChanged = status === 200;
    const answers = await attempts[what]?.(cast[role]);
    const statuses = answers?.map((answer) => answer.status) ?? [];
    // After the first refusal there is nothing to change or remove.
    expect(statuses[0]).toBe(status);
    if (status === 200) expect(new Set(statuses)).toEqual(new Set([200]));
    else expect(statuses).not.toContain(200);
  });
});
