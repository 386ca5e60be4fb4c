import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";

import { password } from "../testing/test-server.ts";
import { FaultBench } from "./fault-bench.ts";

let fault: FaultBench;
beforeEach(async () => {
  fault = await FaultBench.open();
});
afterEach(() => fault.close());

const nodes = 20_000;

interface Left {
  nodes: number;
  edges: number;
  projects: number;
  accounts: number;
}

async function left(): Promise<Left | undefined> {
  const { rows } = await sql<Left>`select (select count(*) from nodes) as nodes, (select count(*) from edges) as edges,
    (select count(*) from projects) as projects, (select count(*) from deleting_accounts) as accounts`.execute(
    fault.database.db,
  );
  return rows[0];
}

it("finishes the deletion of an account whose server was killed in the middle", async () => {
  // The first account is the administrator, which cannot be deleted.
  const admin = await fault.workbench();
  const bench = await fault.workbench();
  const { db } = fault.database;
  await sql`insert into nodes (id, graph_id, class, name) select gen_random_uuid(), ${bench.graphId}, 'Code_block', 'n'
    from generate_series(1, ${nodes}::int)`.execute(db);
  await sql`insert into edges (graph_id, source_id, transmitter, target_id, receiver)
    select graph_id, metadata_id, 'out', lead(metadata_id) over (order by metadata_id), 'in' from nodes
    where graph_id = ${bench.graphId} order by metadata_id limit ${nodes - 1}`.execute(db);
  const { username } = bench.owner.account;
  const answer = await bench.owner.delete("/api/v3/auth/account", { username, password, projects: "delete" });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await left())?.edges, { timeout: 20_000, interval: 5 }).toBeLessThan(nodes - 1);
  await fault.server.kill("SIGKILL");
  // Killed while something was left, or this test shows nothing.
  expect(await left()).toMatchObject({ projects: 2, accounts: 1 });

  await fault.restart();
  await expect.poll(left, { timeout: 60_000, interval: 200 }).toEqual({ nodes: 0, edges: 0, projects: 1, accounts: 0 });
  const back = await fault.follow(admin);
  expect((await back.owner.get(`/api/v3/projects/${admin.projectId}`)).status).toBe(200);
  const gone = await back.owner.get(`/api/v3/projects/${bench.projectId}`);
  expect(gone.status).toBe(404);
  bench.close();
  back.close();
}, 120_000);
