import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { addApp, addPasskey, codeAt, forgetUsedCodes, challenge } from "../../testing/second-factor.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

// Somebody who knows the password, has read a code over a shoulder, or has copied a passkey.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.signUp("admin");
});
afterAll(() => server.close());

const step = "/api/v3/auth/second_step";
const cookie = "miranda_second_step";

async function firstStep(username: string): Promise<TestClient> {
  const browser = server.anonymous();
  const answer = await browser.post("/api/v3/auth", { username, password });
  if (answer.status !== 202) throw new Error(`expected the second step of ${username}, got ${answer.status}`);
  return browser;
}

const isSignedIn = async (client: TestClient) => (await client.get("/api/v3/auth/")).status === 200;

describe("codes", () => {
  it("are refused when they were used before, also by two requests at once", async () => {
    const { key } = await addApp(await server.signUp("replay"));
    const stolen = codeAt(key);
    expect((await (await firstStep("replay")).post(step, { code: stolen })).text).toContain("used already");
    await forgetUsedCodes(server.db);
    const browsers = await Promise.all(Array.from({ length: 6 }, () => firstStep("replay")));
    const code = codeAt(key);
    const answers = await Promise.all(browsers.map((browser) => browser.post(step, { code })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403, 403, 403]);
    // An older code does not work after a newer one.
    const older = await (await firstStep("replay")).post(step, { code: codeAt(key, -30) });
    expect(older.status).toBe(403);
  });

  it("cannot be guessed: a ticket has five tries, an account and address ten, and the wait ends", async () => {
    const { key, codes } = await addApp(await server.signUp("guess"));
    await forgetUsedCodes(server.db);
    const wrong = codeAt(key, 3_600);
    const statuses = [];
    for (let round = 0; round < 3; round++) {
      const browser = await firstStep("guess");
      for (let guess = 0; guess < 6; guess++) statuses.push((await browser.post(step, { code: wrong })).status);
    }
    expect(statuses.slice(0, 6)).toEqual([403, 403, 403, 403, 403, 401]);
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    const browser = await firstStep("guess");
    const blocked = await browser.post(step, { recovery_code: codes[0] ?? "" });
    expect([blocked.status, blocked.text]).toEqual([429, expect.stringMatching(/Try again in \d+ minutes?\./)]);
    await server.db
      .updateTable("attempts")
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute();
    expect((await browser.post(step, { code: codeAt(key) })).status).toBe(200);
  });
});

describe("tickets of the first step", () => {
  it("work once, for their own account, and not after the password was changed", async () => {
    const victim = await server.signUp("victim");
    const attacker = await server.signUp("attacker");
    const { codes: ofVictim } = await addApp(victim);
    const { key, codes: ofAttacker } = await addApp(attacker);
    await forgetUsedCodes(server.db);

    // The code of one account with the ticket of another.
    const mixed = await firstStep("victim");
    expect((await mixed.post(step, { code: codeAt(key) })).status).toBe(403);
    expect((await mixed.post(step, { recovery_code: ofAttacker[0] ?? "" })).status).toBe(403);
    expect(await isSignedIn(mixed)).toBe(false);

    const forged = server.anonymous();
    forged.cookies.set(cookie, "A".repeat(43));
    expect((await forged.post(step, { recovery_code: ofVictim[0] ?? "" })).status).toBe(401);

    const used = await firstStep("victim");
    const ticket = used.cookies.get(cookie) ?? "";
    expect((await used.post(step, { recovery_code: ofVictim[1] ?? "" })).status).toBe(200);
    const thief = server.anonymous();
    thief.cookies.set(cookie, ticket);
    expect((await thief.post(step, { recovery_code: ofVictim[2] ?? "" })).status).toBe(401);

    const waiting = await firstStep("victim");
    await victim.post("/api/v3/auth/password", { current_password: password, new_password: "another long one" });
    expect((await waiting.post(step, { recovery_code: ofVictim[3] ?? "" })).status).toBe(401);

    // A ticket is no session, and no token.
    const bearer = Object.assign(server.anonymous(), { headers: { authorization: `Bearer ${ticket}` } });
    expect((await bearer.get("/api/v3/projects/")).status).toBe(401);
    const swapped = server.anonymous();
    swapped.cookies.set("miranda_session", ticket);
    expect(await isSignedIn(swapped)).toBe(false);
  });

  it("lets one of two second steps at once in", async () => {
    const { codes } = await addApp(await server.signUp("twice"));
    const browser = await firstStep("twice");
    const answers = await Promise.all(codes.slice(0, 4).map((recovery_code) => browser.post(step, { recovery_code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("passkeys", () => {
  const signInPath = "/api/v3/auth/passkeys/sign_in";

  it("are refused when a response is replayed, from another origin, without user verification, or with an old counter", async () => {
    const { passkey } = await addPasskey(await server.signUp("keys"), server.url);
    const browser = server.anonymous();
    const tryWith = async (deviation = {}) =>
      browser.postJson(signInPath, passkey.respond(await challenge(browser, "passkeys/sign_in"), deviation));
    const refusals = [
      await tryWith({ origin: "https://evil.example" }),
      await tryWith({ isUnverified: true }),
      await tryWith({ userHandle: "0190a000-0000-7000-8000-000000000000" }),
    ];
    expect(refusals.map(({ status, text }) => [status, text])).toEqual(
      refusals.map(() => [403, "This passkey could not be verified. Nothing was changed."]),
    );
    expect(await isSignedIn(browser)).toBe(false);

    const answer = passkey.respond(await challenge(browser, "passkeys/sign_in"), { counter: 10 });
    const both = await Promise.all([1, 2].map(() => server.anonymous().postJson(signInPath, answer)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    expect((await server.anonymous().postJson(signInPath, answer)).text).toContain("took too long");
    // A copy counts from where it was copied.
    expect((await tryWith({ counter: 10 })).status).toBe(403);
    expect((await tryWith({ counter: 3 })).status).toBe(403);
    expect((await tryWith({ counter: 11 })).status).toBe(200);
  });

  it("do not respond to challenges that were made for something or somebody else", async () => {
    const person = await server.signUp("asked");
    const other = await server.signUp("other");
    const { passkey } = await addPasskey(person, server.url);
    const { passkey: foreign } = await addPasskey(other, server.url);
    const ofSignIn = await challenge(server.anonymous(), "passkeys/sign_in");
    expect((await person.postJson("/api/v3/auth/reauth", passkey.respond(ofSignIn))).status).toBe(403);
    // Another person's passkey proves nothing in this browser, and another person's challenge is refused here.
    expect(
      (await person.postJson("/api/v3/auth/reauth", foreign.respond(await challenge(person, "reauth")))).status,
    ).toBe(403);
    const ofOther = await challenge(other, "reauth");
    expect((await person.postJson("/api/v3/auth/reauth", passkey.respond(ofOther))).status).toBe(403);
    expect((await person.post("/api/v3/auth/access_tokens", { name: "No" })).status).toBe(400);

    const browser = await firstStep("asked");
    const ofStep = await challenge(browser, "second_step/passkey");
    expect((await browser.postJson(`${step}/passkey`, foreign.respond(ofStep))).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);

    // The same passkey cannot belong to two accounts.
    const toAdd = await challenge(other, "passkeys", { password });
    const stolen = passkey.register(toAdd, "Stolen");
    expect((await other.postJson("/api/v3/auth/passkeys", stolen)).status).toBe(403);
    const elsewhere = passkey.register(await challenge(other, "passkeys", { password }), "Elsewhere", {
      origin: "https://evil.example",
    });
    expect((await other.postJson("/api/v3/auth/passkeys", elsewhere)).status).toBe(403);
  });
});
