import { errors } from "@miranda/contract/errors.ts";
import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { RecoveryCodes, SecondFactors } from "@miranda/contract/schemas/account/sign-in.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Cast, signUpCast, readCells, roles } from "../../../testing/access.ts";
import { addApp, addPasskey, codeAt, forgetUsedCodes, challenge } from "../../../testing/second-factor.ts";
import type { Answer, TestClient } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { refusalOf } from "../../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const own = "/api/v3/auth/second_factor";
const step = "/api/v3/auth/second_step";

async function firstStep(username: string): Promise<{ browser: TestClient; answer: Answer }> {
  const browser = server.anonymous();
  return { browser, answer: await browser.post("/api/v3/auth", { username, password }) };
}

async function factorsOf(client: TestClient): Promise<SecondFactors> {
  return (await client.get(own)).json();
}

describe("an authenticator app", () => {
  it("is set up with the password and a code, and then asked for at every sign-in", async () => {
    const person = await server.signUp("app");
    const elsewhere = (await firstStep("app")).browser;
    expect((await person.post(`${own}/app`, { password: "not the password" })).text).toBe("Wrong password.");
    expect([(await person.post(`${own}/app`)).status, (await person.post(`${own}/app`)).text]).toEqual([
      400,
      "Password is required.",
    ]);
    expect((await person.post(`${own}/app/confirm`, { code: "123456" })).text).toContain("Start again");

    const { key, address } = (await person.post(`${own}/app`, { password })).json<{ key: string; address: string }>();
    expect(address).toContain(`secret=${key}`);
    const wrong = await person.post(`${own}/app/confirm`, { code: codeAt(key, 600) });
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining("clock of your phone")]);
    expect((await factorsOf(person)).app).toBeNull();
    expect((await firstStep("app")).answer.status).toBe(200);

    const confirmed = await person.post(`${own}/app/confirm`, { code: codeAt(key) });
    expect(new Set(confirmed.json<RecoveryCodes>().recovery_codes).size).toBe(10);
    expect(await factorsOf(person)).toMatchObject({ app: { last_used: null }, recovery_codes_left: 10 });
    expect((await person.post(`${own}/app`, { password })).status).toBe(409);
    // Other browsers had signed in without the second step.
    expect((await elsewhere.get("/api/v3/auth/")).status).toBe(401);

    const { browser, answer } = await firstStep("app");
    expect([answer.status, answer.json()]).toEqual([202, { second_factor: ["code", "recovery_code"] }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^miranda_second_step=.*HttpOnly/);
    expect((await browser.get("/api/v3/auth/")).status).toBe(401);
    // 30 seconds ahead is accepted, a minute behind is not. The code of this moment confirmed the app.
    expect((await browser.post(step, { code: codeAt(key, -60) })).text).toContain("clock of your phone");
    expect((await browser.post(step, { code: "12 34" })).text).toContain("A code has 6 digits.");
    const signedIn = await browser.post(step, { code: codeAt(key, 30) });
    expect([signedIn.status, signedIn.json<AuthResponse>().username]).toEqual([200, "app"]);
    expect((await browser.get("/api/v3/auth/")).status).toBe(200);
    expect((await browser.post(step, { code: codeAt(key, 30) })).status).toBe(401);

    const { rows } = await sql<{ row: string }>`
      select authenticator_apps::text || (select string_agg(recovery_codes::text, '') from recovery_codes) as row
      from authenticator_apps`.execute(server.db);
    expect(rows.map(({ row }) => row).join("\n")).not.toContain(key);
  });

  it("is removed with the password, and the recovery codes with it", async () => {
    const person = await server.signUp("unset");
    await addApp(person);
    expect((await person.delete(`${own}/app`, { password: "wrong" })).status).toBe(403);
    expect((await factorsOf(person)).app).not.toBeNull();
    expect((await person.delete(`${own}/app`, { password })).status).toBe(200);
    expect(await factorsOf(person)).toMatchObject({ app: null, recovery_codes_left: 0 });
    expect((await firstStep("unset")).answer.status).toBe(200);
    const events = await server.db
      .selectFrom("audit_log")
      .select("kind")
      .where("actor_id", "=", person.account.id)
      .where("kind", "like", "second_factor.%")
      .orderBy("id")
      .execute();
    expect(events.map(({ kind }) => kind)).toEqual(["second_factor.add", "second_factor.remove"]);
  });
});

describe("recovery codes", () => {
  it("work once each, however they are typed, until new ones are made", async () => {
    const person = await server.signUp("lost");
    const { codes } = await addApp(person);
    const [first = "", second = "", third = ""] = codes;
    const use = async (recovery_code: string) =>
      (await (await firstStep("lost")).browser.post(step, { recovery_code })).status;
    expect(await use(first)).toBe(200);
    expect(await use(first)).toBe(403);
    expect(await use(second.toUpperCase().replaceAll("-", " "))).toBe(200);
    expect((await factorsOf(person)).recovery_codes_left).toBe(8);
    const renewed = await person.post(`${own}/recovery_codes`, { password });
    expect(await use(third)).toBe(403);
    expect(await use(renewed.json<{ recovery_codes: string[] }>().recovery_codes[0] ?? "")).toBe(200);
  });
});

describe("passkeys", () => {
  it("sign in without a password, take the second step, and stand in for the password", async () => {
    const person = await server.signUp("keys");
    const { passkey, codes } = await addPasskey(person, server.url);
    expect(codes).toHaveLength(10);
    const { passkeys } = await factorsOf(person);
    expect(passkeys).toMatchObject([{ name: "Laptop", last_used: null }]);
    const [{ id } = { id: "" }] = passkeys;
    await person.patch(`/api/v3/auth/passkeys/${id}`, { name: "Office laptop" });

    const browser = server.anonymous();
    const answer = passkey.respond(await challenge(browser, "passkeys/sign_in"));
    expect((await browser.postJson("/api/v3/auth/passkeys/sign_in", answer)).status).toBe(200);
    expect((await browser.get("/api/v3/auth/")).json<AuthResponse>().username).toBe("keys");
    expect((await factorsOf(browser)).passkeys).toMatchObject([
      { name: "Office laptop", last_used: expect.any(String) },
    ]);

    const second = (await firstStep("keys")).browser;
    const taken = passkey.respond(await challenge(second, "second_step/passkey"));
    expect((await second.postJson(`${step}/passkey`, taken)).status).toBe(200);

    // This browser signed in with a password: sensitive acts ask who it is again.
    const refused = await second.post("/api/v3/auth/access_tokens", { name: "Script" });
    expect([refused.status, refused.text]).toEqual([400, "Password is required."]);
    const response = passkey.respond(await challenge(second, "reauth"));
    expect((await second.postJson("/api/v3/auth/reauth", response)).status).toBe(200);
    expect((await second.post("/api/v3/auth/access_tokens", { name: "Script" })).status).toBe(200);
    await server.db
      .updateTable("sessions")
      .set({ reauthenticated_at: new Date(Date.now() - 6 * 60_000) })
      .execute();
    expect((await second.post("/api/v3/auth/access_tokens", { name: "Later" })).status).toBe(400);
  });

  it("are the only sign-in method of somebody without a password, so the last one stays", async () => {
    const person = await server.signUp("nopassword");
    const { passkey } = await addPasskey(person, server.url);
    await server.db
      .updateTable("accounts")
      .set((eb) => ({ generated_password_hash: eb.ref("password_hash") }))
      .where("id", "=", person.account.id)
      .execute();
    const browser = server.anonymous();
    const answer = passkey.respond(await challenge(browser, "passkeys/sign_in"));
    await browser.postJson("/api/v3/auth/passkeys/sign_in", answer);
    const { passkeys } = await factorsOf(browser);
    expect((await browser.get("/api/v3/auth/")).json<AuthResponse>().account.has_password).toBe(false);
    const removed = await browser.delete(`/api/v3/auth/passkeys/${passkeys[0]?.id}`);
    expect([removed.status, removed.text]).toEqual([409, expect.stringContaining("only way into your account")]);
    expect((await factorsOf(browser)).passkeys).toHaveLength(1);
    // A provider that was taken out of the settings lets nobody in.
    const identity = { provider: "gone", subject: "sub", account_id: person.account.id, email: "gone@example.org" };
    await server.db.insertInto("account_identities").values(identity).execute();
    expect((await browser.delete(`/api/v3/auth/passkeys/${passkeys[0]?.id}`)).status).toBe(409);
    const path = `/api/v3/admin/people/${person.account.id}/second_factor`;
    expect((await cast.admin.delete(path)).text).toBe(errors.only_passkeys);
    expect((await factorsOf(browser)).passkeys).toHaveLength(1);
    // Just signed in with a passkey, so a first password can be set, and the e-mail be changed.
    expect((await browser.patch("/api/v3/auth/account", { email: "new@example.org" })).status).toBe(200);
    expect((await browser.post("/api/v3/auth/password", { new_password: password })).status).toBe(200);
    const again = server.anonymous();
    const [{ id } = { id: "" }] = passkeys;
    await again.postJson("/api/v3/auth/passkeys/sign_in", passkey.respond(await challenge(again, "passkeys/sign_in")));
    expect((await again.delete(`/api/v3/auth/passkeys/${id}`)).status).toBe(200);
  });
});

describe("a second factor that administrators ask for", () => {
  const demand = (rule: string) =>
    server.db
      .updateTable("installation_settings")
      .set({ second_factor: rule as "optional" })
      .execute();
  const settled = async (client: TestClient, status: number) =>
    await expect.poll(async () => (await client.get("/api/v3/projects/")).status, { timeout: 5_000 }).toBe(status);

  it("is set up before anything else works, also for tokens and connections", async () => {
    const person = await server.signUp("must");
    const { token } = (await person.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const program = Object.assign(server.anonymous(), { headers: { authorization: `Bearer ${token}` } });
    await demand("everybody");
    try {
      await settled(person, 403);
      expect((await person.get("/api/v3/projects/")).text).toContain("Two-step sign-in is required here.");
      expect((await program.get("/api/v3/projects/")).status).toBe(403);
      expect(await refusalOf(server, person)).toContain("Two-step sign-in is required here.");
      expect((await person.get("/api/v3/auth/")).json()).toMatchObject({ needs_second_factor: true });
      expect((await person.patch("/api/v3/auth/account", { first_name: "No" })).status).toBe(403);

      await addApp(person);
      expect((await person.get("/api/v3/auth/")).json()).toMatchObject({ needs_second_factor: false });
      expect((await person.get("/api/v3/projects/")).status).toBe(200);
      expect((await program.get("/api/v3/projects/")).status).toBe(200);
      const removed = await person.delete(`${own}/app`, { password });
      expect([removed.status, removed.text]).toEqual([409, expect.stringContaining("required here")]);
      expect((await factorsOf(person)).app).not.toBeNull();

      await demand("admins");
      await settled(cast.stranger, 200);
      expect((await cast.admin.get("/api/v3/projects/")).status).toBe(403);
    } finally {
      await demand("optional");
      await settled(cast.admin, 200);
    }
  });

  it("is removed by an administrator, who ends the person's sessions and is named to them", async () => {
    const person = await server.signUp("helped");
    await addApp(person);
    await addPasskey(person, server.url);
    const path = `/api/v3/admin/people/${person.account.id}/second_factor`;
    expect((await cast.admin.get(path)).json()).toEqual({ has_app: true, passkeys: 1, recovery_codes_left: 10 });
    expect((await cast.admin.delete(path)).status).toBe(200);
    expect((await person.get("/api/v3/auth/")).status).toBe(401);
    const { browser, answer } = await firstStep("helped");
    expect(answer.status).toBe(200);
    expect(await factorsOf(browser)).toMatchObject({ app: null, passkeys: [], recovery_codes_left: 0 });
    expect((await browser.get("/api/v3/notifications")).json()).toMatchObject({
      notifications: [{ title: "Two-step sign-in was turned off", body: expect.stringContaining("admin") }],
    });
    const again = await cast.admin.delete(path);
    expect([again.status, again.text]).toEqual([409, "This account has no second factor."]);
  });
});

describe("who may do what with second factors", () => {
  // Every cell of docs/spec/access-second-factor.tsv.
  const cells = readCells("second-factor", roles);
  let keyId: string;
  let people = 0;
  beforeAll(async () => {
    await forgetUsedCodes(server.db);
    const other = await server.signUp("keyowner");
    await addPasskey(other, server.url);
    keyId = (await factorsOf(other)).passkeys[0]?.id ?? "";
  });

  const wrong = { password: "not the password" };
  const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
    "own second factors: list": async (client) => [await client.get(own)],
    "own authenticator app: begin, confirm, remove with a wrong password": async (client) => [
      await client.post(`${own}/app`, wrong),
      await client.delete(`${own}/app`, wrong),
      await client.post(`${own}/recovery_codes`, wrong),
    ],
    "own passkeys: challenge, remove with a wrong password": async (client) => [
      await client.post("/api/v3/auth/passkeys/challenge", wrong),
      await client.delete(`/api/v3/auth/passkeys/${keyId}`, wrong),
    ],
    "a passkey of somebody else: rename, remove": async (client) => [
      await client.patch(`/api/v3/auth/passkeys/${keyId}`, { name: "Mine" }),
      await client.delete(`/api/v3/auth/passkeys/${keyId}`, { password }),
    ],
    "second step without a ticket: code, passkey": async (client) => [
      await client.post(step, { code: "123456" }),
      await client.post(`${step}/passkey/challenge`),
    ],
    "the second factor of somebody else: read, remove": async (client) => {
      const other = await server.signUp(`other${++people}`);
      await addApp(other);
      const path = `/api/v3/admin/people/${other.account.id}/second_factor`;
      return [await client.get(path), await client.delete(path)];
    },
  };

  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    const answers = await attempts[what]?.(cast[role]);
    expect(answers?.map((answer) => answer.status)).toEqual(answers?.map(() => status));
    expect(answers?.length).toBeGreaterThan(0);
  });
});
