import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { FaultBench } from "../../../faults/fault-bench.ts";
import { newId } from "../../../platform/crypto.ts";
import { housekeeping } from "../../../limits.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { finishChore } from "../../../testing/finish-chore.ts";
import { createBilling } from "../../billing/billing-service.ts";
import { createOldJobQueries } from "./old-jobs-queries.ts";
import { removeOldJobs } from "./remove-old-jobs.ts";

const run = promisify(execFile);
const day = 86_400_000;
const sessionDays = 30;
// Longer than any path the system accepts at once.
const digDeep = "import os\nfor _ in range(20):\n    os.mkdir('x' * 250)\n    os.chdir('x' * 250)";

let fault: FaultBench;
let owner: { graph_id: string; account_id: string };
beforeAll(async () => {
  fault = await FaultBench.open();
  const bench = await fault.workbench();
  owner = { graph_id: bench.graphId, account_id: bench.owner.account.id };
  bench.close();
  // A server removes old sessions when it starts, and every hour.
  await fault.server.kill("SIGKILL");
});
afterAll(() => fault.close());
beforeEach(() => fault.database.db.deleteFrom("jobs").execute());

async function makeEnded(days: number): Promise<string> {
  const id = newId();
  const row = { id, tag: 1, ...owner, name: "x", engine: "local" };
  const ended_at = new Date(Date.now() - days * day);
  await fault.database.db
    .insertInto("jobs")
    .values({ ...row, state: "EXITED", token_hash: null, total_cost: null, ended_at })
    .execute();
  return id;
}

const left = async (): Promise<string[]> =>
  (await fault.database.db.selectFrom("jobs").select("id").execute()).map(({ id }) => id);

it("removes old sessions' files and rows, whatever is in their folders", async () => {
  const jobs = join(fault.dataFolder, "jobs");
  const deep = await makeEnded(60);
  const plain = await makeEnded(50);
  const young = await makeEnded(2);
  for (const id of [deep, plain, young]) {
    await mkdir(join(jobs, id), { recursive: true });
    await writeFile(join(jobs, id, "file"), "x");
  }
  await run("python3", ["-c", digDeep], { cwd: join(jobs, deep) });
  const created_at = new Date(Date.now() - 10 * day);
  const sample = { number: 1, seconds: 2, cpu_seconds: 1, ram_gb: 1, cost: 0 };
  await fault.database.db
    .insertInto("usage_samples")
    .values({ ...sample, job_id: young, created_at })
    .execute();
  await fault.restart();
  try {
    await expect.poll(left, { timeout: 20_000 }).not.toContain(plain);
    expect(await left()).toContain(young);
    expect(existsSync(join(jobs, plain))).toBe(false);
    expect(existsSync(join(jobs, young))).toBe(true);
    expect(await fault.database.db.selectFrom("usage_samples").selectAll().execute()).toEqual([]);
  } finally {
    await fault.server.kill("SIGKILL");
    await run("rm", ["-rf", join(jobs, deep)]);
  }
});

const chore = (clean: (id: string) => Promise<void>, reports: string[] = []) =>
  removeOldJobs({
    queries: createOldJobQueries(fault.database.db),
    billing: createBilling(readConfig({}).processors),
    engine: { clean },
    sessionDays,
    report: (_error, what) => void reports.push(what),
  });

it("keeps the row of a session whose files cannot be removed, logs it, and tries again", async () => {
  const stubborn = await makeEnded(60);
  await makeEnded(50);
  const reports: string[] = [];
  const attempt = (clean: (id: string) => Promise<void>) => finishChore(chore(clean, reports));
  await attempt(async (id) => {
    if (id === stubborn) throw new Error("ENAMETOOLONG");
  });
  expect(await left()).toEqual([stubborn]);
  expect(reports).toEqual([`removing the files of the old session ${stubborn} failed`]);
  await attempt(async () => undefined);
  expect(await left()).toEqual([]);
});

it("removes many sessions and a long log in small batches, and leaves the young ones", async () => {
  const { db } = fault.database;
  const old = [];
  for (let at = 0; at < 120; at++) old.push(await makeEnded(60));
  const young = await makeEnded(2);
  for (const [id, chunks] of [[old[0] ?? "", 3_500] as const, [young, 5] as const])
    await sql`insert into log_chunks (job_id, first_line, lines, bytes, entries)
      select ${id}::uuid, n, 1, 10, '[]' from generate_series(1, ${chunks}) n`.execute(db);
  await sql`insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, created_at)
    select ${young}::uuid, n, 2, 1, 1, 0, now() - case when n <= 12000 then interval '4 days' else interval '1 day' end
    from generate_series(1, 12010) n`.execute(db);
  const count = async (table: "jobs" | "log_chunks" | "usage_samples") =>
    (
      await db
        .selectFrom(table)
        .select(sql<number>`count(*)`.as("count"))
        .executeTakeFirstOrThrow()
    ).count;
  const counts = async () => [await count("jobs"), await count("log_chunks"), await count("usage_samples")] as const;

  const batches = chore(async () => undefined);
  let before = await counts();
  expect(before).toEqual([121, 3_505, 12_010]);
  for (let step = await batches.next(); !step.done; step = await batches.next()) {
    const after = await counts();
    expect(before[0] - after[0]).toBeLessThanOrEqual(housekeeping.sessions);
    expect(before[1] - after[1]).toBeLessThanOrEqual(housekeeping.rows);
    expect(before[2] - after[2]).toBeLessThanOrEqual(housekeeping.samples);
    before = after;
  }
  expect(await left()).toEqual([young]);
  expect(before).toEqual([1, 5, 10]);
});

it("keeps what each project cost on each day when the sessions are removed", async () => {
  const { db } = fault.database;
  const old = [await makeEnded(60), await makeEnded(59), await makeEnded(58)];
  const young = await makeEnded(1);
  const book = (job_id: string, day: string, amount: number) =>
    db
      .insertInto("ledger")
      .values({ account_id: owner.account_id, kind: "usage", job_id, project_id: null, day: new Date(day), amount })
      .execute();
  const booked = () =>
    db
      .selectFrom("ledger")
      .select(["job_id", sql<string>`day::text`.as("day"), "amount"])
      .orderBy("day")
      .orderBy("id")
      .execute();
  await db.deleteFrom("ledger").execute();
  await book(old[0] ?? "", "2026-01-01T12:00:00Z", -0.000000001);
  await book(old[1] ?? "", "2026-01-01T12:00:00Z", -2);
  await book(old[1] ?? "", "2026-01-02T12:00:00Z", -4);
  await finishChore(
    chore(async (id) => {
      if (id === old[2]) throw new Error("not yet");
    }),
  );
  await book(old[2] ?? "", "2026-01-02T12:00:00Z", -0.5);
  await book(young, "2026-01-02T12:00:00Z", -8);
  await finishChore(chore(async () => undefined));
  expect(await booked()).toEqual([
    { job_id: null, day: "2026-01-01", amount: -2.000000001 },
    { job_id: null, day: "2026-01-02", amount: -4.5 },
    { job_id: young, day: "2026-01-02", amount: -8 },
  ]);
});
