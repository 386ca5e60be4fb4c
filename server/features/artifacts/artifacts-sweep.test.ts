import { randomBytes } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { finishChore } from "../../testing/finish-chore.ts";
import { buildTracking } from "../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { openCipher } from "../../platform/cipher.ts";
import { type Artifacts, createArtifacts } from "./artifacts-service.ts";
import { type BucketStore, createBucketStore } from "./buckets/bucket-store.ts";

let server: TestServer;
let artifacts: Artifacts;
let projectId: string;
let runId: string;
let root: string;
/** No buckets: everything is on the disk. */
let buckets: BucketStore;

beforeAll(async () => {
  server = await startTestServer();
  let run: string;
  ({ projectId, runId, run } = await buildTracking(server));
  root = `1/${run}/artifacts`;
  const cipher = await openCipher(server.dataFolder, undefined);
  buckets = createBucketStore({ db: server.db, cipher, allowsPrivate: false });
  artifacts = createArtifacts({
    db: server.db,
    dataFolder: server.dataFolder,
    buckets,
    settings: { projectBytes: 1e9, trashDays: 30, diskReserveBytes: 0 },
  });
});
afterAll(async () => {
  await artifacts.close();
  await server.close();
});

const put = (path: string, content: string | Buffer) =>
  artifacts.put(projectId, `${root}/${path}`, Readable.from([Buffer.from(content)]));
const folder = () => join(server.dataFolder, "artifacts", projectId);
const files = async () =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
/** As if it had been unused for so many days. */
const age = (days: number) =>
  sql`update artifact_contents set unused_at = unused_at - ${days} * interval '1 day' where unused_at is not null`.execute(
    server.db,
  );

it("removes content 30 days after the last path that named it", async () => {
  const { sha256 } = await put("a", "same");
  await put("b", "same");
  const name = sha256.toString("hex");
  await artifacts.remove(projectId, `${root}/a`);
  await age(31);
  await finishChore(artifacts.sweep());
  expect(await files()).toContain(name);
  await artifacts.remove(projectId, `${root}/b`);
  await age(29);
  await finishChore(artifacts.sweep());
  expect(await files()).toContain(name);
  await age(2);
  await finishChore(artifacts.sweep());
  expect(await files()).not.toContain(name);
  expect(await server.db.selectFrom("artifact_contents").selectAll().execute()).toEqual([]);
});

it("removes an upload that got no part for a day", async () => {
  const [old, young] = [
    await artifacts.uploads.begin(projectId, `${root}/old.bin`, 2),
    await artifacts.uploads.begin(projectId, `${root}/young.bin`, 2),
  ];
  for (const id of [old, young]) await artifacts.uploads.put(projectId, id, 1, Readable.from([Buffer.from("part")]), 4);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(folder(), "uploads", old), yesterday, yesterday);
  await finishChore(artifacts.sweep());
  expect(await readdir(join(folder(), "uploads"))).toEqual([young]);
  await artifacts.uploads.drop(projectId, young);
});

it("keeps content that is named again in time", async () => {
  await put("again", "again");
  await artifacts.remove(projectId, `${root}/again`);
  await age(40);
  await put("other", "again");
  await finishChore(artifacts.sweep());
  const { open } = await artifacts.get(projectId, `${root}/other`);
  expect((await (await open()).toArray()).join("")).toBe("again");
});

it("removes files that no row knows and drafts of killed servers, and leaves new ones", async () => {
  const lost = randomBytes(32).toString("hex");
  const recent = randomBytes(32).toString("hex");
  for (const name of [lost, recent]) {
    await mkdir(join(folder(), name.slice(0, 2)), { recursive: true });
    await writeFile(join(folder(), name.slice(0, 2), name), "x");
  }
  await writeFile(join(folder(), "old.part"), "x");
  await writeFile(join(folder(), "new.part"), "x");
  const before = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(folder(), lost.slice(0, 2), lost), before, before);
  await utimes(join(folder(), "old.part"), before, before);
  await finishChore(artifacts.sweep());
  const left = await files();
  expect(left).toEqual(expect.arrayContaining([recent, "new.part"]));
  expect(left).not.toContain(lost);
  expect(left).not.toContain("old.part");
});

it("removes the files of a run with the run, and of a project with the project", async () => {
  const { sha256 } = await put("gone", "with its run");
  await server.db.deleteFrom("tracked_runs").where("id", "=", runId).execute();
  expect(await server.db.selectFrom("artifacts").selectAll().where("run_id", "=", runId).execute()).toEqual([]);
  const content = await server.db
    .selectFrom("artifact_contents")
    .select("unused_at")
    .where("sha256", "=", sha256)
    .executeTakeFirstOrThrow();
  expect(content.unused_at).not.toBeNull();

  await server.db.deleteFrom("projects").where("id", "=", projectId).execute();
  for (const name of await files()) {
    const before = new Date(Date.now() - 2 * 3_600_000);
    const path = name.endsWith(".part") ? join(folder(), name) : join(folder(), name.slice(0, 2), name);
    await utimes(path, before, before);
  }
  await finishChore(artifacts.sweep());
  expect(await readdir(join(server.dataFolder, "artifacts"))).not.toContain(projectId);
});

it("streams a large file without holding it in memory", async () => {
  const { projectId: other, run } = await buildTracking(server);
  const megabyte = randomBytes(1024 * 1024);
  const pieces = 400;
  let most = 0;
  const source = Readable.from(
    (async function* () {
      for (let at = 0; at < pieces; at += 1) {
        most = Math.max(most, process.memoryUsage().rss);
        yield megabyte;
      }
    })(),
    { objectMode: false },
  );
  const before = process.memoryUsage().rss;
  const { bytes } = await artifacts.put(other, `1/${run}/artifacts/large`, source);
  expect(bytes).toBe(pieces * megabyte.length);
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
  await artifacts.remove(other, `1/${run}/artifacts/large`);
});

it("limits how many files a project has, also when all have the same content", async () => {
  const { projectId: other, run } = await buildTracking(server);
  const few = createArtifacts({
    db: server.db,
    dataFolder: server.dataFolder,
    buckets,
    settings: { projectBytes: 1e9, trashDays: 30, diskReserveBytes: 0, projectFiles: 3 },
  });
  const store = (name: string) => few.put(other, `1/${run}/artifacts/${name}`, Readable.from([Buffer.from("same")]));
  for (const name of ["a", "b", "c", "c"]) await store(name);
  await expect(store("d")).rejects.toMatchObject({ code: "artifacts_full" });
  await few.remove(other, `1/${run}/artifacts/a`);
  await store("d");
  await few.close();
});

it("refuses when the disk would be too full, before a file arrives", async () => {
  const { projectId: other, run } = await buildTracking(server);
  const path = `1/${run}/artifacts/x`;
  const full = createArtifacts({
    db: server.db,
    dataFolder: server.dataFolder,
    buckets,
    settings: { projectBytes: 1e18, trashDays: 30, diskReserveBytes: 1e17 },
  });
  await expect(full.put(other, path, Readable.from([Buffer.from("x")]), 1)).rejects.toMatchObject({
    code: "artifacts_no_disk",
  });
  await full.close();
});
