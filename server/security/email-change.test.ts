import { afterAll, beforeAll, expect, it } from "vitest";

import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";

import type { TestClient } from "../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../testing/test-server.ts";

// Somebody at a signed-in browser must not take over the account by changing its e-mail.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.signUp("admin");
});
afterAll(() => server.close());

const account = "/api/v3/auth/account";
const emailOf = async (client: TestClient) => (await client.get("/api/v3/auth/")).json<AuthResponse>().account.email;

it("refuses another e-mail without the password, and changes nothing", async () => {
  const client = await server.signUp("ada");
  for (const extra of [{}, { password: "" }]) {
    const answer = await client.patch(account, { email: "thief@example.org", first_name: "Thief", ...extra });
    expect([answer.status, answer.text]).toEqual([403, "Enter your password to change your e-mail."]);
  }
  const wrong = await client.patch(account, { email: "thief@example.org", first_name: "Thief", password: "a guess" });
  expect([wrong.status, wrong.text]).toEqual([403, "Wrong password."]);
  const { account: now } = (await client.get("/api/v3/auth/")).json<AuthResponse>();
  expect(now).toMatchObject({ email: "ada@example.org", first_name: "Ada" });
});

it("changes the e-mail with the password, and signs in with the new one", async () => {
  const client = await server.signUp("grace");
  const answer = await client.patch(account, { email: "grace@navy.example", password });
  expect(answer.json<AuthResponse>().account.email).toBe("grace@navy.example");
  const again = server.anonymous();
  expect((await again.post("/api/v3/auth", { username: "grace@navy.example", password })).status).toBe(200);
  expect((await again.post("/api/v3/auth", { username: "grace@example.org", password })).status).toBe(401);
});

it("needs no password when the e-mail stays the same", async () => {
  const client = await server.signUp("hedy");
  const answer = await client.patch(account, { email: "hedy@example.org", first_name: "Hedwig" });
  expect(answer.json<AuthResponse>().account).toMatchObject({ email: "hedy@example.org", first_name: "Hedwig" });
});

it("does not store the password that was sent along", async () => {
  const client = await server.signUp("joan");
  expect((await client.patch(account, { first_name: "Joan", password: "another password" })).status).toBe(200);
  const again = server.anonymous();
  expect((await again.post("/api/v3/auth", { username: "joan", password: "another password" })).status).toBe(401);
  expect((await again.post("/api/v3/auth", { username: "joan", password })).status).toBe(200);
});

it("reveals whether an e-mail has an account only with the password", async () => {
  const client = await server.signUp("mary");
  const answer = await client.patch(account, { email: "admin@example.org", password: "a guess" });
  expect([answer.status, answer.text]).toEqual([403, "Wrong password."]);
  expect((await client.patch(account, { email: "admin@example.org", password })).status).toBe(409);
  expect(await emailOf(client)).toBe("mary@example.org");
});

it("counts guesses together with those at the password and at tokens, and stops them", async () => {
  const client = await server.signUp("lise");
  const guess = () => client.patch(account, { email: "thief@example.org", password: "a guess" });
  for (let guesses = 0; guesses < 5; guesses++) expect((await guess()).status).toBe(403);
  for (let guesses = 0; guesses < 5; guesses++)
    await client.post("/api/v3/auth/access_tokens", { web_password: "a guess" });
  const refused = await guess();
  expect(refused.status).toBe(429);
  expect(refused.text).toMatch(/^Too many attempts\./);
  // By now the right password is refused too, here and in other calls.
  expect((await client.patch(account, { email: "thief@example.org", password })).status).toBe(429);
  const body = { current_password: password, new_password: "another long one" };
  expect((await client.post("/api/v3/auth/password", body)).status).toBe(429);
  expect(await emailOf(client)).toBe("lise@example.org");
});

it("refuses an access token, with the password or without", async () => {
  const client = await server.signUp("rosa");
  const { token } = (await client.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
    token: string;
  }>();
  const program = server.anonymous();
  program.headers = { authorization: `Bearer ${token}` };
  expect((await program.patch(account, { email: "thief@example.org", password })).status).toBe(403);
  expect(await emailOf(client)).toBe("rosa@example.org");
});
