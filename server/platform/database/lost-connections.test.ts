import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let admin: pg.Client;

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  admin = new pg.Client({ connectionString: inject("databaseAdminUrl") });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  bench.close();
  await server.close();
});

const endConnections = () =>
  admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
    decodeURIComponent(new URL(server.databaseUrl).pathname.slice(1)),
  ]);

it("asks to try again when the database ends its connections, and loses nothing that it has answered", async () => {
  const statuses = new Set<number>();
  const made: string[] = [];
  const over = new AbortController();
  const asking = async (): Promise<void> => {
    while (!over.signal.aborted) statuses.add((await bench.owner.get("/api/v3/projects/")).status);
  };
  const making = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const answer = await bench.owner.post("/api/v3/objects", { name: "Load", project_id: bench.graphId });
      statuses.add(answer.status);
      if (answer.status === 200) made.push(answer.json<{ id: string }>().id);
      else expect([answer.headers.get("retry-after"), answer.text]).toEqual(["2", expect.stringContaining("busy")]);
    }
  };
  const all = [...Array.from({ length: 4 }, asking), ...Array.from({ length: 2 }, making)];
  for (let times = 0; times < 8; times += 1) {
    await endConnections();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  over.abort();
  await Promise.all(all);
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect((await bench.owner.get("/api/v3/projects/")).status).toBe(200);
  const stored = await server.db.selectFrom("nodes").select("id").where("id", "in", made).execute();
  expect(stored).toHaveLength(made.length);
});
