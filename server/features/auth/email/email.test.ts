import { errors } from "@miranda/contract/errors.ts";
import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { linkIn, type MailServer, startMailServer } from "../../../testing/mail-server.ts";
import type { TestClient } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

let post: MailServer;
let server: TestServer;
let admin: TestAccount;

beforeAll(async () => {
  post = await startMailServer();
  server = await startTestServer({ publicUrl: "https://miranda.test", mail: post.settings });
  admin = await server.signUp("admin");
  await post.next("admin@example.org");
});
afterAll(async () => {
  await server.close();
  await post.close();
});

const isUnconfirmed = async (client: TestClient) =>
  (await client.get("/api/v3/auth/")).json<AuthResponse>().account.email_unconfirmed;
const tokenFor = async (to: string) => linkIn(await post.next(to)).replace("/confirm/", "");
const confirm = (token: string) => server.anonymous().post("/api/v3/auth/email/confirm", { token });
const forgot = (username: string) => server.anonymous().post("/api/v3/auth/password/forgot", { username });

it("asks new people to confirm their address, and again for another one", async () => {
  const ada = await server.signUp("ada");
  expect(await isUnconfirmed(ada)).toBe(true);
  const mail = await post.next("ada@example.org");
  expect(mail.text).toContain("Hello Ada,");
  expect(mail.text).toContain("https://miranda.test/confirm/");
  const first = linkIn(mail).replace("/confirm/", "");
  expect((await ada.post("/api/v3/auth/email/send")).status).toBe(200);
  const second = await tokenFor("ada@example.org");
  // A new link ends the one before, and each works once.
  expect((await confirm(first)).text).toBe("This link is used up or too old. Ask for another one.");
  expect((await confirm(second)).status).toBe(200);
  expect((await confirm(second)).status).toBe(404);
  expect(await isUnconfirmed(ada)).toBe(false);

  await ada.patch("/api/v3/auth/account", { email: "ada@elsewhere.example", password });
  expect(await isUnconfirmed(ada)).toBe(true);
  const third = await tokenFor("ada@elsewhere.example");
  // The address changes again before the link is used: it confirms nothing.
  await ada.patch("/api/v3/auth/account", { email: "ada@third.example", password });
  const fourth = await tokenFor("ada@third.example");
  expect((await confirm(third)).status).toBe(404);
  expect(await isUnconfirmed(ada)).toBe(true);
  expect((await confirm(fourth)).status).toBe(200);
  expect(await isUnconfirmed(ada)).toBe(false);
});

it("sends at most five mails in an hour when asked again and again", async () => {
  const eager = await server.signUp("eager");
  const statuses = [];
  await post.next("eager@example.org");
  for (let i = 0; i < 6; i++) statuses.push((await eager.post("/api/v3/auth/email/send")).status);
  // Registering has sent the first one.
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
});

it("changes the address at most five times in an hour", async () => {
  const eve = await server.signUp("eve");
  await post.next("eve@example.org");
  const statuses = [];
  for (let at = 1; at <= 6; at++)
    statuses.push((await eve.patch("/api/v3/auth/account", { email: `eve${at}@example.org`, password })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await eve.get("/api/v3/auth/")).json<AuthResponse>().account.email).toBe("eve5@example.org");
  // An address that is taken counts too, so nobody learns who has an account.
  expect((await eve.patch("/api/v3/auth/account", { email: "ada@third.example", password })).status).toBe(429);
});

it("replaces a forgotten password by a link that works once", async () => {
  const grace = await server.signUp("grace");
  await post.next("grace@example.org");
  expect((await forgot("grace")).json()).toEqual({});
  const older = linkIn(await post.next("grace@example.org"));
  expect((await forgot("GRACE@example.org")).json()).toEqual({});
  const mail = await post.next("grace@example.org");
  expect(mail.text).toContain("your Miranda account grace");
  const use = (path: string, chosen: string) =>
    server
      .anonymous()
      .post("/api/v3/auth/password-link/use", { token: path.replace("/password/", ""), password: chosen });
  expect((await use(older, "the thief's choice")).status).toBeGreaterThanOrEqual(400);
  expect((await use(linkIn(mail), "a new long password")).status).toBe(200);
  expect((await use(linkIn(mail), "another long password")).status).toBeGreaterThanOrEqual(400);
  expect((await grace.get("/api/v3/auth/")).status).toBe(401);
  const signIn = (chosen: string) => server.anonymous().post("/api/v3/auth", { username: "grace", password: chosen });
  expect([(await signIn(password)).status, (await signIn("a new long password")).status]).toEqual([401, 200]);
});

it("leaves one link that works when two are asked for at once", async () => {
  const twin = await server.signUp("twin");
  await post.next("twin@example.org");
  await Promise.all([forgot("twin"), forgot("twin@example.org")]);
  await post.next("twin@example.org");
  await post.next("twin@example.org");
  const links = server.db.selectFrom("password_links").select("token_hash");
  expect(await links.where("account_id", "=", twin.account.id).execute()).toHaveLength(1);
});

it("answers the same for an unknown name and a disabled account, and sends nothing", async () => {
  const off = await server.signUp("off");
  await post.next("off@example.org");
  await server.db.updateTable("accounts").set({ disabled_at: new Date() }).where("id", "=", off.account.id).execute();
  const answers = [await forgot("nobody@example.org"), await forgot("off"), await forgot("admin")];
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(["200 {}"]));
  await post.next("admin@example.org");
  const asked = post.mails.filter(
    ({ to, subject }) => subject === "Set a new password" && to[0] !== "admin@example.org",
  );
  expect(asked.map(({ to }) => to[0])).toEqual([
    "grace@example.org",
    "grace@example.org",
    "twin@example.org",
    "twin@example.org",
  ]);
  const events = await server.db.selectFrom("audit_log").select("kind").where("kind", "=", "password.forgot").execute();
  expect(events).toHaveLength(5);
});

it("ends password links when the password or the address changes", async () => {
  const lin = await server.signUp("lin");
  await post.next("lin@example.org");
  const linkTo = async (address: string) => {
    await forgot("lin");
    return linkIn(await post.next(address)).replace("/password/", "");
  };
  const use = (token: string) =>
    server.anonymous().post("/api/v3/auth/password-link/use", { token, password: "the thief's choice" });
  const first = await linkTo("lin@example.org");
  const changed = { current_password: password, new_password: "a new long password" };
  expect((await lin.post("/api/v3/auth/password", changed)).status).toBe(200);
  expect((await use(first)).text).toBe(errors.password_link_ended);

  const second = await linkTo("lin@example.org");
  const elsewhere = { email: "lin@elsewhere.example", password: changed.new_password };
  expect((await lin.patch("/api/v3/auth/account", elsewhere)).status).toBe(200);
  expect((await use(second)).text).toBe(errors.password_link_ended);
  const signIn = { username: "lin", password: changed.new_password };
  expect((await server.anonymous().post("/api/v3/auth", signIn)).status).toBe(200);
});

it("limits how often a name is asked for, whether or not there is such an account", async () => {
  const statuses = async (name: string) => {
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push((await forgot(name)).status);
    return answers;
  };
  await server.signUp("often");
  const expected = [200, 200, 200, 200, 200, 429];
  expect([await statuses("often"), await statuses("no-such-name")]).toEqual([expected, expected]);
});

it("lets nobody in with an address of the domain that they cannot read", async () => {
  const { version } = (await admin.get("/api/v3/admin/settings")).json<{ version: number }>();
  const rule = { version, registration: "domains", registration_domains: JSON.stringify(["acme.example"]) };
  const changed = await admin.patch("/api/v3/admin/settings", rule);
  expect(changed.status).toBe(200);
  const stranger = server.anonymous();
  const person = { username: "boss", email: "boss@acme.example", first_name: "B", last_name: "B", password };
  const answer = await stranger.post("/api/v3/auth/register", person);
  expect([answer.status, answer.text]).toEqual([403, errors.confirm_email_first]);
  await post.next("boss@acme.example");
  // With the right password, too. Another mail is sent.
  expect((await stranger.post("/api/v3/auth", { username: "boss", password })).status).toBe(403);
  expect((await stranger.get("/api/v3/auth/")).status).toBe(401);
  expect((await confirm(await tokenFor("boss@acme.example"))).status).toBe(200);
  expect((await stranger.post("/api/v3/auth", { username: "boss", password })).status).toBe(200);
});
