import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { script, Workbench } from "../testing/workbench.ts";
import { startHousekeeping } from "./housekeeping.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function count(table: string, condition: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.raw(condition)}`.execute(server.db);
  return rows[0]?.count ?? 0;
}

describe("a server that starts", () => {
  it("removes what has expired, in more batches than one, and leaves the rest", async () => {
    await sql`insert into attempts (key, count, expires_at)
      select 'old ' || n, 1, now() - interval '1 minute' from generate_series(1, 2500) n
      union all select 'young ' || n, 1, now() + interval '1 hour' from generate_series(1, 5) n`.execute(server.db);
    const twin = await server.twin();
    await expect.poll(() => count("attempts", "key like 'old %'"), { timeout: 20_000 }).toBe(0);
    expect(await count("attempts", "key like 'young %'")).toBe(5);
    await twin.close();
  });

  it("forgets a node that was deleted a day ago with its history, and keeps one that can be restored", async () => {
    const bench = await Workbench.open(server);
    const [forgotten, restorable] = [await bench.node(script("pass")), await bench.node(script("pass"))];
    for (const id of [forgotten, restorable]) {
      const body = { source_code: script("print(1)"), message: "Print" };
      expect((await bench.owner.post(`/api/v3/objects/${id}/commits`, body)).status).toBe(200);
      expect((await bench.owner.delete(`/api/v3/objects/${id}`)).status).toBe(200);
    }
    const known = (table: string, id: number) => count(table, `metadata_id = ${id}`);
    const commits = await known("node_commits", restorable);
    expect(commits).toBeGreaterThan(0);
    await sql`insert into node_drafts (metadata_id, graph_id, epoch, document, unsaved)
      select metadata_id, graph_id, gen_random_uuid(), '', true from deleted_nodes on conflict do nothing`.execute(
      server.db,
    );
    await sql`update deleted_nodes set deleted_at = now() - interval '25 hours' where metadata_id = ${forgotten}`.execute(
      server.db,
    );
    const twin = await server.twin();
    await expect.poll(() => known("deleted_nodes", forgotten), { timeout: 20_000 }).toBe(0);
    expect([await known("node_commits", forgotten), await known("node_drafts", forgotten)]).toEqual([0, 0]);
    await twin.close();
    expect([await known("node_commits", restorable), await known("node_drafts", restorable)]).toEqual([commits, 1]);
    bench.close();
  });
});

describe("housekeeping", () => {
  it("does the other chores when one fails, and reports that one", async () => {
    const reports: string[] = [];
    const done = Promise.withResolvers<void>();
    const { close } = startHousekeeping({
      chores: {
        broken: async function* () {
          yield;
          throw new Error("no such table");
        },
        sound: async function* () {
          yield;
          done.resolve();
        },
      },
      report: (_error, what) => void reports.push(what),
    });
    await done.promise;
    await close();
    expect(reports).toEqual(["housekeeping failed: broken"]);
  });

  it("stops between two batches when the server closes", async () => {
    let batches = 0;
    const begun = Promise.withResolvers<void>();
    const { close } = startHousekeeping({
      chores: {
        endless: async function* () {
          for (;;) {
            batches += 1;
            begun.resolve();
            yield;
          }
        },
      },
      report: () => undefined,
    });
    await begun.promise;
    await close();
    const atClose = batches;
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toBe(atClose);
  });
});
