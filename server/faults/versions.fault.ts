import type { VersionPage } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { versionsOf } from "../testing/versions.ts";
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

describe("a server that is killed while it stores a version", { timeout: 120_000 }, () => {
  it("leaves the whole version or nothing of it", async () => {
    await sql`insert into nodes (id, graph_id, class, name, source_code)
      select gen_random_uuid(), ${bench.graphId}, 'Code_block', 'Node ' || n,
        (select string_agg(md5(n::text || line), e'\n') from generate_series(1, 30) as line)
      from generate_series(1, 5000) as n`.execute(fault.database.db);
    for (const after of [30, 80, 150, 250]) {
      await sql`update nodes set description = ${`killed after ${after} ms`}`.execute(fault.database.db);
      const storing = versionsOf(bench.owner, bench.graphId)
        .create(`After ${after} ms`)
        .catch(() => undefined);
      await sleep(after);
      await fault.server.kill("SIGKILL");
      await storing;
      await fault.restart();
      bench = await fault.follow(bench);
    }
    const versions = versionsOf(bench.owner, bench.graphId);
    const page = await versions.page("?limit=100");
    const whole: VersionPage["versions"] = page.versions.filter(({ reason }) => reason === "named");
    for (const { id } of whole) expect(Object.keys((await versions.graph(id)).nodes).length).toBe(5_000);
    if (page.versions.length === 0) expect(await count("version_parts")).toBe(0);
    await versions.made("At last");
    expect(Object.keys((await versions.graph("now")).nodes).length).toBe(5_000);
  });
});
