import type { NewPerson, PasswordLink, Person } from "@miranda/contract/schemas/account/people.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Answer } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

let server: TestServer;
let admin: TestAccount;
let other: TestAccount;
let person: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.signUp("admin");
  other = await server.signUp("secondadmin");
  await patch(admin, other, { is_admin: true });
});
afterAll(() => server.close());
beforeEach(async () => {
  person = await server.signUp();
});

const path = "/api/v3/admin/people";
const look = async (who: TestAccount, by = admin) => (await by.get(`${path}/${who.account.id}`)).json<Person>();
const patch = async (by: TestAccount, who: TestAccount, change: Record<string, string | number | boolean>) =>
  by.patch(`${path}/${who.account.id}`, { version: (await look(who, by)).version, ...change });
const refusal = ({ status, text }: Answer) => [status, text];
const events = async (who: TestAccount) => {
  const rows = await server.db
    .selectFrom("audit_log")
    .select(["kind", "actor_name", "details"])
    .where("subject_id", "=", who.account.id)
    .orderBy("id")
    .execute();
  return rows.map(({ kind, actor_name, details }) => [
    kind,
    actor_name,
    (details as Record<string, unknown>)["change"] ?? null,
  ]);
};

describe("the list of people", () => {
  it("finds people by name, username and e-mail, in pages, newest first", async () => {
    const names = async (query: string) => {
      const answer = await admin.get(`${path}?${query}`);
      return {
        names: answer.json<Person[]>().map(({ username }) => username),
        total: answer.headers.get("x-miranda-total"),
      };
    };
    const ada = await server.signUp("ada.lovelace");
    const grace = await server.signUp("grace");
    expect(await names("query=LOVELACE")).toEqual({ names: ["ada.lovelace"], total: "1" });
    expect((await names("query=grace@example")).names).toEqual(["grace"]);
    expect((await names("query=Grace tes")).names).toEqual(["grace"]);
    expect((await names("query=%25")).names).toEqual([]);
    expect((await names("limit=2")).names).toEqual(["grace", "ada.lovelace"]);
    expect((await names(`limit=1&after=${grace.account.id}`)).names).toEqual(["ada.lovelace"]);
    expect((await names("kind=admins")).names).toEqual(["secondadmin", "admin"]);
    await patch(admin, ada, { disabled: true });
    expect((await names("kind=disabled")).names).toEqual(["ada.lovelace"]);
    expect(refusal(await admin.get(`${path}?kind=others`))).toEqual([400, "kind must be all, admins or disabled."]);
    expect((await admin.get(`${path}/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it("shows what an administrator needs to know, and no secret", async () => {
    await person.post("/api/v3/projects/", { name: "Tides" });
    const shown = await look(person);
    expect(shown).toMatchObject({
      ...{ username: person.account.username, is_admin: false, time_disabled: null, credits: 100, trial: true },
      ...{ subscribed: false, has_second_factor: false, projects: 1, running: 0, version: 1 },
      quotas: { projects: null, templates: null, tokens: null, processors: null },
    });
    expect(Date.parse(shown.last_seen ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.stringify(shown)).not.toContain("argon2");
  });
});

describe("a new account", () => {
  const given = { username: "mary", email: "mary@example.org", first_name: "Mary", last_name: "Somerville" };

  it("gets its password from its owner, by a link that works once", async () => {
    const created = (await admin.post(path, given)).json<NewPerson>();
    expect(created.person).toMatchObject({ ...given, is_admin: false, credits: 100, last_seen: null });
    const token = created.link.address.replace("/password/", "");
    const visitor = server.anonymous();
    expect((await visitor.post("/api/v3/auth/password-link", { token })).json()).toEqual({
      ...{ username: "mary", first_name: "Mary", last_name: "Somerville" },
    });
    const set = (secret: string) => visitor.post("/api/v3/auth/password-link/use", { token, password: secret });
    expect(refusal(await set("short"))).toEqual([400, "Password needs at least 12 characters."]);
    const both = await Promise.all([set(password), set("another long password")]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 404]));
    const ended = [404, "This link was used already or has expired. Ask for a new one."];
    expect(refusal(await set(password))).toEqual(ended);
    expect(refusal(await visitor.post("/api/v3/auth/password-link", { token }))).toEqual(ended);
    const works = both[0]?.status === 200 ? password : "another long password";
    const signedIn = await visitor.post("/api/v3/auth", { username: "mary", password: works });
    expect(signedIn.json()).toMatchObject({ username: "mary", needs_onboarding: true });
    const [row] = await server.db
      .selectFrom("ledger")
      .selectAll()
      .where("account_id", "=", created.person.id)
      .execute();
    expect(row).toMatchObject({ kind: "trial", amount: 100 });
  });

  it("is refused when its name or address is taken or wrong, and nothing is created", async () => {
    const { username, email } = person.account;
    const before = (await admin.get(path)).headers.get("x-miranda-total");
    const attempt = async (change: object) =>
      refusal(await admin.post(path, { ...given, username: "mary2", email: "m2@example.org", ...change }));
    expect(await attempt({ username })).toEqual([409, "That username is taken."]);
    expect(await attempt({ email })).toEqual([409, "There is already an account with that e-mail."]);
    expect((await attempt({ email: "nowhere" }))[0]).toBe(400);
    expect(await attempt({ first_name: " " })).toEqual([400, "First name is required."]);
    expect((await admin.get(path)).headers.get("x-miranda-total")).toBe(before);
  });
});

describe("a link to set a password", () => {
  it("ends every session and token when it is used, and the newer link replaces the older", async () => {
    const token = await giveToken(person);
    const link = async () =>
      (await admin.post(`${path}/${person.account.id}/password-link`))
        .json<PasswordLink>()
        .address.slice("/password/".length);
    const [older, newer] = [await link(), await link()];
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${token}` };
    expect((await program.get("/api/v3/auth")).status).toBe(200);
    const use = (secret: string) =>
      server.anonymous().post("/api/v3/auth/password-link/use", { token: secret, password: "a new long password" });
    expect((await use(older)).status).toBe(404);
    expect((await use(newer)).status).toBe(200);
    expect((await person.get("/api/v3/auth")).status).toBe(401);
    expect((await program.get("/api/v3/auth")).status).toBe(401);
    const again = await server.anonymous().post("/api/v3/auth", { username: person.account.username, password });
    expect(again.status).toBe(401);
  });

  it("expires after a day, and its token is not stored", async () => {
    const { address } = (await admin.post(`${path}/${person.account.id}/password-link`)).json<PasswordLink>();
    const token = address.slice("/password/".length);
    const rows = await server.db
      .selectFrom("password_links")
      .selectAll()
      .where("account_id", "=", person.account.id)
      .execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    const day = 86_400_000;
    const expires = rows[0]?.expires_at.getTime() ?? 0;
    expect(Math.abs(expires - Date.now() - day)).toBeLessThan(60_000);
    const yesterday = new Date(Date.now() - 1_000);
    await server.db
      .updateTable("password_links")
      .set({ expires_at: yesterday })
      .where("account_id", "=", person.account.id)
      .execute();
    expect((await server.anonymous().post("/api/v3/auth/password-link/use", { token, password })).status).toBe(404);
    expect((await person.get("/api/v3/auth")).status).toBe(200);
  });
});

describe("disabling", () => {
  it("ends sessions, stops tokens and links, and enabling lets the person in again", async () => {
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${await giveToken(person)}` };
    const { address } = (await admin.post(`${path}/${person.account.id}/password-link`)).json<PasswordLink>();
    expect((await patch(admin, person, { disabled: true })).json<Person>().time_disabled).not.toBeNull();
    expect([(await person.get("/api/v3/auth")).status, (await program.get("/api/v3/auth")).status]).toEqual([401, 401]);
    const signIn = (secret: string) =>
      server.anonymous().post("/api/v3/auth", { username: person.account.username, password: secret });
    expect(refusal(await signIn(password))).toEqual([403, "This account is disabled. Ask an administrator."]);
    // A wrong password tells a stranger nothing about the account.
    expect((await signIn("not the right one")).status).toBe(401);
    const use = await server.anonymous().post("/api/v3/auth/password-link/use", { token: address.slice(10), password });
    expect(use.status).toBe(404);
    const link = await admin.post(`${path}/${person.account.id}/password-link`);
    expect(refusal(link)).toEqual([403, "This account is disabled. Enable it first."]);
    await patch(admin, person, { disabled: false });
    expect([(await signIn(password)).status, (await program.get("/api/v3/auth")).status]).toEqual([200, 200]);
    expect((await person.get("/api/v3/auth")).status).toBe(401);
    expect((await events(person)).map(([kind]) => kind)).toEqual([
      ...["password.link", "admin.account_disable", "sign_in.failed", "sign_in.failed", "admin.account_enable"],
    ]);
  });

  it("is refused for oneself", async () => {
    expect(refusal(await patch(admin, admin, { disabled: true }))).toEqual([
      409,
      "You cannot disable your own account.",
    ]);
  });
});

describe("administrators", () => {
  it("refuses to remove the last administrator, also when two are removed at once", async () => {
    const kept = "This is the only administrator. Make somebody else administrator first. Nothing was changed.";
    const [first, second] = [await look(admin), await look(other)];
    const [one, two] = await Promise.all([
      admin.patch(`${path}/${first.id}`, { version: first.version, is_admin: false }),
      other.patch(`${path}/${second.id}`, { version: second.version, is_admin: false }),
    ]);
    expect(new Set([one.status, two.status])).toEqual(new Set([200, 409]));
    const left = one.status === 409 ? admin : other;
    expect(refusal(await patch(left, left, { is_admin: false }))).toEqual([409, kept]);
    const gone = left === admin ? other : admin;
    expect(refusal(await gone.get(path))).toEqual([403, "Only an administrator may do this."]);
    // A disabled administrator counts for nothing.
    await patch(left, gone, { is_admin: true });
    await patch(left, gone, { disabled: true });
    expect(refusal(await patch(left, left, { is_admin: false }))).toEqual([409, kept]);
    await patch(left, gone, { disabled: false });
    await gone.post("/api/v3/auth", { username: gone.account.username, password });
  });

  it("who change one account at once: the second is refused, and nothing of it is stored", async () => {
    const { version } = await look(person);
    const address = `${path}/${person.account.id}`;
    const answers = await Promise.all([
      admin.patch(address, { version, subscribed: true }),
      other.patch(address, { version, trial_until: "2040-01-31" }),
    ]);
    const late = answers.find(({ status }) => status !== 200);
    expect(refusal(late ?? answers[0])).toEqual([
      409,
      "Somebody else changed this account meanwhile. Nothing was saved.",
    ]);
    const { subscribed, trial_end, version: now } = await look(person);
    expect([subscribed, trial_end === "2040-01-31T23:59:59.000Z"].filter(Boolean)).toHaveLength(1);
    expect([now, (await events(person)).length]).toEqual([version + 1, 1]);
  });

  it("log somebody out everywhere; their tokens stay", async () => {
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${await giveToken(person)}` };
    expect((await admin.post(`${path}/${person.account.id}/sign-out`)).json()).toEqual({ browsers: 1 });
    expect([(await person.get("/api/v3/auth")).status, (await program.get("/api/v3/auth")).status]).toEqual([401, 200]);
  });
});

describe("trial, subscription and limits", () => {
  it("are changed and recorded with who did it", async () => {
    await patch(admin, person, { trial_until: "2040-01-31", subscribed: true });
    await patch(admin, person, { trial_until: "" });
    const shown = await patch(other, person, { quotas: JSON.stringify({ projects: 1, processors: 2 }) });
    expect(shown.json<Person>()).toMatchObject({
      ...{ trial: false, trial_end: null, subscribed: true, version: 4 },
      quotas: { projects: 1, templates: null, tokens: null, processors: 2 },
    });
    expect(await events(person)).toEqual([
      ["admin.account_change", "admin", "subscribed"],
      ["admin.account_change", "admin", "trial until 2040-01-31"],
      ["admin.account_change", "admin", "no trial"],
      ["admin.account_change", "secondadmin", "limits: projects 1, processors 2"],
    ]);
    expect((await person.post("/api/v3/projects/", { name: "One" })).status).toBe(200);
    expect((await person.post("/api/v3/projects/", { name: "Two" })).status).toBe(409);
    await patch(admin, person, { quotas: "{}" });
    expect((await person.post("/api/v3/projects/", { name: "Two" })).status).toBe(200);
  });

  it("refuse wrong values, and change nothing", async () => {
    const before = await look(person);
    const attempt = async (change: Record<string, string>) => refusal(await patch(admin, person, change));
    const date = "Trial until must be a date such as 2030-01-31.";
    for (const trial_until of ["tomorrow", "2040-02-30", "9999-01-01"])
      expect(await attempt({ trial_until })).toEqual([400, date]);
    expect(await attempt({ trial_until: "2020-01-01" })).toEqual([
      400,
      "A trial can only be extended to a day that is not over.",
    ]);
    const words = "Projects of one account must be a whole number from 0 to 10000000.";
    for (const projects of [-1, 1.5, "many", 1e9])
      expect(await attempt({ quotas: JSON.stringify({ projects }) })).toEqual([400, words]);
    expect((await attempt({ quotas: JSON.stringify({ processors: 0 }) }))[0]).toBe(400);
    expect(await attempt({ is_admin: "perhaps" })).toEqual([400, "is_admin must be true or false."]);
    expect((await attempt({ version: "0" }))[0]).toBe(400);
    expect(await look(person)).toEqual(before);
  });
});
