import type { Version } from "@miranda/contract/schemas/versions.ts";
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

const megabyte = 1024 * 1024;
const most = 1.2 * megabyte;

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer({ quotas: { ...readConfig({}).quotas, versionBytes: most } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());

let project: string;
let graph: string;
let node: number;
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  node = (await addNode(cast.owner, graph, "Large")).metadata_id;
});

/** New code of 0.6 MB, of which a version takes 0.45 MB. */
async function fill(id = node): Promise<void> {
  const source_code = `# ${randomBytes(466_000).toString("base64")}\n`;
  const written = await cast.owner.put(`/api/v3/objects/${id}/api`, { source_code, api: "{}" });
  expect(written.status).toBe(200);
}

async function countedBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from graph_parts join graphs on graphs.id = graph_id
    where project_id = ${project}`.execute(server.db);
  return rows[0]?.bytes ?? 0;
}

/** What the versions really take, counted anew. */
async function storedBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(content)), 0)::float8 as bytes from version_parts where hash in (
      select unnest(parts) from graph_versions join graphs on graphs.id = graph_id where project_id = ${project})`.execute(
    server.db,
  );
  return rows[0]?.bytes ?? 0;
}

describe("the versions of a project", () => {
  it("are refused with what they take when the named ones fill the quota, and deleting one makes room", async () => {
    const { create, made, remove, list } = versionsOf(cast.owner, graph);
    for (const name of ["One", "Two"]) {
      await fill();
      await made(name);
    }
    await fill();
    const before = await list();
    for (const rest of [{}, { publish: true }]) {
      const refused = await create("Three", rest);
      expect(refused.status).toBe(409);
      expect(refused.text).toMatch(
        /^The versions of this project take 0\.\d of 1\.2 MB, and this one needs 0\.\d MB more\. Delete versions that nobody needs any more, then try again\.$/,
      );
    }
    expect(await list()).toEqual(before);
    expect((await remove(1)).status).toBe(200);
    expect(await made("Three")).toMatchObject({ number: 3 });
    expect(await countedBytes()).toBe(await storedBytes());
  });

  it("count once what they have in common, however many there are", async () => {
    await fill();
    const { made } = versionsOf(cast.owner, graph);
    for (let at = 0; at < 10; at++) {
      await cast.owner.patch(`/api/v3/objects/${(await addNode(cast.owner, graph, `Small ${at}`)).metadata_id}`, {
        x: 9,
      });
      await sql`update nodes set metadata_id = metadata_id + 1000 where name = ${`Small ${at}`} and graph_id = ${graph}`.execute(
        server.db,
      );
      await made(`Version ${at}`);
    }
    expect(await countedBytes()).toBe(await storedBytes());
    expect(await countedBytes()).toBeLessThan(megabyte);
  });

  it("cannot keep content for free by deleting the version that brought it", async () => {
    const { create, made, remove } = versionsOf(cast.owner, graph);
    for (const name of ["One", "Three"]) {
      await fill();
      const { number } = await made(name);
      await made(`${name}, again`);
      await remove(number ?? 0);
    }
    await fill();
    expect((await create("Last")).status).toBe(409);
    expect(await countedBytes()).toBe(await storedBytes());
  });

  it("never exceed the quota when many are named at once in several workflows", async () => {
    const graphs = [graph, await buildGraph(cast, project, "Second"), await buildGraph(cast, project, "Third")];
    const others = await Promise.all(graphs.slice(1).map((id) => addNode(cast.owner, id, "Large")));
    for (const id of [node, ...others.map(({ metadata_id }) => metadata_id)]) await fill(id);
    const answers = await Promise.all(
      [...graphs, ...graphs].map((id) => versionsOf(cast.owner, id).create("At once", { publish: true })),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await countedBytes()).toBeLessThanOrEqual(most);
    expect(await countedBytes()).toBe(await storedBytes());
  });
});

describe("automatic versions", () => {
  it("are removed first, the oldest first, and restoring is never refused", async () => {
    const { made, restored, list, graph: look } = versionsOf(cast.owner, graph);
    await fill();
    await made("Kept");
    const exported = async () => {
      await fill();
      expect((await versionsOf(cast.viewer, graph).get("now/files")).status).toBe(200);
    };
    await exported();
    await exported();
    await exported();
    const automatic = async (): Promise<Version[]> => list("?kind=automatic");
    expect(await automatic()).toHaveLength(1);
    await fill();
    const { before } = await restored(1);
    expect((await automatic()).map(({ id }) => id)).toContain(before.id);
    expect(Object.keys((await look(1)).nodes)).toEqual([String(node)]);
    expect(await countedBytes()).toBeLessThanOrEqual(most);
    expect(await countedBytes()).toBe(await storedBytes());
    // The restore can still be undone.
    await restored(before.id);
  });

  it("are all removed when a named one needs their room", async () => {
    const { made, list } = versionsOf(cast.owner, graph);
    for (let at = 0; at < 2; at++) {
      await fill();
      await versionsOf(cast.viewer, graph).get("now/files");
    }
    for (const name of ["One", "Two"]) {
      await fill();
      await made(name);
    }
    expect((await list()).map(({ name }) => name)).toEqual(["Two", "One"]);
    expect(await countedBytes()).toBeLessThanOrEqual(most);
  });

  it("do not stop restores, merges and clones when named ones fill the quota", async () => {
    const { made, restored } = versionsOf(cast.owner, graph);
    for (const name of ["One", "Two"]) {
      await fill();
      await made(name);
    }
    await fill();
    const cloned = await cast.owner.post(`/api/v3/graphs/${graph}/clone`, { to_project: project });
    expect(cloned.status).toBe(200);
    const clone = cloned.json<{ id: string }>().id;
    await addNode(cast.owner, clone, "New");
    const preview = await cast.owner.postJson(`/api/v3/graphs/${graph}/merges/preview`, { from: clone });
    const { theirs_revision, mine_revision } = preview.json<{ theirs_revision: number; mine_revision: number }>();
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    expect((await cast.owner.postJson(`/api/v3/graphs/${graph}/merges`, body)).status).toBe(200);
    expect(Object.keys((await readGraph(cast.owner, graph)).nodes)).toHaveLength(2);
    await restored(1);
    expect(Object.keys((await readGraph(cast.owner, graph)).nodes)).toHaveLength(1);
  });
});
