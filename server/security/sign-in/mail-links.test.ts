import { sql } from "kysely";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { linkIn, type MailServer, startMailServer } from "../../testing/mail-server.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

// Links in mails let people in: forgotten passwords, and addresses to confirm.

let post: MailServer;
let server: TestServer;

beforeAll(async () => {
  post = await startMailServer();
  server = await startTestServer({ publicUrl: "https://miranda.test", mail: post.settings, trustProxy: true });
  await server.signUp("admin");
});
afterAll(async () => {
  await server.close();
  await post.close();
});

const forgot = (username: string, headers: Record<string, string> = {}) =>
  server.anonymous().send("POST", "/api/v3/auth/password/forgot", new URLSearchParams({ username }), headers);
const use = (token: string, chosen: string) =>
  server.anonymous().post("/api/v3/auth/password-link/use", { token, password: chosen });

it("never lets a request choose where a link leads", async () => {
  await server.signUp("host");
  await post.next("host@example.org");
  const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" };
  expect((await forgot("host", forwarded)).status).toBe(200);
  const { raw, text } = await post.next("host@example.org");
  expect(text).toContain("https://miranda.test/password/");
  expect(raw).not.toContain("evil.example");
});

it("stores no link that could be used: they are hashed, and mails that wait are sealed", async () => {
  await server.signUp("sealed");
  await post.next("sealed@example.org");
  post.refuseWith({ code: 451, words: "later" });
  await forgot("sealed");
  const waiting = () => server.db.selectFrom("mails").selectAll().execute();
  await vi.waitFor(async () => expect((await waiting())[0]?.tries).toBe(1), { timeout: 20_000 });
  post.refuseWith(undefined);
  const { rows } = await sql<{ row: string }>`
    select mails::text as row from mails union all select password_links::text from password_links
    union all select email_confirmations::text from email_confirmations union all select audit_log::text from audit_log`.execute(
    server.db,
  );
  const stored = rows.map(({ row }) => row).join("\n");
  await server.db.updateTable("mails").set({ due_at: new Date() }).execute();
  const token = linkIn(await post.next("sealed@example.org")).replace("/password/", "");
  expect(stored).not.toContain(token);
  expect(stored).not.toContain(Buffer.from(token).toString("hex"));
  expect((await use(token, "a new long password")).status).toBe(200);
});

it("gives an account to one of two who use a link at once", async () => {
  await server.signUp("twice");
  await post.next("twice@example.org");
  await forgot("twice");
  const token = linkIn(await post.next("twice@example.org")).replace("/password/", "");
  const choices = ["the first new password", "the second new password"];
  const answers = await Promise.all(choices.map((chosen) => use(token, chosen)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const won = choices[answers.findIndex(({ status }) => status === 200)] ?? "";
  expect((await server.anonymous().post("/api/v3/auth", { username: "twice", password: won })).status).toBe(200);
});

it("keeps names from adding lines or links to a mail", async () => {
  const first_name = "Eve\r\nBcc: all@example.org\r\n\r\nClick http://evil.example/now";
  const body = { username: "eve", email: "eve@example.org", first_name, last_name: "E", password };
  expect((await server.anonymous().post("/api/v3/auth/register", body)).status).toBe(200);
  const { to, text, raw } = await post.next("eve@example.org");
  expect(to).toEqual(["eve@example.org"]);
  expect(text).toMatch(/^Hello Eve Bcc all@example org Click http evil example now,$/m);
  expect(raw).not.toMatch(/^Bcc:/m);
});

it("keeps a password link while no other may be mailed, and lets no invitation use up its mails", async () => {
  const admin = server.anonymous();
  await admin.post("/api/v3/auth", { username: "admin", password });
  await server.signUp("target");
  await post.next("target@example.org");
  const invite = () => admin.post("/api/v3/admin/invitations", { email: "Target@example.org" });
  const statuses = [];
  for (let at = 0; at < 6; at++) statuses.push((await invite()).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await server.db.selectFrom("invitations").select("id").execute()).toHaveLength(5);
  for (let at = 0; at < 5; at++) await post.next("Target@example.org");

  await forgot("target");
  const token = linkIn(await post.next("target@example.org")).replace("/password/", "");
  await sql`update attempts set count = 20 where key like '["mail","password"%'`.execute(server.db);
  const links = () => server.db.selectFrom("password_links").select("token_hash").execute();
  const before = await links();
  expect((await forgot("target")).status).toBe(200);
  // A later mail of another purpose arrives: the one before was not sent.
  await server.signUp("later");
  await post.next("later@example.org");
  expect(await links()).toEqual(before);
  expect((await use(token, "a new long password")).status).toBe(200);
});

it("stops guessing of links", async () => {
  const guess = (token: string) => server.anonymous().post("/api/v3/auth/email/confirm", { token });
  const statuses = [];
  for (let i = 0; i < 61; i++) statuses.push((await guess(`guess ${i}`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
});
