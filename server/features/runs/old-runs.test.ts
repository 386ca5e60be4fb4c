import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { addVersion } from "../../testing/models/models.ts";
import { listRuns, readRun } from "../../testing/runs.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";
import { createOldJobQueries } from "../processors/jobs/old-jobs-queries.ts";
import { createOldRuns } from "./old-runs-service.ts";

const settings = { days: 90, outputBytes: 5_000 };

let server: TestServer;
let bench: Workbench;
beforeAll(async () => {
  server = await startTestServer();
  await server.signUp("admin");
});
afterAll(() => server.close());
beforeEach(async () => {
  bench?.close();
  bench = await Workbench.open(server);
});

interface Stored {
  days?: number;
  isAlive?: boolean;
  outputBytes?: number;
  account?: TestAccount;
  job_id?: string;
  number?: number;
}

/** A run with a node, and an output of that size. */
async function store(given: Stored = {}): Promise<{ id: string; job_id: string }> {
  const { days = 0, isAlive = false, outputBytes = 1_000, account = bench.owner, job_id = newId(), number = 1 } = given;
  const id = newId();
  const began_at = new Date(Date.now() - days * 86_400_000);
  await server.db
    .insertInto("runs")
    .values({
      ...{ id, graph_id: bench.graphId, account_id: account.account.id, job_id, session_tag: 1, session_name: "S" },
      ...{ number, command: 1, mode: "all", graph_revision: 1, first_line: 1, began_at },
      ...{ state: isAlive ? "running" : "done", ended_at: isAlive ? null : began_at, output_bytes: outputBytes },
    })
    .execute();
  await server.db.insertInto("run_nodes").values({ run_id: id, node_id: 1, name: "n", planned: true }).execute();
  await server.db
    .insertInto("job_outputs")
    .values({ job_id, node_id: 1, run: number, number: 1, data: "{}", show_id: null, bytes: outputBytes })
    .execute();
  return { id, job_id };
}

const outputsOf = async (id: string) => (await bench.owner.get(`/api/v3/runs/${id}/outputs`)).json<unknown[]>().length;
const left = async () => (await listRuns(bench)).map(({ id }) => id);
const count = async (table: "run_nodes" | "job_outputs" | "runs") => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(server.db);
  return rows[0]?.count;
};

async function storeSession(more: object = {}): Promise<string> {
  const id = newId();
  const row = { id, tag: 1, graph_id: bench.graphId, account_id: bench.owner.account.id, name: "x", engine: "local" };
  const ended = { state: "EXITED" as const, token_hash: null, total_cost: null, ended_at: new Date() };
  await server.db
    .insertInto("jobs")
    .values({ ...row, ...ended, ...more })
    .execute();
  return id;
}

describe("an old run", () => {
  it("is removed with its nodes and outputs; younger ones and one that is alive stay", async () => {
    const old = await store({ days: 91 });
    const young = await store({ days: 89 });
    const seen_at = new Date(Date.now() + 3_600_000);
    const job_id = await storeSession({ state: "READY", ended_at: null, seen_at });
    const alive = await store({ days: 200, isAlive: true, job_id });
    await finishChore(createOldRuns(server.db, settings).remove());
    expect((await left()).toSorted()).toEqual([young.id, alive.id].toSorted());
    const rows = await server.db.selectFrom("run_nodes").select("run_id").where("run_id", "=", old.id).execute();
    expect(rows).toEqual([]);
    expect(await outputsOf(young.id)).toBe(1);
  });

  it("stays while a version of a model came of it", async () => {
    const [run, other] = [await store({ days: 91 }), await store({ days: 91 })];
    const { modelId } = await addVersion(server.db, bench.projectId, "tides", {
      runId: run.id,
      graphId: bench.graphId,
    });
    await finishChore(createOldRuns(server.db, settings).remove());
    expect(await left()).toEqual([run.id]);
    expect((await bench.owner.get(`/api/v3/runs/${other.id}`)).status).toBe(404);
    const version = (await bench.owner.get(`/api/v3/models/${modelId}/versions/1`)).json<ModelVersion>();
    expect(version.run).toMatchObject({ id: run.id, exists: true });
    await sql`delete from model_versions where model_id = ${modelId}`.execute(server.db);
    await finishChore(createOldRuns(server.db, settings).remove());
    expect(await left()).toEqual([]);
  });

  it("is removed in batches by two servers at once", async () => {
    for (let at = 0; at < 50; at += 1) await store({ days: 100 + at });
    const chores = [1, 2].map(() => finishChore(createOldRuns(server.db, settings).remove()));
    await Promise.all(chores);
    expect(await left()).toEqual([]);
  });
});

describe("the outputs of runs", () => {
  it("stay when their session is removed; those of no run go with it", async () => {
    const job_id = await storeSession();
    const run = await store({ job_id });
    const loose = { job_id, node_id: 1, run: 7, number: 1, data: "{}", show_id: null };
    await server.db.insertInto("job_outputs").values(loose).execute();
    const old = createOldJobQueries(server.db);
    await finishChore(old.removeContents([job_id]));
    await old.remove([job_id], async () => undefined);
    expect(await outputsOf(run.id)).toBe(1);
    expect((await readRun(bench, run.id)).session.exists).toBe(false);
    const rows = await server.db.selectFrom("job_outputs").select("run").where("job_id", "=", job_id).execute();
    expect(rows).toEqual([{ run: 1 }]);
  });

  it("of the oldest runs are removed when a project has too many, and these runs say so", async () => {
    const job_id = await storeSession({ output_bytes: 4_000 });
    const runs = [await store({ outputBytes: 4_000, job_id })];
    for (let at = 0; at < 3; at += 1) runs.push(await store({ outputBytes: 2_000 }));
    await finishChore(createOldRuns(server.db, settings).trimAll());
    const details = await Promise.all(runs.map(({ id }) => readRun(bench, id)));
    expect(details.map(({ outputs_removed }) => outputs_removed)).toEqual([true, false, false, false]);
    expect(await Promise.all(runs.map(({ id }) => outputsOf(id)))).toEqual([0, 1, 1, 1]);
    const job = await server.db.selectFrom("jobs").select("output_bytes").where("id", "=", job_id).executeTakeFirst();
    expect(job?.output_bytes).toBe(0);
  });

  it("of the newest run stay whatever they take", async () => {
    const run = await store({ outputBytes: 1_000_000 });
    await finishChore(createOldRuns(server.db, settings).trimAll());
    expect(await outputsOf(run.id)).toBe(1);
  });
});

describe("runs go with what they belong to", () => {
  it("move with their workflow", async () => {
    const run = await store();
    const other = (await bench.owner.post("/api/v3/projects/", { name: "Other", description: "" })).json<{
      id: string;
    }>();
    const moved = await bench.owner.patch(`/api/v3/graphs/${bench.graphId}`, { dest_parent_id: other.id });
    expect(moved.status).toBe(200);
    const answer = await bench.owner.get(`/api/v3/runs?project_id=${other.id}`);
    expect(answer.json<{ runs: { id: string }[] }>().runs.map(({ id }) => id)).toEqual([run.id]);
    expect((await bench.owner.get(`/api/v3/runs?project_id=${bench.projectId}`)).json()).toMatchObject({ runs: [] });
  });

  it("go with a deleted workflow", async () => {
    const run = await store();
    await bench.owner.delete(`/api/v3/graphs/${bench.graphId}`);
    expect((await bench.owner.get(`/api/v3/runs/${run.id}`)).status).toBe(404);
    const rows = await server.db.selectFrom("job_outputs").select("run").where("job_id", "=", run.job_id).execute();
    expect(rows).toEqual([]);
  });

  it("go with a deleted project, in batches", async () => {
    const before = [await count("runs"), await count("run_nodes"), await count("job_outputs")];
    for (let at = 0; at < 20; at += 1) await store();
    await bench.owner.delete(`/api/v3/projects/${bench.projectId}`);
    const now = async () => [await count("runs"), await count("run_nodes"), await count("job_outputs")];
    await expect.poll(now, { timeout: 20_000 }).toEqual(before);
  });

  it("stay without a name when the account that ran them is deleted", async () => {
    const guest = await server.signUp("guest");
    await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "guest", role: "editor" });
    const run = await store({ account: guest });
    expect(await listRuns(bench, "&query=guest")).toHaveLength(1);
    const gone = await guest.delete("/api/v3/auth/account", { username: "guest", password, projects: "delete" });
    expect(gone.status).toBe(200);
    await expect.poll(async () => (await listRuns(bench, "&query=guest")).length, { timeout: 20_000 }).toBe(0);
    expect(await readRun(bench, run.id)).toMatchObject({ by: null });
  });
});
