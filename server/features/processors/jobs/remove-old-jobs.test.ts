import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { FaultBench } from "../../../faults/fault-bench.ts";
import { newId } from "../../../platform/crypto.ts";
import { createJobQueries } from "./jobs-queries.ts";
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

it("keeps the row of a session whose files cannot be removed, logs it, and tries again", async () => {
  const stubborn = await makeEnded(60);
  await makeEnded(50);
  const reports: string[] = [];
  const attempt = (clean: (id: string) => Promise<void>) =>
    removeOldJobs({
      jobs: createJobQueries(fault.database.db),
      engine: { clean },
      sessionDays,
      report: (_error, what) => void reports.push(what),
    });
  await attempt(async (id) => {
    if (id === stubborn) throw new Error("ENAMETOOLONG");
  });
  expect(await left()).toEqual([stubborn]);
  expect(reports).toEqual([`removing the files of the old session ${stubborn} failed`]);
  await attempt(async () => undefined);
  expect(await left()).toEqual([]);
});
