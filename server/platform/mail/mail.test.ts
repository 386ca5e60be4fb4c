import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { linkIn, type MailServer, startMailServer } from "../../testing/mail-server.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { openCipher } from "../cipher.ts";
import { createRateLimits } from "../limits/rate-limits.ts";
import { readConfig } from "../settings/config.ts";
import { createMail, type Mail } from "./mail.ts";

let server: TestServer;
let post: MailServer;
let mail: Mail;
const problems: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  post = await startMailServer();
  mail = createMail({
    settings: post.settings,
    publicUrl: "https://miranda.example/",
    db: server.db,
    cipher: await openCipher(server.dataFolder, "a key of sixteen"),
    rateLimits: createRateLimits(server.db),
    report: (error) => problems.push(String(error)),
  });
  mail.start();
});
afterAll(async () => {
  await mail.close();
  await post.close();
  await server.close();
});

const waiting = () => server.db.selectFrom("mails").selectAll().execute();

const patience = { timeout: 20_000 };

it("sends plain texts with long links and letters of all languages, and forgets them", async () => {
  const link = mail.linkTo(`/password/${"a".repeat(120)}`);
  await mail.send({ to: "zoe@example.org", subject: "Grüße", text: `Hello Zoë = 1,\n\n${link}\n` });
  const got = await post.next("zoe@example.org");
  expect(got).toMatchObject({
    from: "miranda@example.org",
    text: expect.stringContaining(`Hello Zoë = 1,\n\n${link}`),
  });
  expect(linkIn(got)).toBe(`/password/${"a".repeat(120)}`);
  expect(got.raw).toContain("Auto-Submitted: auto-generated");
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), patience);
});

it("keeps a mail, sealed, while the mail server refuses, and drops one that it never takes", async () => {
  post.refuseWith({ code: 451, words: "later, for late@example.org" });
  await mail.send({ to: "late@example.org", subject: "Later", text: "A very secret link" });
  const row = await vi.waitFor(async () => {
    const [one] = await waiting();
    expect(problems.at(-1)).toBe("Error: A mail could not be sent (try 1): EENVELOPE 451");
    expect(one?.due_at.getTime()).toBeLessThan(Date.now() + 60_000);
    return one;
  }, patience);
  expect(String(row?.content)).not.toContain("secret");
  post.refuseWith(undefined);
  await server.db.updateTable("mails").set({ due_at: new Date() }).execute();
  mail.wake();
  expect((await post.next("late@example.org")).text).toContain("A very secret link");
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), patience);

  post.refuseWith({ code: 550, words: "no such person" });
  await mail.send({ to: "never@example.org", subject: "Never", text: "x" });
  await vi.waitFor(() => expect(problems.at(-1)).toContain("(try 1, the last): EENVELOPE 550"), patience);
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), patience);
  post.refuseWith(undefined);
});

it.each([
  { to: "a@example.org\r\nBcc: b@example.org", subject: "x", text: "x" },
  { to: "a@example.org", subject: "x\nBcc: b@example.org", text: "x" },
  { to: "a@example.org, b@example.org", subject: "x", text: "x" },
  { to: "a@example.org", subject: "", text: "x" },
])("refuses headers and further addresses in $to $subject", async (message) => {
  await expect(mail.send(message)).rejects.toThrow("This mail cannot be sent.");
  expect(await waiting()).toEqual([]);
});

it("allows few mails to an address in an hour, and counts each purpose for itself", async () => {
  for (let i = 0; i < 5; i++) await mail.allow("invitation", "Flood@example.org");
  await expect(mail.allow("invitation", "Flood@example.org")).rejects.toThrow("Too many attempts.");
  await expect(mail.allow("invitation", "flood@EXAMPLE.org")).rejects.toThrow("Too many attempts.");
  await mail.allow("password", "flood@example.org");
});

it("needs an address to come from, and one for its links", () => {
  const smtp = { MIRANDA_SMTP_URL: "smtp://127.0.0.1" };
  expect(() => readConfig(smtp)).toThrow("needs MIRANDA_MAIL_FROM");
  expect(() => readConfig({ ...smtp, MIRANDA_MAIL_FROM: "a@b.c" })).toThrow("needs PUBLIC_URL");
  const whole = { ...smtp, PUBLIC_URL: "https://m.example", MIRANDA_MAIL_FROM: "The team <a@b.c>" };
  expect(readConfig(whole).mail?.from).toEqual({ name: "The team", address: "a@b.c" });
  expect(() => readConfig({ ...whole, MIRANDA_SMTP_URL: "http://127.0.0.1" })).toThrow("MIRANDA_SMTP_URL is wrong");
});
