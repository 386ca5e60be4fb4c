import type { AdminSettings } from "@miranda/contract/schemas/admin.ts";
import type { Settings } from "@miranda/contract/schemas/settings.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { TestClient } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let admin: TestAccount;
let asTheFirst: object;
const closed = "Registration is closed. An administrator can create an account for you.";
beforeAll(async () => {
  server = await startTestServer();
  await server.db.updateTable("installation_settings").set({ registration: "closed" }).execute();
  const { registration } = await shown();
  admin = await server.signUp("admin");
  asTheFirst = { registration, next: await register() };
  await change({ registration: "open" });
});
afterAll(() => server.close());

const path = "/api/v3/admin/settings";
const read = async () => (await admin.get(path)).json<AdminSettings>();
const send = (change: object, client: TestClient = admin) =>
  client.send("PATCH", path, JSON.stringify(change), { "content-type": "application/json" });
const change = async (wanted: object) => {
  const answer = await send({ version: (await read()).version, ...wanted });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json<AdminSettings>();
};
const shown = async () => (await server.anonymous().get("/api/v3/settings")).json<Settings>();
let people = 0;
const register = async (email?: string) => {
  const username = `newcomer${++people}`;
  const body = { username, email: email ?? `${username}@example.org`, first_name: "New", last_name: "Comer", password };
  const { status, text } = await server.anonymous().post("/api/v3/auth/register", body);
  return status === 200 ? 200 : [status, text];
};

describe("registration", () => {
  it("is refused with its reason, at once and on every server", async () => {
    const twin = await server.twin();
    try {
      await change({ registration: "invitation" });
      expect(await register()).toEqual([403, "Registration is by invitation."]);
      await change({ registration: "domains", registration_domains: ["Example.com", "tides.example"] });
      expect(await shown()).toMatchObject({
        ...{ registration: "domains", registration_domains: ["example.com", "tides.example"] },
      });
      const words = "Only people with an e-mail address at example.com, tides.example can register.";
      for (const email of ["a@example.org", "a@sub.example.com", "a@example.com.evil.example"])
        expect(await register(email)).toEqual([403, words]);
      expect(await register("b@EXAMPLE.com")).toBe(200);
      await change({ registration: "closed" });
      expect(await register()).toEqual([403, closed]);
      const there = new TestClient(twin.url);
      const body = { username: "twin", email: "twin@example.org", first_name: "A", last_name: "B", password };
      expect((await there.post("/api/v3/auth/register", body)).status).toBe(403);
      await change({ registration: "open" });
      expect(await register()).toBe(200);
    } finally {
      await twin.close();
    }
  });

  it("lets the first account register while registration is closed", async () => {
    expect(admin.account.is_admin).toBe(1);
    expect(asTheFirst).toEqual({ registration: "open", next: [403, closed] });
  });
});

it("gives new projects the visibility that the administrator chose", async () => {
  const visibility = async () => {
    const { id } = (await admin.post("/api/v3/projects/", { name: "Tides" })).json<{ id: string }>();
    const { project } = (await admin.get(`/api/v3/projects/${id}`)).json<{ project: { visibility: string } }>();
    return project.visibility;
  };
  expect(await visibility()).toBe("public");
  await change({ default_visibility: "private" });
  expect(await visibility()).toBe("private");
  const { id } = (await admin.post("/api/v3/projects/", { name: "Own", visibility: "public" })).json<{ id: string }>();
  expect((await server.anonymous().get(`/api/v3/projects/${id}`)).status).toBe(401);
  const stranger = await server.signUp("reader");
  expect((await stranger.get(`/api/v3/projects/${id}`)).status).toBe(200);
  const wrong = await admin.post("/api/v3/projects/", { name: "Own", visibility: "secret" });
  expect([wrong.status, wrong.text]).toEqual([400, "Visibility must be public or private."]);
  await change({ default_visibility: "public" });
});

it("limits what accounts have without a restart; an account may have limits of its own", async () => {
  const person = await server.signUp("limited");
  const add = async () => (await person.post("/api/v3/projects/", { name: "Tides" })).status;
  const settings = await change({ limits: { projects: 1, processors: "" } });
  expect(settings.limits).toEqual({
    projects: 1,
    templates: null,
    tokens: null,
    processors: null,
    processors_in_all: null,
  });
  expect(settings.default_limits).toMatchObject({ projects: 1_000, processors: 4, processors_in_all: 16 });
  expect([await add(), await add()]).toEqual([200, 409]);
  const { version } = (await admin.get(`/api/v3/admin/people/${person.account.id}`)).json<{ version: number }>();
  await admin.patch(`/api/v3/admin/people/${person.account.id}`, { version, quotas: JSON.stringify({ projects: 2 }) });
  expect([await add(), await add()]).toEqual([200, 409]);
  await change({ limits: {} });
});

it("shows an announcement until its last day is over", async () => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const shown = async () => (await admin.get("/api/v3/announcement")).json<{ text: string }>().text;
  await change({ announcement: "Maintenance", announcement_until: day(1) });
  expect(await shown()).toBe("Maintenance");
  await change({ announcement_until: day(-1) });
  expect(await shown()).toBe("");
  await change({ announcement_until: "" });
  expect(await shown()).toBe("Maintenance");
  const { version } = (await admin.get("/api/v3/admin/settings")).json<{ version: number }>();
  for (const announcement_until of ["tomorrow", "2026-02-30", "99999-01-01"]) {
    const refused = await send({ version, announcement_until });
    expect([refused.status, refused.text]).toEqual([
      400,
      "The end of the announcement must be a day such as 2026-12-31, or empty.",
    ]);
  }
  await change({ announcement: "" });
});

it("shows an announcement to people who are signed in", async () => {
  const text = "Maintenance on Friday. [Details](https://status.example)";
  await change({ announcement: text });
  expect((await admin.get("/api/v3/announcement")).json()).toEqual({ text });
  expect((await server.anonymous().get("/api/v3/announcement")).status).toBe(401);
  expect(JSON.stringify(await shown())).not.toContain("Maintenance");
});

it("refuses the second of two administrators who change the settings at once", async () => {
  const { version } = await read();
  const answers = await Promise.all([
    send({ version, announcement: "One" }),
    send({ version, registration: "closed" }),
    send({ version: version + 1, announcement: "Three" }),
  ]);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(refused[0]?.text).toBe("Somebody else changed the settings meanwhile. Nothing was saved.");
  const { changed_by, time_changed } = await read();
  expect([changed_by, time_changed !== null]).toEqual(["admin", true]);
  await change({ registration: "open" });
});

it("refuses wrong settings, and changes nothing", async () => {
  const before = await read();
  const attempt = async (wanted: object) => {
    const { status, text } = await send({ version: before.version, ...wanted });
    return [status, text];
  };
  const domains = "E-mail domains must be names such as example.org.";
  for (const domain of ["@example.org", "https://example.org", "example", "a b.example", "-a.example", 7])
    expect(await attempt({ registration: "domains", registration_domains: [domain] })).toEqual([400, domains]);
  expect(await attempt({ registration: "domains", registration_domains: [] })).toEqual([
    ...[400, "Name at least one e-mail domain."],
  ]);
  expect(await attempt({ registration: "maybe" })).toEqual([
    ...[400, "Registration must be open, invitation, domains or closed."],
  ]);
  expect((await attempt({ announcement: "x".repeat(501) }))[0]).toBe(400);
  expect((await attempt({ limits: { projects: -1 } }))[0]).toBe(400);
  expect((await attempt({ default_visibility: "secret" }))[0]).toBe(400);
  expect((await send({ announcement: "No version" })).status).toBe(400);
  expect(await read()).toEqual(before);
});

it("records who changed which settings", async () => {
  await change({ second_factor: "admins" });
  const [last] = await server.db
    .selectFrom("audit_log")
    .select(["actor_name", "details"])
    .where("kind", "=", "admin.settings")
    .orderBy("id", "desc")
    .limit(1)
    .execute();
  expect(last).toEqual({ actor_name: "admin", details: { change: "second factor: admins" } });
});
