import { afterEach, expect, it } from "vitest";

import { FaultBench } from "./fault-bench.ts";
import { killWorkers } from "./results.ts";

let fault: FaultBench;
afterEach(() => fault.close());

it(
  "a chain of ten nodes whose worker is killed at 50 random moments ends as an undisturbed one",
  { timeout: 1_800_000 },
  async () => {
    fault = await FaultBench.open({
      ...{ MIRANDA_HEARTBEAT_SECONDS: "0.5", MIRANDA_LOST_SECONDS: "2", MIRANDA_GRACE_SECONDS: "1" },
    });
    const bench = await fault.workbench();
    await fault.database.db.updateTable("accounts").set({ credits: 1_000 }).execute();
    expect(await killWorkers(fault, bench, 50)).toBe(50);
    expect(await fault.database.db.selectFrom("results").selectAll().execute()).toHaveLength(10);
    bench.close();
  },
);
