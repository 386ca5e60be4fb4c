import type { AdminStorage, Freeable, Freed } from "@miranda/contract/schemas/admin/storage.ts";
import type { Job } from "@miranda/contract/schemas/processors.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openCipher } from "../../../platform/cipher.ts";
import { newId } from "../../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addEndedSession } from "../../../testing/billing.ts";
import { addVersion, type AddedVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { type Artifacts, createArtifacts } from "../../artifacts/artifacts-service.ts";
import { createBucketStore } from "../../artifacts/buckets/bucket-store.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let artifacts: Artifacts;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  ({ id: project } = await buildProject(cast, "Tides and storage"));
  const { db, dataFolder } = server;
  const buckets = createBucketStore({ db, cipher: await openCipher(dataFolder, undefined), allowsPrivate: false });
  const settings = { projectBytes: 1e9, trashDays: 30, diskReserveBytes: 0 };
  artifacts = createArtifacts({ db, dataFolder, buckets, settings });
});
afterAll(async () => {
  await artifacts.close();
  await server.close();
});

const path = "/api/v3/admin/storage";
const look = async (days = 30) => (await cast.admin.get(`${path}/${project}?days=${days}`)).json<Freeable>();
const free = async (kind: string, days = 30) =>
  (await cast.admin.post(`${path}/${project}/free`, { kind, days })).json<Freed>();

const filesOf = ({ loggedModelId }: AddedVersion): string => `0/models/${loggedModelId}/artifacts`;
const addFile = (version: AddedVersion, name: string, content: Buffer) =>
  artifacts.put(project, `${filesOf(version)}/${name}`, Readable.from([content]));

it("empties the trash, and keeps every file that a version still names", async () => {
  const kept = await addVersion(server.db, project, "tides", { loggedModel: true });
  const trashed = await addVersion(server.db, project, "tides", { loggedModel: true });
  await addFile(kept, "weights", Buffer.alloc(1_000, "a"));
  // The same content in both versions, and some that only the trashed one has.
  await addFile(trashed, "weights", Buffer.alloc(1_000, "a"));
  await addFile(trashed, "optimizer", Buffer.alloc(5_000, "b"));
  expect(await look()).toMatchObject({ trash: 0, storage: { artifacts: 6_000 } });

  await cast.editor.delete(`/api/v3/models/${trashed.modelId}/versions/2`);
  expect(await look()).toMatchObject({ trash: 5_000, storage: { artifacts: 6_000 } });
  expect(await free("trash")).toEqual({ kind: "trash", before: 6_000, after: 1_000 });
  expect(await look()).toMatchObject({ trash: 0, storage: { artifacts: 1_000 } });
  const { open } = await artifacts.get(project, `${filesOf(kept)}/weights`);
  expect((await (await open()).toArray()).join("")).toBe("a".repeat(1_000));
  await expect(artifacts.get(project, `${filesOf(trashed)}/optimizer`)).rejects.toThrow("No such artifact");
  // Once more frees nothing and harms nothing.
  expect(await free("trash")).toEqual({ kind: "trash", before: 1_000, after: 1_000 });
  expect((await cast.viewer.get(`/api/v3/models/${kept.modelId}`)).status).toBe(200);
});

it("removes kept results that nobody used for so long, and no others", async () => {
  const add = (key: string, ago: string) =>
    sql`insert into results (project_id, key, bytes, sha256, seconds, node_id, used_at)
      values (${project}, ${key.repeat(64)}, 700, decode(repeat('ab', 32), 'hex'), 1, 1, now() - ${ago}::interval)`.execute(
      server.db,
    );
  await add("a", "40 days");
  await add("b", "10 days");
  expect(await look()).toMatchObject({ results: 700, storage: { results: 1_400 } });
  expect(await look(7)).toMatchObject({ results: 1_400 });
  expect(await free("results")).toEqual({ kind: "results", before: 1_400, after: 700 });
  expect(await look()).toMatchObject({ results: 0 });
  expect(existsSync(join(server.dataFolder, "results"))).toBe(false);
});

it("removes old logs of ended sessions, which then say so, and leaves living ones alone", async () => {
  const graph = await buildGraph(cast, project);
  const add = async (ended: string | null): Promise<string> => {
    const id = await addEndedSession(server.db, cast.owner.account.id, graph, "1");
    await sql`update jobs set log_bytes = 900, last_line = 3, ended_at = now() - ${ended}::interval,
      state = case when ${ended}::text is null then 'READY' else 'EXITED' end, seen_at = now() + interval '1 hour',
      engine_ref = '{"host":"x"}' where id = ${id}`.execute(server.db);
    await sql`insert into log_chunks (job_id, first_line, lines, bytes, entries)
      values (${id}, 1, 3, 900, '[[1,1,0,1,"one"],[2,1,0,1,"two"],[3,1,0,1,"three"]]')`.execute(server.db);
    return id;
  };
  const [old, recent, alive] = [await add("40 days"), await add("2 days"), await add(null)];
  expect(await look()).toMatchObject({ logs: 900, storage: { logs: 2_700 } });
  expect(await free("logs")).toEqual({ kind: "logs", before: 2_700, after: 1_800 });
  const messages = async (id: string) =>
    (await cast.owner.get(`/api/v3/jobs/${id}`)).json<Job>().logs.map(({ message }) => message);
  const words = "An administrator removed this log to free storage.";
  expect(await messages(old)).toEqual([expect.stringContaining("3 lines were cut here"), words]);
  // Also with every age: a session that runs keeps its log.
  await free("logs", 0);
  expect([await messages(recent), await messages(alive)]).toEqual([
    [expect.stringContaining("3 lines"), words],
    ["one", "two", "three"],
  ]);
});

it("lists projects by what they store, finds them by name and owner, and records what was freed", async () => {
  const page = (await cast.admin.get(`${path}?query=and storage`)).json<AdminStorage>();
  expect(page).toMatchObject({ next: null, projects: [{ id: project, is_private: true, owner: "owner" }] });
  const [one] = page.projects;
  expect(one?.total).toBe(one && one.results + one.artifacts + one.files + one.logs + one.outputs);
  expect(page.disk?.free_bytes).toBeGreaterThan(0);
  expect(page.database_bytes).toBeGreaterThan(1e6);
  expect((await cast.admin.get(`${path}?query=${newId()}`)).json<AdminStorage>().projects).toEqual([]);
  const events = await sql<{ details: { change: string } }>`select details from audit_log where kind = 'admin.storage'
    order by id`.execute(server.db);
  expect(events.rows.map(({ details }) => details.change)).toEqual(
    [
      ...["the trash", "the trash", "results older than 30 days", "logs older than 30 days"],
      "logs older than 0 days",
    ].map((change) => `${change} of Tides and storage`),
  );
});
