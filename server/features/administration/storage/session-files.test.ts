import type { AdminStorage, Freeable, Freed } from "@miranda/contract/schemas/admin/storage.ts";
import { sql } from "kysely";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { createLocalFolders } from "../../../engines/local-folders.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addEndedSession } from "../../../testing/billing.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";
import { createSessionFiles } from "./session-files-service.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const path = "/api/v3/admin/storage";
const folderOf = (id: string) => join(server.dataFolder, "jobs", id);
const failures: string[] = [];
beforeEach(async () => {
  failures.length = 0;
  await sql`delete from jobs`.execute(server.db);
});

const files = (ofProject: number, ofAll = ofProject * 10) =>
  createSessionFiles({
    db: server.db,
    folders: createLocalFolders(server.dataFolder).sessions,
    settings: { sessionFiles: { ofProject, ofAll }, diskBytes: 20e9 },
    report: (error) => failures.push(String(error)),
  });

/** A session that ended so many hours ago and left a megabyte. */
async function addEnded(graph: string, hours: number, host = hostname()): Promise<string> {
  const id = await addEndedSession(server.db, cast.owner.account.id, graph, String(hours));
  await sql`update jobs set engine = 'local', engine_ref = ${JSON.stringify({ host })}::jsonb,
    ended_at = now() - make_interval(hours => ${hours}::integer) where id = ${id}`.execute(server.db);
  await mkdir(folderOf(id), { recursive: true });
  await writeFile(join(folderOf(id), "rows"), Buffer.alloc(1_000_000));
  return id;
}
const makeProject = async (name: string) => (await buildProject(cast, name)).id;
const left = (ids: readonly string[]) => ids.map((id) => existsSync(folderOf(id)));

it("removes the folders of a project's oldest sessions when they take too much, and leaves those of others", async () => {
  const [project, other] = [await makeProject("Tides"), await makeProject("Winds")];
  const graph = await buildGraph(cast, project);
  const sessions = [
    await addEnded(graph, 5),
    await addEnded(graph, 4),
    await addEnded(graph, 3),
    await addEnded(graph, 2),
  ];
  const foreign = await addEnded(await buildGraph(cast, other), 9);
  // What node code may leave: a link out of its folder.
  const outside = join(server.dataFolder, "outside");
  await writeFile(outside, "x");
  await symlink(outside, join(folderOf(sessions[0] ?? ""), "link"));

  await files(2_500_000).look();
  expect(left(sessions)).toEqual([false, false, true, true]);
  expect(left([foreign])).toEqual([true]);
  expect(existsSync(outside)).toBe(true);
  const list = (await cast.admin.get(`${path}?query=Tides`)).json<AdminStorage>();
  const found = list.projects.find(({ id }) => id === project);
  expect(found?.session_files).toBeGreaterThanOrEqual(2_000_000);
  expect(found?.session_files).toBeLessThan(2_500_000);
  expect(found?.total).toBeGreaterThanOrEqual(found?.session_files ?? 0);
  // The sessions stay.
  expect((await cast.owner.get(`/api/v3/jobs/${sessions[0] ?? ""}`)).status).toBe(200);
  expect(failures).toEqual([]);
});

it("removes the oldest of all projects when all together take too much", async () => {
  const graphs = [];
  for (const name of ["One", "Two", "Three"]) graphs.push(await buildGraph(cast, await makeProject(name)));
  const sessions = [];
  for (const [at, graph] of graphs.entries()) sessions.push(await addEnded(graph, 9 - at));
  await files(1e9, 1_500_000).look();
  expect(left(sessions)).toEqual([false, false, true]);
});

it("leaves alone what runs, what has just ended and what is on another machine", async () => {
  const bench = await Workbench.open(server);
  await bench.node(script("open('rows', 'wb').write(b'x' * 3_000_000)"));
  await bench.start();
  await bench.run();
  const running = bench.jobId;
  const graph = await buildGraph(cast, await makeProject("Rivers"));
  const [young, elsewhere] = [await addEnded(graph, 0), await addEnded(graph, 5, "another-machine")];
  await files(0).look();
  expect(left([running, young, elsewhere])).toEqual([true, true, true]);
  await bench.until("stop", "", "EXITED");
  await files(0).look();
  expect(left([running])).toEqual([true]);
  await sql`update jobs set ended_at = now() - interval '2 minutes' where id = ${running}`.execute(server.db);
  await files(0).look();
  expect(left([running])).toEqual([false]);
  bench.close();
}, 60_000);

it("goes on with the others when a folder cannot be removed, and ends", async () => {
  const graph = await buildGraph(cast, await makeProject("Lakes"));
  const sessions = [await addEnded(graph, 5), await addEnded(graph, 4)];
  const folders = createLocalFolders(server.dataFolder).sessions;
  if (!folders) throw new Error("no folders");
  const [stubborn] = sessions;
  const service = createSessionFiles({
    db: server.db,
    folders: {
      ...folders,
      remove: async (id) => {
        if (id === stubborn) throw new Error("ENAMETOOLONG");
        await folders.remove(id);
      },
    },
    settings: { sessionFiles: { ofProject: 0, ofAll: 0 }, diskBytes: 20e9 },
    report: (error) => failures.push(String(error)),
  });
  await service.look();
  expect(left(sessions)).toEqual([true, false]);
  expect(new Set(failures)).toEqual(new Set(["Error: ENAMETOOLONG"]));
});

it("lets administrators remove the files of old sessions, and records it", async () => {
  const project = await makeProject("Glaciers");
  const graph = await buildGraph(cast, project);
  const sessions = [await addEnded(graph, 24 * 40), await addEnded(graph, 24 * 2)];
  await files(1e9).look();
  const freeable = (await cast.admin.get(`${path}/${project}?days=30`)).json<Freeable>();
  expect(freeable.session_files).toBeGreaterThanOrEqual(1_000_000);
  expect(freeable.session_files).toBeLessThan(1_200_000);
  const freed = (await cast.admin.post(`${path}/${project}/free`, { kind: "session_files", days: 30 })).json<Freed>();
  expect(freed.before - freed.after).toBe(freeable.session_files);
  expect(left(sessions)).toEqual([false, true]);
  expect((await cast.owner.post(`${path}/${project}/free`, { kind: "session_files", days: 0 })).status).toBe(403);
  expect(left(sessions)).toEqual([false, true]);
  const { rows } = await sql<{ change: string }>`select details ->> 'change' as change from audit_log
    where kind = 'admin.storage' and project_id = ${project}`.execute(server.db);
  expect(rows).toEqual([{ change: "files of sessions older than 30 days of Glaciers" }]);
});
