import { sql } from "kysely";
import { expect } from "vitest";

import { script, type Workbench } from "../testing/workbench.ts";
import { expectEverySample, type FaultBench } from "./fault-bench.ts";

const commitLock = 4_699;
type Db = FaultBench["database"]["db"];

/** Every transaction that charges a sample waits at its commit while the test holds the lock. */
async function holdCommits(db: Db): Promise<void> {
  await sql`create function wait_at_commit() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${sql.lit(commitLock)}); return null; end $$`.execute(db);
  await sql`create constraint trigger wait_at_commit after insert on usage_samples
    deferrable initially deferred for each row execute function wait_at_commit()`.execute(db);
}

/** The account was charged for each sample of the session exactly once. */
async function expectCharged(fault: FaultBench, bench: Workbench): Promise<void> {
  const { db } = fault.database;
  const samples = await expectEverySample(fault, bench.jobId);
  const sum = samples.reduce((total, { cost }) => total + cost, 0);
  const ledger = await db.selectFrom("ledger").select("amount").where("job_id", "=", bench.jobId).execute();
  expect(ledger.reduce((total, { amount }) => total + amount, 0)).toBeCloseTo(-sum, 6);
  expect((await bench.job()).total_cost).toBeCloseTo(sum, 6);
  const account = await db
    .selectFrom("accounts")
    .select("credits")
    .where("id", "=", bench.owner.account.id)
    .executeTakeFirstOrThrow();
  expect(account.credits).toBeCloseTo(100 - sum, 6);
}

/** Kills the server while charges are made but not committed, until this many were caught (fault 17). */
export async function killBeforeCommits(fault: FaultBench, processors: number, times: number): Promise<number> {
  const { db } = fault.database;
  const benches: Workbench[] = [];
  for (let at = 0; at < processors; at++) {
    const bench = await fault.workbench();
    await bench.node(script("import time", "while True: time.sleep(0.1)"));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    bench.close();
    benches.push(bench);
  }
  await holdCommits(db);

  let killed = 0;
  for (let round = 0; killed < times; round++) {
    killed += await db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${commitLock})`.execute(connection);
      const waiting = async (): Promise<number[]> => {
        const { rows } = await sql<{ pid: number }>`select pid from pg_locks
          where locktype = 'advisory' and objid = ${commitLock} and not granted`.execute(connection);
        return rows.map(({ pid }) => pid);
      };
      await expect
        .poll(async () => (await waiting()).length, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(Math.ceil(processors * 0.8));
      const caught = await waiting();
      await fault.server.kill("SIGKILL");
      // The transaction of a killed server may be rolled back or committed. The agent cannot know, and sends it again.
      if (round % 2 === 0) for (const pid of caught) await sql`select pg_terminate_backend(${pid})`.execute(connection);
      await sql`select pg_advisory_unlock(${commitLock})`.execute(connection);
      return caught.length;
    });
    await fault.restart();
  }
  await sql`drop trigger wait_at_commit on usage_samples`.execute(db);

  for (const bench of benches) {
    const back = await fault.follow(bench);
    await back.until("stop", "", "EXITED");
    await expectCharged(fault, back);
    back.close();
  }
  return killed;
}
