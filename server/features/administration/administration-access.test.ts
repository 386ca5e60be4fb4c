import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readCells } from "../../testing/access.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken } from "../../testing/workbench.ts";

// Every cell of docs/spec/access-administration.tsv.

const roles = ["anonymous", "person", "administrator", "administrator's token"] as const;
const cells = readCells("administration", roles);

let server: TestServer;
let clients: Record<(typeof roles)[number], TestClient>;
let somebody: TestAccount;
let admin: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.signUp("admin");
  somebody = await server.signUp("somebody");
  const program = server.anonymous();
  program.headers = { authorization: `Bearer ${await giveToken(admin)}` };
  clients = {
    anonymous: server.anonymous(),
    person: await server.signUp("person"),
    administrator: admin,
    "administrator's token": program,
  };
});
afterAll(() => server.close());

let created = 0;
const people = "/api/v3/admin/people";
const ofSomebody = () => `${people}/${somebody.account.id}`;
const versionAt = async (path: string) => (await admin.get(path)).json<{ version: number }>().version;
const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
  "people: list, read": async (client) => [await client.get(people), await client.get(ofSomebody())],
  "people: create, change": async (client) => {
    const username = `made${++created}`;
    const body = { username, email: `${username}@example.org`, first_name: "A", last_name: "B" };
    return [
      await client.post(people, body),
      await client.patch(ofSomebody(), { version: await versionAt(ofSomebody()), subscribed: true }),
    ];
  },
  "people: password link, sign out everywhere": async (client) => [
    await client.post(`${ofSomebody()}/password-link`),
    await client.post(`${ofSomebody()}/sign-out`),
  ],
  "settings: read": async (client) => [await client.get("/api/v3/admin/settings")],
  "settings: change": async (client) => {
    const version = await versionAt("/api/v3/admin/settings");
    return [await client.patch("/api/v3/admin/settings", { version, announcement: "Hello" })];
  },
  "announcement: read": async (client) => [await client.get("/api/v3/announcement")],
  "public settings: read": async (client) => [await client.get("/api/v3/settings")],
};

describe("who may administrate", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    const answers = await attempts[what]?.(clients[role]);
    expect(answers?.map((answer) => answer.status)).toEqual(answers?.map(() => status));
    expect(answers?.length).toBeGreaterThan(0);
  });
});
