import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";

import { openCipher } from "../platform/cipher.ts";
import { openDatabase } from "../platform/database/database.ts";
import { applicationRole } from "../platform/database/postgres/postgres-roles.ts";
import { runCommand } from "../testing/operations/commands.ts";
import { type ServerProcess, startServerProcess } from "../testing/server-process.ts";
import { TestClient } from "../testing/test-client.ts";
import { password } from "../testing/test-server.ts";

const passphrase = "four words for backups";
let folder: string;
let archive: string;
let running: ServerProcess;
const old = () => join(folder, "old");

const people = ["lead", "designer", "engineer"];
const person = (username: string) => ({
  ...{ username, email: `${username}@example.org`, first_name: "A", last_name: "B", password },
});
const signIn = (url: string, username: string) => new TestClient(url).post("/api/v3/auth", { username, password });

async function setUp(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "miranda-backup-"));
  archive = join(folder, "all.zip");
  running = await startServerProcess({ MIRANDA_DATA: old() });
  const lead = new TestClient(running.url);
  for (const name of people)
    expect((await new TestClient(running.url).post("/api/v3/auth/register", person(name))).status).toBe(200);
  await lead.post("/api/v3/auth", { username: "lead", password });
  const project = (await lead.post("/api/v3/projects/", { name: "Tides", description: "" })).json<{ id: string }>();
  expect(
    (await lead.post("/api/v3/secrets", { key: "HARBOUR", value: "low water", project_id: project.id })).status,
  ).toBeLessThan(300);
  const files = join(old(), "storage", project.id);
  await mkdir(join(files, "empty"), { recursive: true });
  await writeFile(join(files, "odd \\ name\n.csv"), "height\n3\n");
  await symlink("odd \\ name\n.csv", join(files, "newest"));
  // What node code could leave to be read with the rights of the server.
  await symlink("/etc/passwd", join(files, "stolen"));
  const made = await runCommand("backup", { MIRANDA_DATA: old(), MIRANDA_BACKUP_PASSPHRASE: passphrase }, [archive]);
  expect(made).toMatchObject({ code: 0 });
  expect(made.output).toContain("It was read back.");
  expect(made.output).toContain(
    "It does not contain volumes of containers, files in S3 buckets, or folders of sessions.",
  );
  expect(made.output).toContain("1 files were not there or could not be copied");
}
beforeAll(setUp, 120_000);
afterAll(async () => {
  await running.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
});

const backupsIn = async (lead: TestClient): Promise<string[]> =>
  (await lead.get("/api/v3/admin/audit?kind=backup")).json<AuditPage>().events.map(({ sentence }) => sentence);

const entries = async (path: string) => (await readdir(path, { recursive: true }).catch((): string[] => [])).sort();

it(
  "restores a running installation elsewhere, where everybody signs in and secrets open",
  { timeout: 120_000 },
  async () => {
    const target = join(folder, "new");
    const restored = await runCommand("restore", { MIRANDA_DATA: target, MIRANDA_BACKUP_PASSPHRASE: passphrase }, [
      archive,
    ]);
    expect(restored).toMatchObject({ code: 0 });
    const [project = ""] = await readdir(join(target, "storage"));
    expect(await readFile(join(target, "storage", project, "odd \\ name\n.csv"), "utf8")).toBe("height\n3\n");
    expect(await readlink(join(target, "storage", project, "newest"))).toBe("odd \\ name\n.csv");
    expect((await readdir(join(target, "storage", project))).sort()).toEqual(["empty", "newest", "odd \\ name\n.csv"]);
    expect(await readFile(join(target, "secret-key"))).toEqual(await readFile(join(old(), "secret-key")));

    const copy = await startServerProcess({ MIRANDA_DATA: target });
    onTestFinished(() => copy.kill("SIGTERM"));
    for (const name of people) expect((await signIn(copy.url, name)).status).toBe(200);
    // Numbers go on where they were.
    const lead = new TestClient(copy.url);
    await lead.post("/api/v3/auth", { username: "lead", password });
    expect((await backupsIn(lead))[0]).toMatch(/^The operator restored the backup of \d{4}-/);
    const original = new TestClient(running.url);
    await original.post("/api/v3/auth", { username: "lead", password });
    expect((await backupsIn(original)).at(-1)).toBe("The operator made a backup with the command");
    expect((await lead.post("/api/v3/projects/", { name: "Next", description: "" })).status).toBeLessThan(300);

    const again = await runCommand("restore", { MIRANDA_DATA: target, MIRANDA_BACKUP_PASSPHRASE: passphrase }, [
      archive,
    ]);
    expect(again.code).toBe(1);
    expect(again.output).toMatch(/in use by another Miranda \(process \d+\)\. Stop it first\. Nothing was changed\./);
    expect((await signIn(copy.url, "lead")).status).toBe(200);
  },
);

it(
  "restores into a database of your own, keeps what was there aside, and finishes a restore that was cut",
  { timeout: 120_000 },
  async () => {
    const name = `restored_${Date.now()}`;
    const admin = new pg.Client({ connectionString: inject("databaseAdminUrl") });
    await admin.connect();
    await admin.query(`create database ${name} owner ${applicationRole}`);
    const url = inject("databaseUrl").replace(/\/miranda$/, `/${name}`);
    const database = openDatabase(url, 2, () => undefined, "test");
    onTestFinished(async () => {
      await database.close();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    });
    const settings = { DATABASE_URL: url, MIRANDA_BACKUP_PASSPHRASE: passphrase };
    const first = await runCommand("restore", { ...settings, MIRANDA_DATA: join(folder, "first") }, [archive]);
    expect(first).toMatchObject({ code: 0 });
    const cipher = await openCipher(join(folder, "first"), undefined);
    const { value } = await database.db.selectFrom("secrets").select("value").executeTakeFirstOrThrow();
    expect(cipher.decrypt(value)).toBe("low water");
    // What triggers count was not counted twice, and the audit log refuses changes again.
    await expect(database.pool.query("truncate audit_log")).rejects.toThrow("cannot be changed");
    await expect(
      database.pool.query(
        "insert into sessions (token_hash, account_id, expires_at) values ('x', gen_random_uuid(), now())",
      ),
    ).rejects.toThrow("foreign key");

    const refused = await runCommand("restore", { ...settings, MIRANDA_DATA: join(folder, "second") }, [archive]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain("The database of DATABASE_URL is not empty.");
    expect(await entries(join(folder, "second"))).toEqual([]);
    const server = openDatabase(url, 1, () => undefined);
    await server.pool.query("select 1");
    const inUse = await runCommand("restore", { ...settings, MIRANDA_DATA: join(folder, "second") }, [
      archive,
      "--replace",
    ]);
    expect(inUse.output).toContain("A server uses the database of DATABASE_URL. Stop it first. Nothing was changed.");
    await server.close();

    await database.pool.query("delete from accounts where username = 'engineer'");
    const replaced = await runCommand("restore", { ...settings, MIRANDA_DATA: join(folder, "first") }, [
      archive,
      "--replace",
    ]);
    expect(replaced).toMatchObject({ code: 0, output: expect.stringContaining("Restored") });
    expect(replaced.output).toMatch(/What was there before is in the schema before_restore_\d+ of the database/);
    expect(replaced.output).toMatch(/What was there before is in .*before-restore-\d+/);
    expect(await database.db.selectFrom("accounts").select("username").execute()).toHaveLength(3);

    // The mark of a restore that was killed.
    await database.pool.query("create table restore_unfinished (since timestamptz)");
    const refusal = await runCommand("backup", { DATABASE_URL: url, MIRANDA_DATA: join(folder, "first") });
    expect(refusal.code).toBe(0);
    const finished = await runCommand("restore", { ...settings, MIRANDA_DATA: join(folder, "third") }, [archive]);
    expect(finished).toMatchObject({ code: 0 });
  },
);

it.each([
  ["without its key", {}, "The secret key of the archive is missing. Set MIRANDA_BACKUP_PASSPHRASE"],
  ["with a wrong passphrase", { MIRANDA_BACKUP_PASSPHRASE: "another passphrase" }, "The passphrase is wrong"],
  [
    "with another key in the settings",
    { MIRANDA_BACKUP_PASSPHRASE: passphrase, MIRANDA_SECRET_KEY: "another key of 16" },
    "MIRANDA_SECRET_KEY is another key",
  ],
])("refuses an archive %s and changes nothing", async (_name, settings, words) => {
  const target = await mkdtemp(join(folder, "refused-"));
  const refused = await runCommand("restore", { MIRANDA_DATA: target, ...settings }, [archive]);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(words);
  expect(await entries(target)).toEqual([]);
});

it("refuses an archive that was cut, a folder that is not empty, and a file that is there", async () => {
  const target = await mkdtemp(join(folder, "refused-"));
  const settings = { MIRANDA_DATA: target, MIRANDA_BACKUP_PASSPHRASE: passphrase };
  const cut = join(folder, "cut.zip");
  const whole = await readFile(archive);
  await writeFile(cut, whole);
  await truncate(cut, whole.length - 100);
  expect(await runCommand("restore", settings, [cut])).toMatchObject({
    code: 1,
    output: expect.stringContaining("or it was cut. Nothing was changed."),
  });
  expect(await runCommand("restore", settings, [join(folder, "none.zip")])).toMatchObject({
    code: 1,
    output: expect.stringContaining("There is no file"),
  });
  expect(await entries(target)).toEqual([]);
  await writeFile(join(target, "secret-key"), "mine");
  expect(await runCommand("restore", settings, [archive])).toMatchObject({
    code: 1,
    output: expect.stringContaining("is not empty. Name another folder"),
  });
  expect(await readFile(join(target, "secret-key"), "utf8")).toBe("mine");
  expect(await runCommand("backup", { MIRANDA_DATA: old() }, [archive])).toMatchObject({
    code: 1,
    output: expect.stringContaining("exists already"),
  });
  expect((await readFile(archive)).equals(whole)).toBe(true);
});
