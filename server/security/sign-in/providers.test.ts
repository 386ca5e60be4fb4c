import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startProvider, type TestProvider } from "../../testing/services/oidc-provider.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

const publicUrl = "http://miranda.test";
let acme: TestProvider;
let evil: TestProvider;
let server: TestServer;

beforeAll(async () => {
  acme = await startProvider(publicUrl);
  evil = await startProvider(publicUrl, { id: "evil", name: "Evil" });
  server = await startTestServer({ publicUrl, providers: [acme.settings, evil.settings] });
  await server.signUp("admin");
  for (const provider of [acme, evil])
    provider.people.set("ada", { email: "ada@acme.example", email_verified: true, preferred_username: "ada" });
});
afterAll(async () => {
  await server.close();
  await Promise.all([acme.close(), evil.close()]);
});

const begin = async (client: TestClient, id = "acme", form: Record<string, string> = {}) =>
  (await client.post(`/api/v3/auth/providers/${id}`, form)).json<{ address: string }>().address;

/** The browser comes back with this path: where it goes, and whether anybody is signed in. */
async function comeBack(client: TestClient, path: string) {
  const to = (await client.get(path)).headers.get("location");
  return [to, (await client.get("/api/v3/auth/")).status];
}

const refused = (code: string, id = "acme") => [`/login?problem=${code}&provider=${id}`, 401];

it("refuses an answer with another nonce", async () => {
  const browser = server.anonymous();
  const address = new URL(await begin(browser));
  address.searchParams.set("nonce", "the nonce of another sign-in");
  expect(await comeBack(browser, await acme.signIn(address.href, "ada"))).toEqual(refused("provider_answer"));
});

it("refuses another state, a missing one, and an answer in another browser", async () => {
  const [browser, other] = [server.anonymous(), server.anonymous()];
  const back = await acme.signIn(await begin(browser), "ada");
  const path = (change: (query: URLSearchParams) => void) => {
    const [where, query] = back.split("?");
    const changed = new URLSearchParams(query);
    change(changed);
    return `${where}?${changed.toString()}`;
  };
  expect(
    await comeBack(
      browser,
      path((query) => query.set("state", "x".repeat(43))),
    ),
  ).toEqual(refused("provider_state"));
  expect(
    await comeBack(
      browser,
      path((query) => query.delete("state")),
    ),
  ).toEqual(refused("provider_state"));
  await begin(other);
  // An attacker's own sign-in must not sign a victim in as the attacker.
  expect(await comeBack(other, back)).toEqual(refused("provider_state"));
  expect(await comeBack(server.anonymous(), back)).toEqual(refused("provider_state"));
  expect((await comeBack(browser, back))[1]).toBe(200);
});

it("refuses a code that was used, in the same sign-in and in another one", async () => {
  const browser = server.anonymous();
  const back = await acme.signIn(await begin(browser), "ada");
  expect((await comeBack(browser, back))[1]).toBe(200);
  const again = server.anonymous();
  for (const [name, value] of browser.cookies) if (name === "miranda_provider") again.cookies.set(name, value);
  expect(await comeBack(again, back)).toEqual(refused("provider_state"));
  const next = new URL(await acme.signIn(await begin(again), "ada"), publicUrl);
  next.searchParams.set("code", new URL(back, publicUrl).searchParams.get("code") ?? "");
  expect(await comeBack(again, next.pathname + next.search)).toEqual(refused("provider_code"));
});

it("takes a sign-in once, however many answers come at once", async () => {
  const browser = server.anonymous();
  const back = await acme.signIn(await begin(browser), "ada");
  const answers = await Promise.all(Array.from({ length: 5 }, () => browser.get(back)));
  const ways = answers.map(({ headers }) => headers.get("location"));
  expect(ways.filter((way) => way === "/designer")).toHaveLength(1);
});

it("refuses a code that expired, and a sign-in that took too long", async () => {
  const browser = server.anonymous();
  const back = await acme.signIn(await begin(browser), "ada");
  await acme.forgetCode(new URL(back, publicUrl).searchParams.get("code") ?? "");
  expect(await comeBack(browser, back)).toEqual(refused("provider_code"));
  const late = await acme.signIn(await begin(browser), "ada");
  await sql`update provider_sign_ins set expires_at = now() - interval '1 second'`.execute(server.db);
  expect(await comeBack(browser, late)).toEqual(refused("provider_state"));
});

it("refuses the answer of one provider as that of another, and keeps their people apart", async () => {
  const browser = server.anonymous();
  const ofEvil = await evil.signIn(await begin(browser, "evil"), "ada");
  const mixed = ofEvil.replace("/evil/", "/acme/");
  expect(await comeBack(browser, mixed)).toEqual(refused("provider_state"));
  // The same subject and e-mail at another provider is another person.
  expect(await comeBack(browser, ofEvil)).toEqual(refused("provider_email_taken", "evil"));
  // A code of one in a sign-in that was begun at the other.
  const own = new URL(await acme.signIn(await begin(browser), "ada"), publicUrl);
  const code = new URL(await evil.signIn(await begin(browser, "evil"), "ada"), publicUrl).searchParams;
  own.searchParams.set("code", code.get("code") ?? "");
  expect(await comeBack(browser, own.pathname + own.search)).toEqual(refused("provider_code"));
  const issuer = new URL(await acme.signIn(await begin(browser), "ada"), publicUrl);
  issuer.searchParams.set("iss", evil.settings.issuer);
  expect(await comeBack(browser, issuer.pathname + issuer.search)).toEqual(refused("provider_answer"));
});

it("connects nothing when another account is signed in by the time the answer comes", async () => {
  const [mallory, victim] = [await server.signUp("mallory"), await server.signUp("victim")];
  const back = await evil.signIn(await begin(mallory, "evil", { purpose: "connect", password }), "mallory");
  victim.cookies.set("miranda_provider", mallory.cookies.get("miranda_provider") ?? "");
  const to = (await victim.get(back)).headers.get("location");
  expect(to).toBe("/account?problem=provider_state&provider=evil");
  expect((await victim.get("/api/v3/auth/identities")).json()).toEqual([]);
});

it.each(["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/a\r\nSet-Cookie: a=b"])(
  "never sends people to %j",
  async (next) => {
    const browser = server.anonymous();
    const back = await acme.signIn(await begin(browser, "acme", { next }), "ada");
    expect((await browser.get(back)).headers.get("location")).toBe("/designer");
  },
);

it("shows only its own words: what a link says is not repeated", async () => {
  const browser = server.anonymous();
  const state = new URL(await begin(browser)).searchParams.get("state") ?? "";
  const words = { error: "access_denied", error_description: "<b>Call 555</b>" };
  const query = new URLSearchParams({ state, ...words, iss: acme.settings.issuer });
  expect(await comeBack(browser, `/api/v3/auth/providers/acme/callback?${query.toString()}`)).toEqual(
    refused("provider_denied"),
  );
});

it("records no return that nobody began, and limits them", async () => {
  await server.db.deleteFrom("attempts").execute();
  const failures = async () =>
    (await server.db.selectFrom("audit_log").select("id").where("kind", "=", "sign_in.failed").execute()).length;
  const before = await failures();
  const browser = server.anonymous();
  browser.cookies.set("miranda_provider", "b".repeat(43));
  const problems = [];
  for (let at = 0; at < 61; at++) {
    const query = at === 0 ? "" : `?code=x&state=${"s".repeat(43)}`;
    const { headers } = await browser.get(`/api/v3/auth/providers/acme/callback${query}`);
    problems.push(new URL(headers.get("location") ?? "", publicUrl).searchParams.get("problem"));
  }
  expect([problems[0], problems[59], problems[60]]).toEqual(["provider_state", "provider_state", "too_many_attempts"]);
  expect(await failures()).toBe(before);
  await server.db.deleteFrom("attempts").execute();
});

it("begins no sign-in for another site or an unknown provider", async () => {
  const browser = server.anonymous();
  const foreign = await browser.send("POST", "/api/v3/auth/providers/acme", "", { origin: "https://evil.example" });
  expect(foreign.status).toBe(403);
  expect((await browser.post("/api/v3/auth/providers/unknown")).status).toBe(404);
});

it("limits how many sign-ins an address begins", async () => {
  const browser = server.anonymous();
  const statuses = await Promise.all(
    Array.from({ length: 70 }, async () => (await browser.post("/api/v3/auth/providers/acme")).status),
  );
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
});

it("stores what is needed to sign in sealed, and tells the log no token", async () => {
  const { rows } = await sql<{ row: string }>`select provider_sign_ins::text as row from provider_sign_ins`.execute(
    server.db,
  );
  expect(rows.map(({ row }) => row).join("\n")).not.toMatch(/verifier|nonce/);
  const events = await server.db.selectFrom("audit_log").selectAll().where("kind", "=", "sign_in.failed").execute();
  expect(events.map(({ details }) => details)).toContainEqual({ provider: "Acme", reason: "provider_answer" });
  expect(JSON.stringify(events)).not.toMatch(/eyJ/);
});

it("offers nothing that needs mails without a mail server", async () => {
  const person = await server.signUp("plain");
  expect(person.account.email_unconfirmed).toBe(false);
  for (const answer of [
    await server.anonymous().post("/api/v3/auth/password/forgot", { username: "plain" }),
    await person.post("/api/v3/auth/email/send"),
  ])
    expect([answer.status, answer.text]).toEqual([404, "This installation cannot send e-mail."]);
});
