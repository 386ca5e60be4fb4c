import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { Manifest } from "../../platform/backup/archive-format.ts";
import { makeBackup } from "../../platform/backup/backup.ts";
import { restore } from "../../platform/backup/restore.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";

// Files of node code: none of them may make a backup fail, and none is lost without a word.

const migrations = resolve(import.meta.dirname, "..", "..", "migrations");
const key = randomBytes(32);
const separators = "line\u2028paragraph\u2029next\u0085\r.csv";
const notText = Buffer.from([0xff, 0xfe]);
let folder: string;
let archive: string;
let database: TestDatabase;
let manifest: Manifest;

/** Makes nested folders one by one: their whole path is longer than the system accepts. */
async function nest(from: string, name: string, levels: number): Promise<void> {
  let at = await open(from);
  for (let level = 0; level < levels; level += 1) {
    const next = `/proc/self/fd/${at.fd}/${name}`;
    await mkdir(next);
    await writeFile(`${next}/file`, String(level));
    const inner = await open(next);
    await at.close();
    at = inner;
  }
  await at.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-hostile-"));
  archive = join(folder, "all.zip");
  database = await createTestDatabase();
  const own = join(folder, "data", "storage", "p");
  const ofName = (name: Buffer) => Buffer.concat([Buffer.from(`${own}/`), name]);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, separators), "1\n");
  await symlink(separators, join(own, "link\u2028"));
  // As text both are the same name, so they would be in the list twice.
  await writeFile(ofName(notText), "2");
  await writeFile(join(own, notText.toString()), "3");
  await mkdir(ofName(Buffer.from([0x80])));
  await symlink(notText, join(own, "leads to no text"));
  await nest(own, "n".repeat(250), 20);
  await nest(own, "d", 400);
  manifest = await makeBackup({
    ...{ databaseUrl: database.url, dataFolder: join(folder, "data"), passphrase: undefined, target: archive },
    ...{ keys: { current: key, old: [] }, diskReserveBytes: 0, onProgress: () => undefined },
    onBegin: async () => undefined,
    onEnd: async () => undefined,
  });
});
afterAll(async () => {
  await database.drop();
  // Node cannot remove paths that are longer than the system accepts.
  execFileSync("rm", ["-rf", folder]);
});

it("lists what no archive can hold as left out", () => {
  const left = manifest.missing.map((path) => path.split("/").slice(2));
  expect(left).toHaveLength(6);
  expect(left.filter((parts) => parts[0] === notText.toString())).toHaveLength(1);
  expect(left).toContainEqual(["\uFFFD"]);
  expect(left).toContainEqual(["leads to no text"]);
  expect(left.filter(([first = ""]) => first.startsWith("nnn"))).toHaveLength(1);
  // A folder and a file of the first level that is too deep.
  expect(left.filter(([first]) => first === "d")).toHaveLength(2);
});

it("restores all other files under their own names", async () => {
  const target = join(folder, "restored");
  await mkdir(target);
  await restore({
    ...{ archive, dataFolder: target, migrations, databaseUrl: database.url, passphrase: undefined, replace: true },
    ...{ keys: { fromSettings: undefined, others: [key] }, log: () => undefined },
  });
  const own = join(target, "storage", "p");
  expect(await readFile(join(own, separators), "utf8")).toBe("1\n");
  expect(await readFile(join(own, "link\u2028"), "utf8")).toBe("1\n");
  expect(await readFile(join(own, notText.toString()), "utf8")).toBe("3");
  const files = (await readdir(own, { recursive: true })).filter((path) => path.endsWith("/file"));
  const deepest = (name: string) =>
    Math.max(...files.filter((path) => path.startsWith(name)).map((path) => dirname(path).split("/").length));
  // 3,000 bytes of path, and 200 levels.
  expect([deepest("n"), deepest("d")]).toEqual([11, 197]);
});
