import type { Job, JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { isAvailable, openEngineUnderTest, type EngineUnderTest } from "../testing/engine-under-test.ts";
import type { TestAccount } from "../testing/test-server.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { killBeforeCommits } from "./charges.ts";
import type { FaultBench } from "./fault-bench.ts";

// Credits and the queue, on every engine.

async function graphsOf({ owner, projectId }: Workbench, count: number): Promise<string[]> {
  const form = { name: "G", description: "", project_id: projectId };
  const made = await Promise.all(Array.from({ length: count }, () => owner.post("/api/v3/graphs/", form)));
  return made.map((answer) => answer.json<{ id: string }>().id);
}

const list = async (person: TestAccount) => (await person.get("/api/v3/jobs")).json<JobsResponse>();

for (const name of ["local", "docker"] as const)
  describe.skipIf(!isAvailable(name))(`on the engine ${name}`, () => {
    let underTest: EngineUnderTest;
    let fault: FaultBench;
    beforeAll(async () => {
      underTest = await openEngineUnderTest(name);
    });
    afterAll(() => underTest.close());
    afterEach(() => fault.close());

    const give = (person: TestAccount, credits: number) =>
      fault.database.db.updateTable("accounts").set({ credits }).where("id", "=", person.account.id).execute();

    it("starts exactly one of 50 at once with credit for one, and ends it when the credits are used up (fault 19)", async () => {
      fault = await underTest.server({ MIRANDA_PRICE_CORE_HOUR: "36000", MIRANDA_PROCESSORS_PER_ACCOUNT: "60" });
      const bench = await fault.workbench();
      await bench.node(script("while True: pass"));
      const graphs = [bench.graphId, ...(await graphsOf(bench, 49))];
      await give(bench.owner, 1);
      const answers = await Promise.all(
        graphs.map((id) => bench.owner.post(`/api/v3/graphs/${id}/processor`, { tag: 1 })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 402)).toHaveLength(49);
      const [started] = answers.filter(({ status }) => status === 200).map((answer) => answer.json<JobSummary>());
      await bench.owner.put(`/api/v3/jobs/${started?.id}/cancel`);
      await expect.poll(async () => (await list(bench.owner)).running, { timeout: 15_000 }).toEqual([]);

      await give(bench.owner, 2);
      await bench.start();
      const since = bench.listener.received.length;
      await bench.until("start", "-1", "RUNNING");
      await bench.state(since, "EXITED");
      const job = await bench.job();
      expect(job.logs.at(-1)?.message.split("\n").at(-1)).toBe("The session was stopped: You are out of credits.");
      expect(job.cpu_seconds).toBeGreaterThan(0.2);
      expect(job.ram_gb_seconds).toBeGreaterThan(0);
      expect(job.total_cost).toBeGreaterThan(2);
      const samples = await fault.database.db
        .selectFrom("usage_samples")
        .select("cost")
        .where("job_id", "=", bench.jobId)
        .execute();
      expect(job.total_cost).toBeCloseTo(
        samples.reduce((sum, { cost }) => sum + cost, 0),
        6,
      );
      const { credits } = (await bench.owner.get("/api/v3/auth/")).json<{ account: { credits: number } }>().account;
      expect(credits).toBeCloseTo(2 - (job.total_cost ?? 0), 5);
      // After the end there may be one last sample.
      expect(samples.length).toBeLessThanOrEqual(4);
      bench.close();
    });

    it("starts another account's session within one rotation while one account queues a thousand (fault 20)", async () => {
      fault = await underTest.server({ MIRANDA_PROCESSORS: "2", MIRANDA_PROCESSORS_PER_ACCOUNT: "2" });
      const { db } = fault.database;
      const many = await fault.workbench();
      await db.updateTable("accounts").set({ credits: 1e6 }).execute();
      for (const id of await graphsOf(many, 10)) await many.owner.post(`/api/v3/graphs/${id}/processor`, { tag: 1 });
      await expect.poll(async () => (await list(many.owner)).running.length).toBe(2);
      expect((await list(many.owner)).queued).toHaveLength(8);
      expect((await list(many.owner)).queued.at(-1)?.workflow_state).toBe("QUEUED");

      // A thousand queued jobs of one account, inserted directly: only the order matters.
      const rows = Array.from({ length: 1000 }, () => ({
        id: crypto.randomUUID(),
        tag: 1,
        graph_id: null,
        account_id: many.owner.account.id,
        name: "x",
        engine: name,
        state: "QUEUED" as const,
        total_cost: null,
        token_hash: null,
      }));
      await db.insertInto("jobs").values(rows).execute();
      const other = await fault.workbench();
      const since = other.listener.received.length;
      const made = await other.owner.post(`/api/v3/graphs/${other.graphId}/processor`, { tag: 9 });
      other.jobId = made.json<{ id: string }>().id;
      expect((await list(other.owner)).queued).toHaveLength(1);
      const [running] = (await list(many.owner)).running as [Job];
      await many.owner.put(`/api/v3/jobs/${running.id}/cancel`);
      await other.state(since, "READY");
      const left = (await list(many.owner)).running.filter(({ workflow_state }) => workflow_state !== "KILLING");
      expect(left).toHaveLength(1);

      // Of so many only the newest are listed.
      const [waiting] = (await list(many.owner)).queued as [Job];
      const cancelled = (await many.owner.put(`/api/v3/jobs/${waiting.id}/cancel`)).json<JobSummary>();
      expect(cancelled.workflow_state).toBe("EXITED");
      many.close();
      other.close();
    });

    it("charges each sample exactly once when the server is killed between charge and commit (fault 17; 200 times in the long suite)", async () => {
      fault = await underTest.server({ MIRANDA_HEARTBEAT_SECONDS: "1", MIRANDA_LOST_SECONDS: "20" });
      expect(await killBeforeCommits(fault, 3, 9)).toBeGreaterThanOrEqual(9);
    });
  });
