import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  // The first account is the administrator. The tests below are about everybody else.
  await server.signUp("admin");
});
afterAll(() => server.close());

const person = {
  username: "ada",
  email: "ada@example.org",
  first_name: "Ada",
  last_name: "Lovelace",
  password,
};

async function countAccounts(): Promise<number> {
  const row = await server.db
    .selectFrom("accounts")
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return row.count;
}

describe("registering", () => {
  it("S1-002 creates an account on trial, signed in, that needs onboarding", async () => {
    const client = server.anonymous();
    const answer = await client.post("/api/v3/auth/register", person);
    expect(answer.status).toBe(200);
    const { username, account, needs_onboarding } = (await client.get("/api/v3/auth/?_rid=1")).json<AuthResponse>();
    expect({ username, needs_onboarding }).toEqual({ username: "ada", needs_onboarding: true });
    expect(account).toMatchObject({
      is_admin: 0,
      trial: 1,
      subscribed: 0,
      credits: 100,
      has_exec_token: true,
      exec_token_ended: null,
      avatar: null,
    });
    const days = (Date.parse(account.trial_end ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(13.9);
    expect(days).toBeLessThanOrEqual(14);
  });

  it("makes the first account of the installation its admin", async () => {
    const first = await server.db
      .selectFrom("accounts")
      .select("is_admin")
      .where("username", "=", "admin")
      .executeTakeFirst();
    expect(first?.is_admin).toBe(true);
  });

  it.each([
    ["an empty username", { username: "  " }, "Username is required."],
    ["a username of one letter", { username: "x" }, "Username needs at least 2 characters."],
    ["a username too long", { username: "x".repeat(40) }, "Username can have at most 39 characters."],
    ["a username with an @", { username: "a@b" }, "Username can have letters, digits"],
    ["a malformed e-mail", { email: "ada at example" }, "That is not an e-mail address we can write to."],
    ["an e-mail too long", { email: `${"a".repeat(250)}@example.org` }, "E-mail can have at most 254 characters."],
    ["a short password", { password: "short" }, "Password needs at least 12 characters."],
    ["a huge password", { password: "p".repeat(2000) }, "Password can have at most 1024 characters."],
    ["a taken username in capitals", { username: "ADMIN", email: "other@example.org" }, "That username is taken."],
    [
      "a taken e-mail in capitals",
      { username: "other", email: "ADMIN@example.org" },
      "There is already an account with that e-mail.",
    ],
    [
      "a null byte",
      { username: "nul", email: "nul@example.org", first_name: "A\u0000b" },
      "First name contains a character",
    ],
  ])("refuses %s and creates nothing", async (_what, change, message) => {
    const before = await countAccounts();
    const client = server.anonymous();
    const answer = await client.post("/api/v3/auth/register", {
      ...person,
      username: "fresh",
      email: "fresh@example.org",
      ...change,
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).toContain(message);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(client.cookies.size).toBe(0);
    expect(await countAccounts()).toBe(before);
  });

  it("says one thing about each field of an empty form, in the order of the form", async () => {
    const empty = { first_name: "", last_name: "", username: "", email: "", password: "" };
    expect((await server.anonymous().post("/api/v3/auth/register", empty)).text).toBe(
      "First name is required. Last name is required. Username is required. E-mail is required. Password needs at least 12 characters.",
    );
  });

  it("lets one of two identical registrations win", async () => {
    const twin = { ...person, username: "twin", email: "twin@example.org" };
    const answers = await Promise.all([1, 2, 3].map(() => server.anonymous().post("/api/v3/auth/register", twin)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it("accepts JSON and multipart as well as urlencoded forms", async () => {
    const json = await server
      .anonymous()
      .postJson("/api/v3/auth/register", { ...person, username: "js", email: "js@example.org" });
    expect(json.status).toBe(200);
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...person, username: "mp", email: "mp@example.org" }))
      form.set(name, value);
    expect((await server.anonymous().send("POST", "/api/v3/auth/register", form)).status).toBe(200);
  });

  it.each([
    ["JSON that is not", "application/json", "{oops", "The body is not valid JSON."],
    [
      "a form that is called multipart",
      "multipart/form-data; boundary=x",
      "a=b",
      "The body is not a valid multipart form.",
    ],
    ["XML", "application/xml", "<a/>", "Send a form or JSON, not application/xml."],
    ["JSON of the wrong shape", "application/json", "[1]", "The request"],
  ])("refuses %s with clear words", async (_what, type, body, message) => {
    const answer = await server.anonymous().send("POST", "/api/v3/auth/register", body, { "content-type": type });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).toContain(message);
  });
});

describe("signing in", () => {
  it("S1-001 accepts the username or the e-mail, in any letter case", async () => {
    await server.signUp("grace");
    for (const login of ["grace", "GRACE", "Grace@Example.org"]) {
      const client = server.anonymous();
      expect((await client.post("/api/v3/auth", { username: login, password })).status).toBe(200);
      expect((await client.get("/api/v3/auth/")).json<AuthResponse>().username).toBe("grace");
    }
  });

  it("gives the same answer to an unknown name and a wrong password", async () => {
    await server.signUp("linus");
    const wrong = await server.anonymous().post("/api/v3/auth", { username: "linus", password: "not the password" });
    const unknown = await server.anonymous().post("/api/v3/auth", { username: "nobody", password: "not the password" });
    expect([wrong.status, wrong.text]).toEqual([401, "Wrong username or password."]);
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
  });

  it("sets a cookie that scripts cannot read and other sites cannot send", async () => {
    await server.signUp("cora");
    const answer = await server.anonymous().post("/api/v3/auth", { username: "cora", password });
    const cookie = answer.headers.getSetCookie()[0] ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure/);
  });

  it("S7-006 answers 401 with a detail without a cookie, with a forged one and with an expired one", async () => {
    expect((await server.anonymous().get("/api/v3/auth/")).status).toBe(401);
    const forged = server.anonymous();
    forged.cookies.set("miranda_session", "A".repeat(43));
    const answer = await forged.get("/api/v3/auth/");
    expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([401, "You are not signed in."]);

    const client = await server.signUp("exp");
    await server.db
      .updateTable("sessions")
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where("account_id", "=", client.account.id)
      .execute();
    expect((await client.get("/api/v3/auth/")).status).toBe(401);
    expect(client.cookies.size).toBe(0);
  });

  it("S7-009 ends the session at once, however many calls ask at the same time", async () => {
    const [leaving, staying] = [await server.signUp(), await server.signUp()];
    const cookies = new Map(leaving.cookies);
    const crowd = () => Array.from({ length: 20 }, () => staying.get("/api/v3/auth/?_rid=1"));
    const meanwhile = crowd();
    expect((await leaving.delete("/api/v3/auth")).status).toBe(200);
    const kept = Object.assign(server.anonymous(), { cookies });
    const after = Array.from({ length: 20 }, () => kept.get("/api/v3/auth/?_rid=1"));
    const statuses = async (answers: typeof after) => new Set((await Promise.all(answers)).map(({ status }) => status));
    expect(await statuses(after)).toEqual(new Set([401]));
    expect(await statuses([...meanwhile, ...crowd()])).toEqual(new Set([200]));
  });

  it("S7-009 ends the session on DELETE, for good", async () => {
    const client = await server.signUp("leaver");
    const kept = new Map(client.cookies);
    expect((await client.delete("/api/v3/auth")).status).toBe(200);
    for (const [name, value] of kept) client.cookies.set(name, value);
    expect((await client.get("/api/v3/auth/")).status).toBe(401);
  });

  it("stores neither passwords nor session secrets", async () => {
    const client = await server.signUp("stored");
    const secret = [...client.cookies.values()][0] ?? "";
    const rows = await sql<{
      row: string;
    }>`select accounts::text || sessions::text as row from accounts join sessions on account_id = accounts.id`.execute(
      server.db,
    );
    const text = rows.rows.map((row) => row.row).join("\n");
    expect(text).toContain("argon2id");
    expect(text).not.toContain(secret);
    expect(text).not.toContain(password);
  });

  it("slows a guesser down without locking others out", async () => {
    await server.signUp("target");
    await server.signUp("bystander");
    const guesser = server.anonymous();
    const answers = [];
    for (let i = 0; i < 100; i++)
      answers.push(await guesser.post("/api/v3/auth", { username: "target", password: `guess number ${i}` }));
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10);
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.at(-1)?.text).toMatch(/^Too many attempts\. Try again in \d+ minutes?\.$/);
    expect((await guesser.post("/api/v3/auth", { username: "target", password })).status).toBe(429);
    expect((await guesser.post("/api/v3/auth", { username: "bystander", password })).status).toBe(200);
  });

  it("limits one address that tries many names", async () => {
    const own = await startTestServer();
    try {
      let last = 0;
      for (let i = 0; i < 101; i++) {
        last = (await own.anonymous().post("/api/v3/auth", { username: `name${i}`, password: "a wrong password" }))
          .status;
      }
      expect(last).toBe(429);
    } finally {
      await own.close();
    }
  });

  it("limits how many accounts one address creates", async () => {
    const own = await startTestServer({ registrationsPerHour: 2, trustProxy: true });
    try {
      await own.signUp();
      await own.signUp();
      const register = async (forwarded: string, username: string) => {
        const client = own.anonymous();
        client.headers = { "x-forwarded-for": forwarded };
        const body = { ...person, username, email: `${username}@example.org` };
        return (await client.post("/api/v3/auth/register", body)).status;
      };
      expect(await register("127.0.0.1", "third")).toBe(429);
      // The proxy's entry counts, not what the visitor wrote before it.
      expect(await register("203.0.113.9, 127.0.0.1", "fourth")).toBe(429);
      expect(await register("203.0.113.9", "fifth")).toBe(200);
      // One IPv6 network counts as one address.
      expect(await register("2001:db8:1:2::7", "sixth")).toBe(200);
      expect(await register("2001:db8:1:2:ffff::8", "seventh")).toBe(200);
      expect(await register("2001:db8:1:2:1:2:3:4", "eighth")).toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe("behind TLS", () => {
  it("marks the cookie Secure and asks browsers to stay with https", async () => {
    const own = await startTestServer({ publicUrl: "https://miranda.example" });
    try {
      const client = await own.signUp("tls");
      const answer = await client.post("/api/v3/auth", { username: "tls", password });
      expect(answer.headers.getSetCookie()[0]).toMatch(/Secure/);
      expect(answer.headers.get("strict-transport-security")).toContain("max-age");
      const fromPublic = await client.send("POST", "/api/v3/auth/onboarding", "", {
        origin: "https://miranda.example",
      });
      expect(fromPublic.status).toBe(200);
    } finally {
      await own.close();
    }
  });
});

describe("requests from other sites", () => {
  it("refuses changes from another site's origin, whatever they carry", async () => {
    const client = await server.signUp("origin");
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      const answer = await client.send(
        "PATCH",
        "/api/v3/auth/account",
        new URLSearchParams({ first_name: "Evil" }),
        headers,
      );
      expect([answer.status, answer.text]).toEqual([403, "This request comes from another site."]);
    }
    expect((await client.get("/api/v3/auth/")).json<AuthResponse>().account.first_name).toBe("Origin");
    const own = await client.send("PATCH", "/api/v3/auth/account", new URLSearchParams({ first_name: "Mine" }), {
      origin: server.url,
    });
    expect(own.status).toBe(200);
  });
});

describe("the account", () => {
  it("S1-003 is onboarded by saving or skipping the form", async () => {
    const client = server.anonymous();
    await client.post("/api/v3/auth/register", { ...person, username: "onb", email: "onb@example.org" });
    const saved = await client.post("/api/v3/auth/onboarding", { industry: "Energy", role: "Engineer" });
    expect(saved.json<AuthResponse>()).toMatchObject({
      needs_onboarding: false,
      account: { industry: "Energy", role: "Engineer", phone: "" },
    });
  });

  it("changes the given fields and keeps the rest", async () => {
    const client = await server.signUp("prof");
    const answer = await client.patch("/api/v3/auth/account", { first_name: "  Zoë  ", phone: "+49 30 1234" });
    expect(answer.json<AuthResponse>().account).toMatchObject({
      first_name: "Zoë",
      last_name: "Tester",
      phone: "+49 30 1234",
    });
    expect((await client.patch("/api/v3/auth/account", { first_name: "" })).text).toBe("First name is required.");
    expect((await client.patch("/api/v3/auth/account", { email: "ADMIN@example.org", password })).status).toBe(409);
    expect((await client.patch("/api/v3/auth/account", { phone: "call me" })).status).toBe(400);
    expect((await client.patch("/api/v3/auth/account", { is_admin: "true", credits: 1e9 })).status).toBe(200);
    const { account } = (await client.get("/api/v3/auth/")).json<AuthResponse>();
    expect(account).toMatchObject({ first_name: "Zoë", email: "prof@example.org", is_admin: 0, credits: 100 });
  });

  it("ends every session and token when the password changes, and returns a new session", async () => {
    const client = await server.signUp("pass");
    const program = server.anonymous();
    const answer = await client.post("/api/v3/auth/access_tokens", { web_password: password });
    program.headers = { authorization: `Bearer ${answer.json<{ token: string }>().token}` };
    expect((await program.get("/api/v3/projects/")).status).toBe(200);
    const elsewhere = server.anonymous();
    await elsewhere.post("/api/v3/auth", { username: "pass", password });
    const old = client.cookies.get("miranda_session");
    const wrong = await client.post("/api/v3/auth/password", {
      current_password: "not this one!!",
      new_password: "another long one",
    });
    expect([wrong.status, wrong.text]).toEqual([403, "Wrong password."]);
    expect(
      (await client.post("/api/v3/auth/password", { current_password: password, new_password: "short" })).status,
    ).toBe(400);
    expect(
      (await client.post("/api/v3/auth/password", { current_password: password, new_password: "another long one" }))
        .status,
    ).toBe(200);
    expect(client.cookies.get("miranda_session")).not.toBe(old);
    expect((await client.get("/api/v3/auth/")).status).toBe(200);
    expect((await elsewhere.get("/api/v3/auth/")).status).toBe(401);
    expect((await program.get("/api/v3/projects/")).status).toBe(401);
    // The automatic token remains, so that the person can go on running.
    expect((await client.get("/api/v3/auth/access_tokens")).json()).toMatchObject([{ automatic: true }]);
    expect((await client.get("/api/v3/auth/")).json<AuthResponse>().account.has_exec_token).toBe(true);
    expect((await server.anonymous().post("/api/v3/auth", { username: "pass", password })).status).toBe(401);
  });
});
