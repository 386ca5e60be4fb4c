import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { markedBy } from "../engines/processes.ts";
import { signal } from "../testing/services/signal.ts";
import type { Workbench } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

// Quick to notice, so that the test is short.
const watched = { MIRANDA_HEARTBEAT_SECONDS: "0.5", MIRANDA_LOST_SECONDS: "2" };

let fault: FaultBench;
let bench: Workbench;
beforeEach(async () => {
  fault = await FaultBench.open(watched);
  bench = await fault.workbench();
});
afterEach(async () => {
  bench.close();
  await fault.close();
});

/** Ended sessions with a log and a charge each, which ended this long ago. */
async function addEnded(count: number, days: number, lines = 10): Promise<void> {
  await sql`
    with added as (
      insert into jobs (id, tag, graph_id, account_id, name, state, engine, ended_at)
      select gen_random_uuid(), n, ${bench.graphId}::uuid, ${bench.owner.account.id}::uuid, 'old', 'EXITED', 'local',
        now() - make_interval(days => ${days})
      from generate_series(1, ${count}) as n returning id
    ), logs as (
      insert into log_chunks (job_id, first_line, lines, bytes, entries)
      select id, line, 1, 60, '[]' from added, generate_series(1, ${lines}) as line
    )
    insert into ledger (account_id, kind, job_id, day, amount)
    select ${bench.owner.account.id}::uuid, 'usage', id, current_date - ${days}::integer, -0.25 from added`.execute(
    fault.database.db,
  );
}

async function counted(table: "jobs" | "log_chunks", isOld: boolean): Promise<number> {
  const job = table === "jobs" ? sql`jobs` : sql`log_chunks join jobs on jobs.id = job_id`;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${job} where (ended_at < now() - interval '30 days') = ${isOld}`.execute(
    fault.database.db,
  );
  return rows[0]?.count ?? 0;
}

async function charged(): Promise<number> {
  const { rows } = await sql<{ sum: number }>`select sum(amount) as sum from ledger where kind = 'usage'`.execute(
    fault.database.db,
  );
  return rows[0]?.sum ?? 0;
}

const oldLeft = () => counted("jobs", true);

describe("removing old sessions", { timeout: 180_000 }, () => {
  it("goes on after the server is killed in the middle, and nothing else is lost", async () => {
    await addEnded(2_000, 60);
    await addEnded(20, 2);
    await fault.server.kill("SIGKILL");
    await fault.restart();
    await expect.poll(oldLeft, { timeout: 60_000, interval: 20 }).toBeLessThan(2_000);
    await fault.server.kill("SIGKILL");
    expect(await oldLeft()).toBeGreaterThan(0);
    const keeps = async () => {
      expect(await counted("jobs", false)).toBe(20);
      expect(await counted("log_chunks", false)).toBe(200);
      expect(await charged()).toBe(-505);
    };
    await keeps();
    await fault.restart();
    await expect.poll(oldLeft, { timeout: 120_000 }).toBe(0);
    expect(await counted("log_chunks", true)).toBe(0);
    await keeps();
  });

  it("is done by two servers at once without an error, and every charge is kept once", async () => {
    await addEnded(600, 60);
    await addEnded(20, 2);
    await fault.server.kill("SIGKILL");
    const [other] = await Promise.all([fault.another(), fault.restart()]);
    await expect.poll(oldLeft, { timeout: 120_000 }).toBe(0);
    expect(await counted("log_chunks", true)).toBe(0);
    expect(await counted("jobs", false)).toBe(20);
    expect(await counted("log_chunks", false)).toBe(200);
    expect(await charged()).toBe(-155);
    expect(fault.server.output() + other.output()).not.toContain("housekeeping failed");
  });

  it("does not delay noticing that a processor was killed", async () => {
    await bench.start();
    await fault.server.kill("SIGKILL");
    await addEnded(30_000, 60, 1);
    await fault.restart();
    bench = await fault.follow(bench);
    await expect.poll(oldLeft, { timeout: 60_000, interval: 20 }).toBeLessThan(30_000);
    for (const { pid } of await markedBy(`MIRANDA_JOB=${bench.jobId}`)) signal(pid, "SIGKILL");
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 60_000 }).toBe("ERROR");
    // It was noticed during the removal, not after it.
    expect(await oldLeft()).toBeGreaterThan(0);
  });
});
