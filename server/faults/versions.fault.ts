import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { versionsOf } from "../testing/versions/versions.ts";
import type { Workbench } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

let fault: FaultBench;
let bench: Workbench;
beforeEach(async () => {
  fault = await FaultBench.open();
  bench = await fault.workbench();
});
afterEach(async () => {
  bench.close();
  await fault.close();
});

const count = async (table: string) => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    fault.database.db,
  );
  return Number(rows[0]?.count);
};

/** Whether a server has stored the parts of a version and waits for the workflow's row. */
async function waitsForNumber(): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%last_version%') as waits`.execute(fault.database.db);
  return rows[0]?.waits ?? false;
}

describe("a server that is killed while it stores a version", { timeout: 120_000 }, () => {
  it("leaves nothing of it, and the version can be made afterwards", async () => {
    await sql`insert into nodes (id, graph_id, class, name, source_code)
      select gen_random_uuid(), ${bench.graphId}, 'Code_block', 'Node ' || n, md5(n::text)
      from generate_series(1, 1000) as n`.execute(fault.database.db);
    const killed = fault.database.db.transaction().execute(async (trx) => {
      await trx.selectFrom("graphs").select("id").where("id", "=", bench.graphId).forUpdate().execute();
      const storing = versionsOf(bench.owner, bench.graphId)
        .create("Cut off")
        .catch(() => undefined);
      await expect.poll(waitsForNumber).toBe(true);
      await fault.server.kill("SIGKILL");
      await storing;
    });
    await killed;
    await expect.poll(waitsForNumber).toBe(false);
    expect([await count("graph_versions"), await count("version_parts")]).toEqual([0, 0]);
    await fault.restart();
    bench = await fault.follow(bench);
    const versions = versionsOf(bench.owner, bench.graphId);
    expect(await versions.made("At last")).toMatchObject({ number: 1, nodes: 1_000 });
    expect(Object.keys((await versions.graph(1)).nodes).length).toBe(1_000);
  });
});
