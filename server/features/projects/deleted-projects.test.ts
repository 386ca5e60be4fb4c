import type { JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

/** A chain of nodes with commits and unsaved code, written by SQL: by calls it would take minutes. */
async function fill(graphId: string, nodes: number): Promise<void> {
  await sql`insert into nodes (id, graph_id, class, name) select gen_random_uuid(), ${graphId}, 'Code_block', 'n'
    from generate_series(1, ${nodes}::int)`.execute(server.db);
  await sql`insert into edges (graph_id, source_id, transmitter, target_id, receiver)
    select graph_id, metadata_id, 'out', lead(metadata_id) over (order by metadata_id), 'in' from nodes
    where graph_id = ${graphId} order by metadata_id limit ${nodes - 1}`.execute(server.db);
  await sql`insert into node_commits (id, metadata_id, graph_id, number, source_code, api)
    select gen_random_uuid(), metadata_id, graph_id, 1, 'pass', '{}' from nodes where graph_id = ${graphId}`.execute(
    server.db,
  );
}

/** An ended session of the owner, with an entry in the ledger. */
async function addSession(projectId: string, graphId: string): Promise<string> {
  const id = newId();
  const { id: account_id } = cast.owner.account;
  await server.db
    .insertInto("jobs")
    .values({
      id,
      tag: 1,
      graph_id: graphId,
      account_id,
      name: "x",
      engine: "local",
      state: "EXITED",
      ended_at: new Date(),
    })
    .execute();
  return id;
}

const left = async (): Promise<Record<string, number>> => {
  const { rows } = await sql<
    Record<string, number>
  >`select (select count(*) from projects where owner_id is null) as projects,
    (select count(*) from nodes) as nodes, (select count(*) from edges) as edges,
    (select count(*) from node_commits) as commits, (select count(*) from graphs) as graphs`.execute(server.db);
  return rows[0] ?? {};
};
const nothing = { projects: 0, nodes: 0, edges: 0, commits: 0, graphs: 0 };
const patience = { timeout: 60_000, interval: 200 };

it("hides a deleted project with 5,000 nodes from everybody at once, and removes all of it", async () => {
  const { id } = await buildProject(cast);
  const graph = await buildGraph(cast, id);
  await fill(graph, 5_000);
  expect((await cast.owner.delete(`/api/v3/projects/${id}`)).status).toBe(200);
  for (const person of [cast.owner, cast.editor, cast.viewer, cast.admin]) {
    expect((await person.get(`/api/v3/projects/${id}`)).status).toBe(404);
    expect((await person.get(`/api/v3/graphs/${graph}/graph`)).status).toBe(404);
    expect((await person.delete(`/api/v3/projects/${id}`)).status).toBe(404);
    expect((await person.get("/api/v3/projects/browse?include_own=true")).text).not.toContain(id);
    expect((await person.get("/api/v3/graphs/browse")).text).not.toContain(graph);
  }
  await expect.poll(left, patience).toEqual(nothing);
}, 90_000);

it("removes each deleted project once when two servers do it at the same time", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) {
    const { id } = await buildProject(cast, `Project ${at}`);
    const graph = await buildGraph(cast, id);
    await fill(graph, 1_200);
    ids.push(id);
  }
  const kept = await buildProject(cast, "Kept");
  await sql`update projects set owner_id = null where id = any(${ids}::uuid[])`.execute(server.db);
  // Both find the work by themselves: one when it starts, the other when it is woken.
  const twin = await server.twin();
  try {
    const woken = await buildProject(cast, "Woken");
    await cast.owner.delete(`/api/v3/projects/${woken.id}`);
    await expect.poll(left, patience).toEqual(nothing);
    expect((await cast.owner.get(`/api/v3/projects/${kept.id}`)).status).toBe(200);
  } finally {
    await twin.close();
  }
}, 90_000);

it("keeps the sessions of a deleted project for those who started them, and the ledger for the books", async () => {
  const { id } = await buildProject(cast);
  const graph = await buildGraph(cast, id);
  const job = await addSession(id, graph);
  const account_id = cast.owner.account.id;
  await server.db
    .insertInto("ledger")
    .values({ account_id, kind: "usage", job_id: job, project_id: id, amount: -1 })
    .execute();
  await cast.owner.delete(`/api/v3/projects/${id}`);
  await expect.poll(left, patience).toEqual(nothing);
  const jobs = (await cast.owner.get("/api/v3/jobs")).json<JobsResponse>();
  expect(jobs.exited.map((one) => [one.id, one.graph])).toEqual([[job, null]]);
  const entries = await server.db
    .selectFrom("ledger")
    .select(["job_id", "project_id"])
    .where("account_id", "=", account_id)
    .where("kind", "=", "usage")
    .execute();
  expect(entries).toEqual([{ job_id: job, project_id: id }]);
}, 90_000);
