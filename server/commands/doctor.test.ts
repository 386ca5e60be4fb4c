import { sql } from "kysely";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { findRedis } from "../../scripts/redis.ts";
import { openRedis } from "../platform/redis.ts";
import { startMailServer } from "../testing/mail-server.ts";
import { runCommand } from "../testing/operations/commands.ts";
import { startProvider } from "../testing/services/oidc-provider.ts";
import { TestRedis } from "../testing/services/redis.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const examine = (given: Record<string, string> = {}) =>
  runCommand("doctor", { DATABASE_URL: server.databaseUrl, MIRANDA_DATA: server.dataFolder, ...given });

it.each([
  ["a setting that is wrong", { PORT: "many" }, "PROBLEM  Settings: The setting PORT is wrong"],
  ["a database that does not answer", { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, "PROBLEM  Database"],
  ["a port that is taken, and no folder", {}, "warning  Data folder"],
])("examines an installation with %s", async (_name, given, words) => {
  const folder = await mkdtemp(join(tmpdir(), "miranda-doctor-"));
  const { port } = new URL(server.url);
  const doctor = await runCommand("doctor", { MIRANDA_DATA: join(folder, "none"), PORT: port, ...given });
  expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining(words) });
  if (!("PORT" in given) && !("DATABASE_URL" in given)) expect(doctor.output).toContain("PROBLEM  Port");
  await rm(folder, { recursive: true });
});

it("finds nothing wrong with a healthy installation", async () => {
  const doctor = await examine();
  expect(doctor).toMatchObject({ code: 0, output: expect.stringContaining("Nothing is wrong.") });
  expect(doctor.output).toContain("Backup: there is none");
});

it("finds a key that is damaged", async () => {
  const file = join(server.dataFolder, "secret-key");
  const key = await readFile(file);
  await writeFile(file, "short");
  expect(await examine()).toMatchObject({ code: 1, output: expect.stringContaining("secret-key is damaged") });
  await writeFile(file, key);
});

it("finds a database that a newer version has used", async () => {
  await sql`insert into schema_migrations (name) values ('9999-tomorrow.sql')`.execute(server.db);
  const words = "PROBLEM  Migrations: the database was used by a newer Miranda (it has 9999-tomorrow.sql)";
  expect(await examine()).toMatchObject({ code: 1, output: expect.stringContaining(words) });
  await sql`delete from schema_migrations where name = '9999-tomorrow.sql'`.execute(server.db);
});

describe.skipIf(!findRedis())("mail, Redis and providers", () => {
  const password = "a password of the operator";
  const smtp = (address: string, secret: string) =>
    address.replace("smtp://", `smtp://mailer:${encodeURIComponent(secret)}@`);

  const acme = (issuer: string, client_secret: string | undefined) => ({
    ...{ id: "acme", name: "Acme", issuer, client_id: "miranda", client_secret },
  });

  async function startServices() {
    const mail = await startMailServer({ user: "mailer", password });
    const redis = await TestRedis.open();
    const opened = await openRedis(redis.url, () => undefined);
    await opened.client.configSet("requirepass", password);
    await opened.close();
    const provider = await startProvider(server.url);
    const close = async () => void (await Promise.all([mail.close(), redis.close(), provider.close()]));
    const settings = (secret: string) => ({
      PUBLIC_URL: server.url,
      MIRANDA_SECRET_KEY: "the same key for every server",
      MIRANDA_MAIL_FROM: "miranda@example.org",
      MIRANDA_SMTP_URL: smtp(mail.settings.smtpUrl, secret),
      REDIS_URL: redis.url.replace("redis://", `redis://:${encodeURIComponent(secret)}@`),
      MIRANDA_OIDC_PROVIDERS: JSON.stringify([
        acme(provider.settings.issuer, secret === password ? provider.settings.clientSecret : secret),
        // The provider calls itself by its address without the slash.
        ...(secret === password ? [] : [{ ...acme(`${provider.settings.issuer}/`, secret), id: "slash" }]),
      ]),
    });
    return { settings, close };
  }

  it("says that they answer", async () => {
    const { settings, close } = await startServices();
    onTestFinished(close);
    const doctor = await examine(settings(password));
    expect(doctor).toMatchObject({ code: 0, output: expect.stringContaining("Nothing is wrong.") });
    expect(doctor.output).toContain("Mail: the mail server accepts us");
    expect(doctor.output).toContain("Redis: answers");
    expect(doctor.output).toContain("Provider acme: answers");
  });

  it("says which of them refuse the settings, and prints no password", async () => {
    const { settings, close } = await startServices();
    onTestFinished(close);
    const doctor = await examine(settings("a wrong password"));
    expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining("4 problems.") });
    expect(doctor.output).toMatch(/PROBLEM {2}Provider slash: it calls itself http:\/\/127\.0\.0\.1:\d+\n/);
    expect(doctor.output).toMatch(/PROBLEM {2}Mail: .*the password is wrong\n.*Correct MIRANDA_SMTP_URL/);
    expect(doctor.output).toMatch(/PROBLEM {2}Redis: .*WRONGPASS.*\n.*correct REDIS_URL/);
    expect(doctor.output).toMatch(
      /PROBLEM {2}Provider acme: it refuses the client.*\n.*Correct client_id and client_secret/,
    );
    expect(doctor.output).not.toMatch(/a(?: |%20)wrong(?: |%20)password/);
  });

  it("says which of them do not answer", async () => {
    const { settings, close } = await startServices();
    const given = settings(password);
    await close();
    const doctor = await examine(given);
    expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining("3 problems.") });
    expect(doctor.output).toMatch(/PROBLEM {2}Mail: .*ECONNREFUSED/);
    expect(doctor.output).toMatch(/PROBLEM {2}Redis: REDIS_URL cannot be used/);
    expect(doctor.output).toMatch(/PROBLEM {2}Provider acme: \S+openid-configuration does not answer/);
    expect(doctor.output).not.toContain(password);
  });
});
