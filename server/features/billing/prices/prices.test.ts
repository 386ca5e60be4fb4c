import { errors } from "@miranda/contract/errors.ts";
import type { PriceList, PricesNow } from "@miranda/contract/schemas/billing/prices.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { booksOf } from "../../../testing/billing.ts";
import { ForgedRun } from "../../../testing/runs.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";
import { costOf } from "./sample-cost.ts";

let server: TestServer;
let admin: TestAccount;
let other: TestAccount;
const { processors } = readConfig({ LOG_LEVEL: "silent" });
beforeAll(async () => {
  // One credit per second.
  server = await startTestServer({ processors: { ...processors, prices: { coreHour: 0, ramGbHour: 0, hour: 3_600 } } });
  admin = await server.signUp("admin");
  other = await server.signUp("secondadmin");
  await server.db.updateTable("accounts").set({ is_admin: true }).where("id", "=", other.account.id).execute();
});
afterAll(() => server.close());
beforeEach(() => sql`delete from prices`.execute(server.db));

const path = "/api/v3/admin/prices";
const rates = { core_hour: "0.6", ram_gb_hour: "0", hour: "7200" };
const list = async (): Promise<PriceList> => (await admin.get(path)).json<PriceList>();
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** A price as if it had been set for that moment. */
const applySince = (hour: number, ago: string) =>
  sql`insert into prices (effective_from, core_hour, ram_gb_hour, hour) values (now() - ${ago}::interval, 0, 0, ${hour})`.execute(
    server.db,
  );

describe("what a sample costs", () => {
  const used = { seconds: 10, cpuSeconds: 3_600, ramGb: 360 };
  const first = { from: Number.NEGATIVE_INFINITY, coreHour: 1, ramGbHour: 0, hour: 0 };
  const second = { from: 100_000, coreHour: 0, ramGbHour: 1, hour: 0 };
  const third = { from: 104_000, coreHour: 0, ramGbHour: 0, hour: 3_600 };

  it("has the price of its own time, and of each part of its time when the price changes", () => {
    const prices = [first, second, third];
    expect(costOf(used, 100_000, prices)).toBe(1_000_000_000n);
    expect(costOf(used, 114_000, prices)).toBe(10_000_000_000n);
    // 3 s at the first price, 4 s at the second, 3 s at the third.
    expect(costOf(used, 107_000, prices)).toBe(300_000_000n + 400_000_000n + 3_000_000_000n);
  });

  it("has the price of its end when it took no time", () => {
    expect(costOf({ ...used, seconds: 0 }, 100_000, [first, { ...second, coreHour: 2 }])).toBe(2_000_000_000n);
  });
});

it("charges each sample at the price that applied when it was measured, and never changes past charges", async () => {
  const bench = await Workbench.open(server);
  const run = await ForgedRun.begin(server, bench, { started_at: new Date(Date.now() - 7_200_000) });
  const usage = (sample: number, clock: number) => ({
    ...{ kind: "usage", sample, seconds: 2, cpu_seconds: 1, ram_gb: 1, run: 1, clock },
  });
  run.clock = 10_000;
  await run.post(usage(1, 10_000));
  await applySince(7_200, "1 hour");
  // An agent that could not reach the server for more than an hour: before the price, and after it.
  await run.post(usage(2, 10_000 - 5_000), usage(3, 10_000));
  const samples = await sql<{ cost: string }>`select cost::text from usage_samples where job_id = ${run.jobId}
    order by number`.execute(server.db);
  expect(samples.rows.map(({ cost }) => Number(cost))).toEqual([2, 2, 4]);
  expect((await bench.job()).total_cost).toBe(8);
  const [credits, booked] = await booksOf(server.db, { account: bench.owner.account.id });
  expect([credits, booked]).toEqual(["92.000000000", "92.000000000"]);
});

it("does not believe an agent that says its samples are older than its session", async () => {
  const bench = await Workbench.open(server);
  const run = await ForgedRun.begin(server, bench, { started_at: new Date() });
  await applySince(7_200, "1 hour");
  run.clock = 1_000_000;
  await run.post({ kind: "usage", sample: 1, seconds: 1, cpu_seconds: 0, ram_gb: 0, run: 1, clock: 0 });
  expect((await bench.job()).total_cost).toBe(2);
});

it("shows the current and the next price, and withdraws a scheduled price", async () => {
  const person = await server.signUp();
  const now = async () => (await person.get("/api/v3/prices")).json<PricesNow>();
  expect(await now()).toEqual({
    now: { core_hour: "0.000000000", ram_gb_hour: "0.000000000", hour: "3600.000000000" },
    next: null,
  });
  const from = inDays(3);
  const set = (await admin.post(path, { ...rates, from, note: "New machines", version: 0 })).json<PriceList>();
  expect(set).toMatchObject({
    version: 1,
    prices: [{ hour: "7200.000000000", from, state: "future", note: "New machines", by: "admin" }],
  });
  expect((await now()).next).toEqual({
    core_hour: "0.600000000",
    ram_gb_hour: "0.000000000",
    hour: "7200.000000000",
    from,
  });
  const id = set.prices[0]?.id ?? 0;
  const gone = (await other.post(`${path}/${id}/withdraw`, { version: 1 })).json<PriceList>();
  expect(gone).toMatchObject({ version: 2, prices: [{ id, state: "withdrawn" }] });
  expect((await now()).next).toBeNull();
  expect(await admin.post(`${path}/${id}/withdraw`, { version: 2 })).toMatchObject({ status: 404 });

  await applySince(1, "1 second");
  const current = (await list()).prices.find(({ state }) => state === "now");
  const { version } = await list();
  const refused = await admin.post(`${path}/${current?.id}/withdraw`, { version });
  expect(refused).toMatchObject({ status: 409, text: errors.price_in_effect });
  const events = await sql<{ kind: string }>`select kind from audit_log where kind = 'admin.prices'`.execute(server.db);
  expect(events.rows).toHaveLength(2);
});

it("changes the price once when two administrators change it at once", async () => {
  const answers = await Promise.all(
    [admin, other].map((one, at) => one.post(path, { ...rates, from: inDays(at + 1), version: 0 })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.text).toBe(errors.prices_changed);
  expect((await list()).prices).toHaveLength(1);
});

it("refuses negative and absurd prices, moments in the past, and a moment twice", async () => {
  const refused = async (form: object) => {
    const { status, text } = await admin.post(path, {
      ...rates,
      from: inDays(1),
      version: (await list()).version,
      ...form,
    });
    return [status, text];
  };
  const words = "The price per session and hour must be a number from 0 to 10000, with at most 9 decimals.";
  for (const hour of ["-1", "-0.000000001", "10000.1", "NaN", "Infinity", "1e3", "0.0000000001", "", "ten", null])
    expect(await refused({ hour })).toEqual([400, words]);
  expect(await refused({ from: inDays(-1) })).toEqual([400, errors.price_too_early]);
  expect(await refused({ from: new Date().toISOString() })).toEqual([400, errors.price_too_early]);
  expect(await refused({ from: inDays(800) })).toEqual([400, errors.price_too_late]);
  expect((await refused({ from: "tomorrow" }))[0]).toBe(400);
  const from = inDays(2);
  await admin.post(path, { ...rates, from, version: 0 });
  expect(await refused({ from })).toEqual([409, errors.price_moment_taken]);
  expect((await list()).prices).toHaveLength(1);
  // Without a moment: as soon as possible.
  const soon = (await admin.post(path, { ...rates, version: 1 })).json<PriceList>();
  expect(soon.prices.map(({ state }) => state)).toEqual(["future", "future"]);
});
