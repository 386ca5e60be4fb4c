import { runArgs } from "@miranda/contract/command-args.ts";
import type { MonthBudgetAnswer } from "@miranda/contract/schemas/billing/budgets.ts";
import type { LedgerPage, SpendingOfSession } from "@miranda/contract/schemas/billing/spending.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { bookUsage } from "../../../testing/billing.ts";
import { callsOf, serveAsProposed } from "../../../testing/deployments/served.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";
import { createBilling } from "../billing-service.ts";

let server: TestServer;
const { processors } = readConfig({ LOG_LEVEL: "silent" });
// One credit per second, so that a limit is reached soon.
const prices = { coreHour: 0, ramGbHour: 0, hour: 3_600 };
beforeAll(async () => {
  server = await startTestServer({ processors: { ...processors, prices } });
});
afterAll(() => server.close());

const endless = script("import time", "while True:", "    time.sleep(0.01)");
const sleepy = `from miranda import *

class Sleepy(Node):
    seconds = Field(0.2, control=Number())
    done = Transmitter()
    def run(self):
        import time
        time.sleep(self.seconds)
        self.done.send(1)
`;
const own = "/api/v3/billing/budget";
const ofProject = ({ projectId }: Workbench): string => `/api/v3/projects/${projectId}/billing/budget`;

async function told(person: TestAccount): Promise<string[]> {
  const { notifications } = (await person.get("/api/v3/notifications")).json<NotificationPage>();
  return notifications.filter(({ kind }) => kind === "budget_reached").map(({ title }) => title);
}

/** Charges a session made for this test, as the events of its agent would. */
async function charge(bench: Workbench, number: number, seconds: number) {
  const billing = createBilling({ prices });
  const job = await server.db.selectFrom("jobs").selectAll().where("id", "=", bench.jobId).executeTakeFirstOrThrow();
  const booking = { payerId: null, personId: job.account_id, source: "session" } as const;
  return server.db.transaction().execute(async (trx) => {
    const samples = [{ number, seconds, cpuSeconds: 0, ramGb: 0, run: 0 }];
    return billing.charge(trx, job, await billing.store(trx, job, samples, () => booking));
  });
}

async function quietBench(): Promise<Workbench> {
  const bench = await Workbench.open(server);
  await bench.store("local", {}, new Date());
  return bench;
}

describe("a budget for the month", () => {
  it("warns once at 50, 80 and 100 %, and again after it was raised", async () => {
    const bench = await quietBench();
    const { owner } = bench;
    await owner.put(own, { amount: "10", at_full: "warn", zone: "Europe/Zurich" });
    await charge(bench, 1, 4.9);
    expect(await told(owner)).toEqual([]);
    await charge(bench, 2, 0.1);
    await charge(bench, 3, 0.1);
    expect(await charge(bench, 4, 2.9)).toMatchObject({ full: [], isWarned: true });
    expect(await charge(bench, 5, 1)).toMatchObject({ isWarned: false });
    expect(await charge(bench, 6, 1)).toMatchObject({ isWarned: true });
    expect(await charge(bench, 7, 5)).toMatchObject({ isWarned: false });
    const { budget } = (await owner.put(own, { amount: 20, at_full: "stop", zone: "UTC" })).json<MonthBudgetAnswer>();
    expect(budget).toMatchObject({ amount: "20.000000000", spent: "15.000000000", zone: "UTC" });
    expect(await charge(bench, 8, 1)).toMatchObject({ full: [], isWarned: true });
    await owner.put(own, { amount: "16", at_full: "warn", zone: "UTC" });
    const titles = ["Your budget is used up", "80 % of your budget is used up", "50 % of your budget is used up"];
    await expect.poll(() => told(owner)).toEqual(expect.arrayContaining(titles));
    bench.close();
  });

  it("is exact to the last digit when many sessions charge at once, and warns once", async () => {
    const bench = await quietBench();
    await bench.owner.put(ofProject(bench), { amount: "1", at_full: "stop" });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => charge(bench, at + 1, 0.1)));
    // Only the last one sees all ten.
    expect(answers.filter(({ full }) => full.length > 0)).toHaveLength(1);
    expect(answers.find(({ full }) => full.length > 0)?.full).toMatchObject([
      { accountId: null, projectId: bench.projectId, spent: "1.000000000" },
    ]);
    const { rows } = await sql<{ level: number }>`select level from budget_warnings
      join budgets on budgets.id = budget_id where project_id = ${bench.projectId} order by level`.execute(server.db);
    expect(rows.map(({ level }) => level)).toEqual([50, 80, 100]);
    bench.close();
  });

  it("lets no new session, run or call start once it is used up, and says whose budget it is", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    await bench.node(script("pass"), "Quick");
    await serveAsProposed(bench, { name: "monthly", access: "accounts", payer: "caller" });
    const caller = await server.signUp();
    expect((await callsOf(caller, "monthly").done({})).state).toBe("done");
    const paid = async () => (await caller.get("/api/v3/billing/ledger?kind=usage")).json<LedgerPage>().entries;
    await expect
      .poll(paid, { timeout: 10_000 })
      .toMatchObject([{ source: "call", project: null, workflow: { name: "monthly" } }]);
    const [{ session_id: session } = { session_id: "" }] = await paid();
    const details = (await caller.get(`/api/v3/billing/sessions/${session}`)).json<SpendingOfSession>();
    expect(details).toMatchObject({ project_name: "", between: null, has_samples: false, runs: [{ nodes: [] }] });
    expect(details.cost).toBe(details.paid);
    await bench.start();
    const run = () => bench.send("run", runArgs({ mode: "all" }));
    const words = /^You have spent \$\d+\.\d\d of \$4\.00 this month\. You can change this limit\.$/;
    const use = { accountId: bench.owner.account.id, projectId: bench.projectId, at: new Date().toISOString() };
    await bookUsage(server.db, { ...use, amount: "5" });
    await bench.owner.put(own, { amount: "4", at_full: "warn" });
    await bench.until("run", runArgs({ mode: "all" }), "READY");
    await bench.owner.put(own, { amount: "4", at_full: "pause" });
    // A purse that is used from now on pays for the next session, not for this one.
    const purse = `/api/v3/projects/${bench.projectId}/purse`;
    await bench.owner.put(purse, { in_use: "true" });
    expect(await run()).toMatchObject({ status: 402, text: expect.stringMatching(words) as string });
    await bench.owner.put(purse, { in_use: "false" });
    await bench.until("stop", "", "EXITED");
    const start = () => bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 7 });
    expect(await start()).toMatchObject({ status: 402, text: expect.stringMatching(words) as string });
    // The caller pays for the call, but the project may not spend more.
    await bench.owner.put(ofProject(bench), { amount: "0.01", at_full: "pause" });
    expect(await callsOf(caller, "monthly").send({})).toMatchObject({
      status: 402,
      text: "This app has used up its budget for this month.",
    });
    await caller.put(own, { amount: "0.000000001", at_full: "pause" });
    expect((await callsOf(caller, "monthly").send({})).text).toBe("What may be spent this month is used up.");
    await bench.owner.delete(own);
    const project = await start();
    expect(project.text).toMatch(/^This project has spent .* this month\. .+ can change this limit\.$/);
    expect((await bench.owner.delete(ofProject(bench))).status).toBe(200);
    expect((await bench.owner.delete(ofProject(bench))).status).toBe(404);
    expect((await start()).status).toBe(200);
    bench.close();
  }, 60_000);

  it("stops running sessions at 100 % when it is set to stop", async () => {
    const bench = await Workbench.open(server);
    await bench.node(endless, "Endless");
    await bench.owner.put(ofProject(bench), { amount: "2", at_full: "stop" });
    await bench.start();
    await bench.send("run", runArgs({ mode: "all" }));
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 30_000 }).toBe("EXITED");
    const last = (await bench.logs()).at(-1)?.message ?? "";
    expect(last).toMatch(/The session was stopped: This project has spent \$\d+\.\d\d of \$2\.00 this month\.$/);
    bench.close();
  }, 60_000);

  it("of a caller stops the call that runs and ends those that wait, and leaves calls that others pay for", async () => {
    const bench = await Workbench.open(server);
    await bench.node(sleepy, "Sleepy");
    await serveAsProposed(bench, { name: "stopping", access: "accounts", payer: "caller", at_once: 1 });
    const caller = await server.signUp();
    await caller.put(own, { amount: "2", at_full: "stop" });
    const theirs = callsOf(caller, "stopping");
    const runs = await theirs.made({ seconds: 60 });
    const waits = await theirs.made({ seconds: 60 });
    const owners = await callsOf(bench.owner, "stopping").made({ seconds: 0 });
    expect(await theirs.ended(runs.id)).toMatchObject({ state: "stopped" });
    const record = await server.db.selectFrom("runs").select("reason").where("id", "=", runs.id).executeTakeFirst();
    expect(record?.reason).toBe("It was stopped: the account that pays for it has used up its budget for this month.");
    expect(await theirs.ended(waits.id)).toMatchObject({
      state: "lost",
      reason: "The account that pays for it has used up its budget for this month.",
    });
    expect((await callsOf(bench.owner, "stopping").ended(owners.id)).state).toBe("done");
    bench.close();
  }, 90_000);

  it("of an owner lets a call that runs end and the next not begin, unless a purse pays", async () => {
    const bench = await Workbench.open(server);
    await bench.node(sleepy, "Sleepy");
    await serveAsProposed(bench, { name: "pausing", access: "accounts", at_once: 1 });
    const calls = callsOf(bench.owner, "pausing");
    expect((await calls.done({ seconds: 0 })).state).toBe("done");
    const runs = await calls.made({ seconds: 5 });
    const waits = await calls.made({ seconds: 0 });
    await expect.poll(async () => (await calls.read(runs.id)).state).toBe("running");
    await bench.owner.put(own, { amount: "0.000000001", at_full: "pause" });
    expect((await calls.ended(waits.id)).state).toBe("lost");
    expect((await calls.ended(runs.id)).state).toBe("done");

    const purse = `/api/v3/projects/${bench.projectId}/purse`;
    await bench.owner.post(`${purse}/fill`, { amount: "50" });
    await bench.owner.put(purse, { in_use: "true" });
    expect((await calls.done({ seconds: 0 })).state).toBe("done");
    bench.close();
  }, 90_000);

  it("refuses invalid amounts, choices and time zones, and changes nothing", async () => {
    const person = await server.signUp();
    await person.put(own, { amount: "5", at_full: "pause" });
    const refused = async (form: object) => (await person.put(own, { amount: "7", at_full: "warn", ...form })).text;
    const amountWords = "The amount must be a number above 0, at most 100000000, with at most 9 decimals.";
    for (const amount of ["-1", "0", "NaN", "1e300", "", "0.0000000001", "1,5", "100000001"])
      expect(await refused({ amount })).toBe(amountWords);
    expect(await refused({ at_full: "explode" })).toBe("at_full must be warn, pause or stop.");
    expect(await refused({ zone: "Nowhere" })).toBe("That time zone is not known.");
    const { budget } = (await person.get(own)).json<MonthBudgetAnswer>();
    expect(budget).toMatchObject({ amount: "5.000000000", at_full: "pause", zone: "UTC" });
  });
});
