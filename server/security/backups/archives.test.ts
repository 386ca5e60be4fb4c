import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";

import { listName, type Manifest, manifestName } from "../../platform/backup/archive-format.ts";
import { makeBackup } from "../../platform/backup/backup.ts";
import { restore } from "../../platform/backup/restore.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";

// Archives that somebody has changed: a restore with the rights of the server must not do what they say.

const migrations = resolve(import.meta.dirname, "..", "..", "migrations");
const key = randomBytes(32);
let folder: string;
let archive: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-archives-"));
  archive = join(folder, "good.zip");
  database = await createTestDatabase();
  const own = join(folder, "data", "storage", "p");
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "a.csv"), "1");
  await makeBackup({
    ...{ databaseUrl: database.url, dataFolder: join(folder, "data"), passphrase: undefined, target: archive },
    ...{ keys: { current: key, old: [] }, diskReserveBytes: 0, onProgress: () => undefined },
    onBegin: async () => undefined,
    onEnd: async () => undefined,
  });
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

interface Part {
  name: string;
  content: Buffer;
  mode?: number;
}

async function unpacked(): Promise<Part[]> {
  const zip = await openPromise(archive);
  const parts: Part[] = [];
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    parts.push({ name: entry.fileName, content: Buffer.concat(pieces) });
  }
  return parts;
}

async function packed(parts: Part[]): Promise<string> {
  const target = join(folder, `${randomBytes(4).toString("hex")}.zip`);
  const zip = new ZipFile();
  for (const { name, content, mode = 0o100_600 } of parts) zip.addBuffer(content, name, { mode });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(target));
  return target;
}

/** Changes the list of files and the manifest so that everything agrees again. */
async function relisted(change: (line: Record<string, unknown>) => void): Promise<string> {
  const parts = await unpacked();
  const list = parts.find(({ name }) => name === listName);
  const manifest = parts.find(({ name }) => name === manifestName);
  if (!list || !manifest) throw new Error("no list");
  const lines = list.content
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const file = lines.find(({ number }) => number !== undefined);
  if (file) change(file);
  list.content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return changed(parts, (known) => {
    known.files.list_bytes = list.content.length;
    known.files.list_sha256 = createHash("sha256").update(list.content).digest("hex");
  });
}

async function changed(parts: Part[], change: (manifest: Manifest) => void): Promise<string> {
  const manifest = parts.find(({ name }) => name === manifestName);
  if (!manifest) throw new Error("no manifest");
  const known = JSON.parse(manifest.content.toString()) as Manifest;
  change(known);
  manifest.content = Buffer.from(JSON.stringify(known));
  return packed(parts);
}

const hostile: [string, () => Promise<string>, string][] = [
  [
    "a path with ..",
    () => relisted((line) => (line["path"] = "storage/../../../etc/cron.d/x")),
    "leads out of the data folder",
  ],
  ["an absolute path", () => relisted((line) => (line["path"] = "/etc/cron.d/x")), "leads out of the data folder"],
  [
    "a path to the database's files",
    () => relisted((line) => (line["path"] = "postgres/cluster/pg_hba.conf")),
    "leads out of the data folder",
  ],
  [
    "a link out of its project",
    () =>
      relisted((line) => {
        line["target"] = "../../../../etc";
      }),
    "is a link that leads out of its project",
  ],
  [
    "an entry of the zip that is a link",
    async () => {
      const parts = await unpacked();
      for (const part of parts) if (part.name === "files/1") part.mode = 0o120_777;
      return packed(parts);
    },
    "files/1 is a link",
  ],
  [
    "a row that was changed",
    async () => {
      const parts = await unpacked();
      for (const part of parts)
        if (part.name === "database/schema_migrations.copy")
          part.content = Buffer.from(part.content.toString().replace("2", "3"));
      return packed(parts);
    },
    "the table schema_migrations was changed",
  ],
  [
    "a file that the manifest does not list",
    async () => packed([...(await unpacked()), { name: "files/99", content: Buffer.from("x") }]),
    "does not contain exactly what its manifest lists",
  ],
  [
    "a table that is missing",
    async () => packed((await unpacked()).filter(({ name }) => name !== "database/accounts.copy")),
    "does not contain exactly what its manifest lists",
  ],
  [
    "no manifest",
    async () => packed((await unpacked()).filter(({ name }) => name !== manifestName)),
    "it has no manifest",
  ],
  [
    "another program's zip",
    () => packed([{ name: manifestName, content: Buffer.from("{}") }]),
    "its manifest is not readable",
  ],
  [
    "a newer format",
    async () => changed(await unpacked(), (known) => Object.assign(known, { format: 2 })),
    "made by a newer Miranda",
  ],
  [
    "SQL as the name of a table",
    async () =>
      changed(await unpacked(), (known) => {
        for (const table of known.tables) if (table.name === "accounts") table.name = 'x"; drop table accounts; --';
      }),
    "its manifest is not readable",
  ],
  [
    "a migration that this version does not have",
    async () => changed(await unpacked(), (known) => known.migrations.push("9999-tomorrow.sql")),
    "made by a newer Miranda",
  ],
];

const attempt = (file: string, dataFolder: string) =>
  restore({
    ...{ archive: file, dataFolder, migrations, databaseUrl: undefined, passphrase: undefined, replace: false },
    ...{ keys: { fromSettings: undefined, others: [key] }, log: () => undefined },
  });

it.each(hostile)("refuses an archive with %s before it writes anything", async (_name, make, words) => {
  const target = await mkdtemp(join(folder, "target-"));
  await expect(attempt(await make(), target)).rejects.toThrow(words);
  expect(await readdir(target)).toEqual([]);
});

it("notices a byte that the disk has lost", async () => {
  const bytes = await readFile(archive);
  const at = bytes.indexOf("files/1") + 7;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  const target = await mkdtemp(join(folder, "target-"));
  const broken = join(folder, "broken.zip");
  await writeFile(broken, bytes);
  await expect(attempt(broken, target)).rejects.toThrow("Nothing was changed.");
  expect(await readdir(target)).toEqual([]);
});
