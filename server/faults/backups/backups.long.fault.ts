import type { Health } from "@miranda/contract/schemas/operations/health.ts";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { runCommand, startCommand } from "../../testing/operations/commands.ts";
import { type ServerProcess, startServerProcess } from "../../testing/server-process.ts";
import { TestClient } from "../../testing/test-client.ts";
import { password } from "../../testing/test-server.ts";
import { smallDisk } from "../small-disk.ts";

const passphrase = { MIRANDA_BACKUP_PASSPHRASE: "four words for backups" };
const account = { username: "lead", email: "lead@example.org", first_name: "A", last_name: "B", password };
let folder: string;
let server: ServerProcess;
const data = () => join(folder, "data");
const settings = () => ({ MIRANDA_DATA: data(), ...passphrase });

async function setUp(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "miranda-cut-"));
  server = await startServerProcess({ MIRANDA_DATA: data() });
  expect((await new TestClient(server.url).post("/api/v3/auth/register", account)).status).toBe(200);
  await mkdir(join(data(), "storage", "p"), { recursive: true });
  for (let at = 0; at < 20; at += 1)
    await writeFile(join(data(), "storage", "p", `${at}.bin`), randomBytes(10_000_000));
}
beforeAll(setUp, 120_000);
afterAll(async () => {
  await server.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
});

const signIn = async () =>
  (await new TestClient(server.url).post("/api/v3/auth", { username: "lead", password })).status;
const grown = async (path: string) => ((await stat(path).catch(() => undefined))?.size ?? 0) > 20_000_000;

it("marks a killed backup as failed and makes the next one", { timeout: 120_000 }, async () => {
  const target = join(folder, "cut.zip");
  const { child, ended } = startCommand("backup", settings(), [target]);
  await expect.poll(() => grown(`${target}.part`), { timeout: 60_000, interval: 5 }).toBe(true);
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(target)).toBe(false);
  const refused = await runCommand("restore", { MIRANDA_DATA: join(folder, "none"), ...passphrase }, [
    `${target}.part`,
  ]);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("or it was cut. Nothing was changed.") });
  const lead = new TestClient(server.url);
  expect((await lead.post("/api/v3/auth", { username: "lead", password })).status).toBe(200);
  const { backup } = (await lead.get("/api/v3/admin/health")).json<Health>();
  expect(backup.recent).toMatchObject([{ state: "FAILED", problem: "Its process ended before it was done." }]);
  expect(await runCommand("backup", settings(), [target])).toMatchObject({ code: 0 });
  expect(existsSync(`${target}.part`)).toBe(false);
});

it.skipIf(process.getuid?.() !== 0)(
  "leaves no archive on a disk that is full, and the server goes on",
  { timeout: 120_000 },
  async () => {
    const disk = smallDisk(60);
    const full = await runCommand("backup", { ...settings(), MIRANDA_DISK_RESERVE_MB: "0" }, [join(disk, "all.zip")]);
    expect(full).toMatchObject({ code: 1, output: expect.stringContaining("is full. No archive was left there.") });
    const almost = await runCommand("backup", { ...settings(), MIRANDA_DISK_RESERVE_MB: "30" }, [
      join(disk, "all.zip"),
    ]);
    expect(almost).toMatchObject({
      code: 1,
      output: expect.stringContaining("is almost full. No archive was left there."),
    });
    expect(await readdir(disk)).toEqual([]);
    const small = await runCommand("restore", { MIRANDA_DATA: join(disk, "data"), ...passphrase }, [
      join(folder, "cut.zip"),
    ]);
    expect(small).toMatchObject({ code: 1, output: expect.stringContaining("has too little room") });
    expect(await signIn()).toBe(200);
  },
);

it("leaves the old installation as it was when a restore over it is killed", { timeout: 120_000 }, async () => {
  await server.kill("SIGTERM");
  const before = (await readdir(data())).sort();
  const { child, ended } = startCommand("restore", settings(), [join(folder, "cut.zip"), "--replace"]);
  await expect
    .poll(() => existsSync(join(data(), "restoring", "postgres", "cluster")), { timeout: 60_000, interval: 5 })
    .toBe(true);
  child.kill("SIGKILL");
  await ended;
  const names = (await readdir(data())).filter((name) => name !== "restoring" && name !== "miranda.lock");
  expect(names.sort()).toEqual(before);
  server = await startServerProcess({ MIRANDA_DATA: data() });
  expect(await signIn()).toBe(200);
  await server.kill("SIGTERM");
  // The next one finishes.
  expect(await runCommand("restore", settings(), [join(folder, "cut.zip"), "--replace"])).toMatchObject({ code: 0 });
  server = await startServerProcess({ MIRANDA_DATA: data() });
  expect(await signIn()).toBe(200);
});
