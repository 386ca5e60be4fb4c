import type { AdminStorage, Freeable, Freed } from "@miranda/contract/schemas/admin/storage.ts";
import { sql } from "kysely";
import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { createLocalFolders } from "../../../engines/local-folders.ts";
import { newId } from "../../../platform/crypto.ts";
import { type Cast, signUpCast } from "../../../testing/access.ts";
import { finishChore } from "../../../testing/finish-chore.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";
import { createFolders } from "./folders-service.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const path = "/api/v3/admin/storage";
const look = async (project: string) => (await cast.admin.get(`${path}/${project}`)).json<Freeable>();
const freePackages = (project: string) => cast.admin.post(`${path}/${project}/free`, { kind: "packages" });
const failures: unknown[] = [];
const chores = () => {
  const folders = createLocalFolders(server.dataFolder);
  return createFolders({ db: server.db, folders, report: (error) => failures.push(error) });
};
const folder = (...names: string[]) => join(server.dataFolder, ...names);

it("counts what node code stored, does not follow its links, and deletes packages only when no session runs", async () => {
  const bench = await Workbench.open(server);
  const { projectId } = bench;
  const node = await bench.node(
    script(
      "import os",
      "from miranda import storage",
      "(storage() / 'rows').write_bytes(b'x' * 3_000_000)",
      "os.symlink('/usr', storage() / 'link')",
    ),
  );
  await bench.policy("storage", node, { name: "rows" });
  await bench.node(script("from miranda import storage", "(storage() / 'own').write_bytes(b'x' * 2_000_000)"));
  await bench.start();
  await bench.run();
  const environments = folder("environments", projectId);
  await mkdir(join(environments, "cache"), { recursive: true });
  await writeFile(join(environments, "cache", "numpy"), Buffer.alloc(1_000_000));

  const running = await look(projectId);
  expect(running.storage.volumes).toBeGreaterThanOrEqual(5_000_000);
  expect(running.storage.volumes).toBeLessThan(5_200_000);
  expect(running.storage.packages).toBeGreaterThanOrEqual(1_000_000);
  expect(running.packages).toBe(0);
  const refused = await freePackages(projectId);
  expect([refused.status, refused.text]).toEqual([
    409,
    "A session of the project is running. Its packages can be deleted when none runs.",
  ]);
  expect(existsSync(join(environments, "cache", "numpy"))).toBe(true);

  await bench.until("stop", "", "EXITED");
  expect((await look(projectId)).packages).toBe(running.storage.packages);
  const { kind, before, after } = (await freePackages(projectId)).json<Freed>();
  expect([kind, before, after]).toEqual(["packages", running.storage.packages, 0]);
  expect(existsSync(environments)).toBe(false);
  expect((await look(projectId)).storage.volumes).toBe(running.storage.volumes);
  const { rows } = await sql<{ change: string }>`select details ->> 'change' as change from audit_log
    where kind = 'admin.storage' and project_id = ${projectId}`.execute(server.db);
  expect(rows).toEqual([{ change: "the packages of Tides" }]);
  // The next session has its folder for packages again.
  await bench.start();
  expect(existsSync(environments)).toBe(true);
  await bench.until("stop", "", "EXITED");
  bench.close();
}, 60_000);

it("measures all projects every hour", async () => {
  const bench = await Workbench.open(server);
  await mkdir(folder("storage", bench.projectId), { recursive: true });
  await writeFile(folder("storage", bench.projectId, "rows"), Buffer.alloc(4_000_000));
  await finishChore(chores().measureAll());
  const list = (await cast.admin.get(`${path}?query=${bench.owner.account.username}`)).json<AdminStorage>();
  const found = list.projects.find(({ id }) => id === bench.projectId);
  expect(found?.volumes).toBeGreaterThanOrEqual(4_000_000);
  expect(found?.total).toBeGreaterThanOrEqual(4_000_000);
  expect(failures).toEqual([]);
  bench.close();
});

it("removes what a deleted project or workflow kept after a while, and nothing else", async () => {
  const [gone, workflow, kept] = [
    await Workbench.open(server),
    await Workbench.open(server),
    await Workbench.open(server),
  ];
  for (const id of [gone.projectId, gone.graphId, workflow.projectId, workflow.graphId, kept.projectId]) {
    await mkdir(folder("storage", id), { recursive: true });
    await writeFile(folder("storage", id, "rows"), "x");
  }
  await mkdir(folder("environments", gone.projectId), { recursive: true });
  // Node code can leave links to what is not its own.
  await symlink(folder("storage", kept.projectId), folder("storage", gone.projectId, "link"));
  // A folder that no project or workflow had is none of our business.
  const foreign = newId();
  await mkdir(folder("storage", foreign));

  await workflow.owner.delete(`/api/v3/graphs/${workflow.graphId}`);
  await gone.owner.delete(`/api/v3/projects/${gone.projectId}`);
  const remembered = async () =>
    (await sql<{ id: string }>`select id from folders_to_remove`.execute(server.db)).rows.map(({ id }) => id);
  await expect
    .poll(remembered, { timeout: 20_000 })
    .toEqual(expect.arrayContaining([gone.projectId, gone.graphId, workflow.graphId]));
  // A session may still be stopping.
  await finishChore(chores().removeDeleted());
  expect(existsSync(folder("storage", gone.projectId, "rows"))).toBe(true);

  await sql`update folders_to_remove set deleted_at = now() - interval '11 minutes'`.execute(server.db);
  await finishChore(chores().removeDeleted());
  expect(failures).toEqual([]);
  expect(await remembered()).toEqual([]);
  const left = new Set(await readdir(folder("storage")));
  for (const id of [gone.projectId, gone.graphId, workflow.graphId]) expect(left).not.toContain(id);
  for (const id of [workflow.projectId, kept.projectId, foreign]) expect(left).toContain(id);
  expect(existsSync(folder("environments", gone.projectId))).toBe(false);
  expect(existsSync(folder("storage", kept.projectId, "rows"))).toBe(true);
  for (const bench of [gone, workflow, kept]) bench.close();
}, 60_000);
