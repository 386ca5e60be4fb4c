import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { buildTeam } from "../../testing/people/people.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let admin: TestAccount;
let heir: TestAccount;
let leaver: TestAccount;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ registrationsPerHour: 1_000 });
  admin = await server.signUp("admin");
});
afterAll(() => server.close());
beforeEach(async () => {
  people += 1;
  heir = await server.signUp(`heir${people}`);
  leaver = await server.signUp(`leaver${people}`);
});

async function project(name: string): Promise<string> {
  const { id } = (await leaver.post("/api/v3/projects/", { name, description: "" })).json<{ id: string }>();
  await leaver.post(`/api/v3/projects/${id}/members`, { user: heir.account.username, role: "editor" });
  return id;
}

async function leave(transfer: Record<string, string> = {}): Promise<void> {
  const projects = Object.keys(transfer).length === 0 ? "delete" : { transfer };
  const body = JSON.stringify({ username: leaver.account.username, password, projects });
  const answer = await leaver.send("DELETE", "/api/v3/auth/account", body, { "content-type": "application/json" });
  expect([answer.status, answer.text]).toEqual([200, "{}"]);
}

async function events(query: string, client = admin, path = "admin"): Promise<AuditPage["events"]> {
  return (await client.get(`/api/v3/${path}/audit?${query}`)).json<AuditPage>().events;
}

const notificationsOf = async (person: TestAccount) =>
  (await person.get("/api/v3/notifications")).json<NotificationPage>().notifications;

it("notifies the new owner of a project, and records from whom to whom it went", async () => {
  const id = await project("Kept");
  await leave({ [id]: heir.account.id });
  const [name, newName] = [leaver.account.username, heir.account.username];
  expect((await notificationsOf(heir))[0]).toMatchObject({
    kind: "membership",
    project_id: id,
    title: "You own Kept now",
    body: `${name} deleted the account. You decide who may see it, change it and delete it.`,
  });
  const [transfer] = await events("kind=project.transfer", heir, `projects/${id}`);
  expect(transfer).toMatchObject({
    sentence: `${name} handed Kept over to ${newName}`,
    details: { from: name, to: newName },
  });
  expect((await events(`kind=account.delete&person=${name}`))[0]?.sentence).toBe(
    `${name} deleted the account ${name} with no project`,
  );
});

it("notifies the new owner of a team, and records it", async () => {
  await buildTeam(leaver, "Harbour", { [heir.account.username]: "member" });
  const alone = await buildTeam(leaver, "Alone", {});
  await leave();
  const [name, newName] = [leaver.account.username, heir.account.username];
  expect((await notificationsOf(heir))[0]).toMatchObject({ title: "You own the team Harbour now" });
  const recorded = await events(`kind=team&person=${name}`);
  expect(recorded.slice(0, 2).toSorted((one, other) => one.kind.localeCompare(other.kind))).toMatchObject([
    { sentence: `${name} changed the team Harbour: made ${newName} the owner`, details: { from: name, to: newName } },
    { sentence: `${name} deleted the team Alone`, subject: { id: alone } },
  ]);
});

it("names the projects that were deleted with the account, at most 20", async () => {
  for (let at = 10; at < 32; at += 1) await leaver.post("/api/v3/projects/", { name: `Tide ${at}`, description: "" });
  await leave();
  const [deleted] = await events(`kind=account.delete&person=${leaver.account.username}`);
  expect(deleted?.details).toMatchObject({ project_count: 22 });
  expect(deleted?.sentence).toMatch(/with 22 projects: Tide 10, Tide 11, .*, Tide 29 and 2 more$/);
});
