import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";

import { callsOf, serveAsProposed } from "../testing/deployments/served.ts";
import { makeDue, schedulesOf, yearly } from "../testing/deployments/schedules.ts";
import { FaultBench } from "./fault-bench.ts";

const tides = `from miranda import *

class Tides(Node):
    rate = Field(1)
    heights = Transmitter("list")

    def run(self):
        self.heights.send([self.rate * 2])
`;

let fault: FaultBench;
afterEach(() => fault.close());

it("the nightly schedule runs over a restart: what was missed is made up once, and ends with its result", async () => {
  fault = await FaultBench.open();
  let bench = await fault.workbench();
  await bench.node(tides);
  const { name } = await serveAsProposed(bench, { name: "nightly-tides" });
  const nightly = await schedulesOf(bench.owner, bench.graphId).created({
    timezone: "Europe/Berlin",
    inputs: { rate: 21 },
  });
  const { id } = nightly;
  await fault.server.kill("SIGTERM");
  // Its time came while the server was down.
  const night = new Date(Date.parse(nightly.next[0] ?? "") - 86_400_000);
  await sql`update schedules set next_at = ${night} where id = ${id}`.execute(fault.database.db);
  await fault.restart();
  bench = await fault.follow(bench);
  const own = schedulesOf(bench.owner, bench.graphId);
  await expect.poll(async () => (await own.find(id)).last?.state, { timeout: 60_000 }).toBe("done");
  const { last, next } = await own.find(id);
  expect(next[0]).toBe(nightly.next[0]);
  expect(await callsOf(bench.owner, name).read(last?.call_id ?? "")).toMatchObject({
    ...{ via: "schedule", state: "done", result: { heights: [42] } },
  });
  const ticks = await own.ticks(id);
  expect(ticks.map(({ outcome, call }) => [outcome, call?.id])).toEqual([["called", last?.call_id]]);
  bench.close();
});

it("a server that is killed among many ticks leaves none out and calls none twice", async () => {
  fault = await FaultBench.open({ MIRANDA_PROCESSORS: "1", MIRANDA_PROCESSORS_PER_ACCOUNT: "1" });
  let bench = await fault.workbench();
  await bench.node(tides);
  await serveAsProposed(bench, { name: "many-tides", queue_max: 1_000 });
  const { id, deployment_id } = await schedulesOf(bench.owner, bench.graphId).created(yearly);
  const { db } = fault.database;
  await sql`insert into schedules (id, deployment_id, name, every_minutes, account_id, next_at)
    select gen_random_uuid(), deployment_id, name, every_minutes, account_id, now()
    from schedules, generate_series(1, 300) where id = ${id}`.execute(db);
  const counted = async () => {
    const { rows } = await sql<{ calls: number; schedules: number; ticks: number }>`
      select count(*)::integer as calls, count(distinct schedule_id)::integer as schedules,
        (select count(*)::integer from schedule_ticks join schedules on schedules.id = schedule_id
          where deployment_id = ${deployment_id} and outcome = 'called') as ticks
      from calls where deployment_id = ${deployment_id}`.execute(db);
    return rows[0];
  };
  await expect.poll(async () => (await counted())?.calls, { interval: 5, timeout: 30_000 }).toBeGreaterThan(20);
  await fault.server.kill("SIGKILL");
  // What the killed server had taken is free after a minute. It need not pass here.
  await sql`update schedule_ticks set try_at = now() where outcome = 'due'`.execute(db);
  await fault.restart();
  bench = await fault.follow(bench);
  await expect.poll(counted, { timeout: 60_000 }).toEqual({ calls: 300, schedules: 300, ticks: 300 });
  await makeDue(db, id);
  await expect.poll(counted, { timeout: 30_000 }).toEqual({ calls: 301, schedules: 301, ticks: 301 });
  bench.close();
});
