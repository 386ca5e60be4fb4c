import type { Job, JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/config.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken, script, Workbench } from "../../testing/workbench.ts";

const settings = (more: Record<string, string> = {}) => ({ processors: readConfig(more).processors });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(settings({ MIRANDA_PRICE_CORE_HOUR: "36000", MIRANDA_PROCESSORS_PER_ACCOUNT: "60" }));
});
afterAll(() => server.close());

const setAccount = (person: TestAccount, change: object) =>
  server.db.updateTable("accounts").set(change).where("id", "=", person.account.id).execute();

describe("who may start", () => {
  it("nobody without credits, and nobody whose trial has ended unless they subscribed", async () => {
    const bench = await Workbench.open(server);
    const start = async () => {
      const { status, text } = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 1 });
      return [status, text];
    };
    await setAccount(bench.owner, { credits: 0 });
    expect(await start()).toEqual([402, "You are out of credits."]);
    await setAccount(bench.owner, { credits: -3 });
    expect(await start()).toEqual([402, "You are out of credits."]);
    await setAccount(bench.owner, { credits: 5, trial_end: new Date(Date.now() - 1_000) });
    expect(await start()).toEqual([402, "Your trial has ended."]);
    await setAccount(bench.owner, { trial: false });
    expect(await start()).toEqual([402, "Your trial has ended."]);
    await setAccount(bench.owner, { subscribed: true });
    expect((await start())[0]).toBe(200);
    bench.close();
  });

  it("exactly one of 50 starts at once on credit for one (fault 19)", async () => {
    const owner = await server.signUp();
    await giveToken(owner);
    await setAccount(owner, { credits: 1 });
    const project = (await owner.post("/api/v3/projects/", { name: "P", description: "" })).json<{ id: string }>().id;
    const graphs = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const made = await owner.post("/api/v3/graphs/", { name: "G", description: "", project_id: project });
        return made.json<{ id: string }>().id;
      }),
    );
    const answers = await Promise.all(graphs.map((id) => owner.post(`/api/v3/graphs/${id}/processor`, { tag: 1 })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 402)).toHaveLength(49);
  });
});

describe("usage", () => {
  it("is sampled from outside, charged, and stops the session when the credits are gone (fault 19)", async () => {
    const bench = await Workbench.open(server);
    await setAccount(bench.owner, { credits: 2 });
    await bench.node(script("while True: pass"));
    await bench.start();
    const since = bench.ear.heard.length;
    await bench.until("start", "-1", "RUNNING");
    await bench.state(since, "EXITED");
    const job = await bench.job();
    expect(job.logs.at(-1)?.message.split("\n").at(-1)).toBe("The session was stopped: You are out of credits.");
    expect(job.cpu_seconds).toBeGreaterThan(0.2);
    expect(job.ram_gb_seconds).toBeGreaterThan(0);
    expect(job.total_cost).toBeGreaterThan(2);
    const samples = await server.db
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
    // Charged after the end: no more than the one sample that closes the account.
    expect(samples.length).toBeLessThanOrEqual(4);
    bench.close();
  });
});

describe("the queue", () => {
  it("lets one account wait, and another start within one rotation (fault 20)", { timeout: 90_000 }, async () => {
    const small = await startTestServer(settings({ MIRANDA_PROCESSORS: "2", MIRANDA_PROCESSORS_PER_ACCOUNT: "2" }));
    const many = await Workbench.open(small);
    await small.db.updateTable("accounts").set({ credits: 1e6 }).execute();
    const graphs: string[] = [];
    for (let at = 0; at < 10; at++) {
      const made = await many.owner.post("/api/v3/graphs/", {
        name: `G${at}`,
        description: "",
        project_id: many.projectId,
      });
      graphs.push(made.json<{ id: string }>().id);
    }
    for (const id of graphs) await many.owner.post(`/api/v3/graphs/${id}/processor`, { tag: 1 });
    const list = async (person: TestAccount) => (await person.get("/api/v3/jobs")).json<JobsResponse>();
    await expect.poll(async () => (await list(many.owner)).running.length).toBe(2);
    expect((await list(many.owner)).queued).toHaveLength(8);
    const queued = (await list(many.owner)).queued.at(-1) as Job;
    expect(queued.workflow_state).toBe("QUEUED");

    // A thousand more of the same account, by the back door: it is the order that counts.
    const rows = Array.from({ length: 1000 }, () => ({
      id: crypto.randomUUID(),
      tag: 1,
      graph_id: null,
      account_id: many.owner.account.id,
      name: "x",
      engine: "local",
      state: "QUEUED" as const,
      total_cost: null,
      token_hash: null,
    }));
    await small.db.insertInto("jobs").values(rows).execute();
    const other = await Workbench.open(small);
    const since = other.ear.heard.length;
    const made = await other.owner.post(`/api/v3/graphs/${other.graphId}/processor`, { tag: 9 });
    other.jobId = made.json<{ id: string }>().id;
    expect((await list(other.owner)).queued).toHaveLength(1);
    const [running] = (await list(many.owner)).running as [Job];
    await many.owner.put(`/api/v3/jobs/${running.id}/cancel`);
    await other.state(since, "READY");
    expect((await list(many.owner)).running.filter(({ workflow_state }) => workflow_state !== "KILLING")).toHaveLength(
      1,
    );

    const waiting = (await list(many.owner)).queued.find(({ graph }) => graph) as Job;
    const left = (await many.owner.put(`/api/v3/jobs/${waiting.id}/cancel`)).json<JobSummary>();
    expect(left.workflow_state).toBe("EXITED");
    await small.db.deleteFrom("jobs").where("state", "=", "QUEUED").execute();
    many.close();
    other.close();
    await small.close();
  });

  it("refuses a configuration in which everybody would be lost (fault 6)", () => {
    expect(() => readConfig({ MIRANDA_LOST_SECONDS: "10", MIRANDA_HEARTBEAT_SECONDS: "10" })).toThrow(
      /MIRANDA_LOST_SECONDS \(10\) must be more than MIRANDA_HEARTBEAT_SECONDS/,
    );
    expect(() => readConfig({ MIRANDA_PROCESSORS: "0" })).toThrow(/MIRANDA_PROCESSORS/);
    expect(() => readConfig({ MIRANDA_ENGINE: "moon" })).toThrow(/MIRANDA_ENGINE/);
  });
});
