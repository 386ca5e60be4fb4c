import { sql } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";

import { callsOf, releaseAgain, serveAsProposed } from "../testing/deployments/served.ts";
import { deploymentOf } from "../testing/deployments/deployments.ts";
import { FaultBench } from "./fault-bench.ts";

const quick = { MIRANDA_HEARTBEAT_SECONDS: "0.5", MIRANDA_LOST_SECONDS: "2", MIRANDA_GRACE_SECONDS: "1" };
const count = 50;
const slow = `from miranda import *

class Slow(Node):
    number = Field(0, control=Number())
    seconds = Field(0.05, control=Number())
    double = Transmitter()
    def run(self):
        import time
        time.sleep(self.seconds)
        self.double.send(self.number * 2)
`;

let fault: FaultBench;
afterEach(() => fault.close());

/** Each run costs what its samples cost, and the ledger has the cost of every sample once. */
async function expectChargedOnce(): Promise<void> {
  const { rows } = await sql<{ samples: string; booked: string }>`
    select (select coalesce(sum(cost), 0) from usage_samples) as samples,
      (select coalesce(-sum(amount), 0) from ledger where kind = 'usage') as booked`.execute(fault.database.db);
  expect(Number(rows[0]?.booked)).toBeCloseTo(Number(rows[0]?.samples), 9);
}

it("ends each call once when the server is killed in the middle of many", { timeout: 200_000 }, async () => {
  fault = await FaultBench.open(quick);
  let bench = await fault.workbench();
  await bench.node(slow, "Slow");
  await serveAsProposed(bench, { name: "slow", at_once: 2, queue_max: 1_000 });
  const ids: string[] = [];
  const calling = callsOf(bench.owner, "slow");
  for (let at = 0; at < count; at += 1) ids.push((await calling.made({ number: at })).id);
  for (let kills = 0; kills < 2; kills += 1) {
    await sleep(700);
    await fault.server.kill("SIGKILL");
    await fault.restart();
  }
  bench = await fault.follow(bench);
  const calls = callsOf(bench.owner, "slow");
  for (const [at, id] of ids.entries())
    expect(await calls.ended(id)).toMatchObject({ state: "done", result: { double: at * 2 } });
  const runs = await fault.database.db.selectFrom("runs").select(["id", "state"]).execute();
  expect(runs.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(["done"]));
  await expectChargedOnce();
  bench.close();
});

it("ends the call of a session that is killed, and serves the next ones", { timeout: 100_000 }, async () => {
  fault = await FaultBench.open(quick);
  const bench = await fault.workbench();
  await bench.node(slow, "Slow");
  const { id: deploymentId } = await serveAsProposed(bench, { name: "killed", at_once: 1 });
  const calls = callsOf(bench.owner, "killed");
  const running = await calls.made({ seconds: 60 });
  const waiting = await calls.made({ number: 4 });
  await expect.poll(async () => (await calls.read(running.id)).state, { timeout: 20_000 }).toBe("running");
  const { engine_ref } = await fault.database.db
    .selectFrom("jobs")
    .select("engine_ref")
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirstOrThrow();
  process.kill(Number(engine_ref?.["pid"]), "SIGKILL");
  expect(await calls.ended(running.id)).toMatchObject({ state: "lost" });
  expect(await calls.ended(waiting.id)).toMatchObject({ state: "done", result: { double: 8 } });
  await expectChargedOnce();
  bench.close();
});

it("lets a call end in its release when the channel moves, and ends it with its deployment", async () => {
  fault = await FaultBench.open(quick);
  const bench = await fault.workbench();
  const node = await bench.node(slow, "Slow");
  const { id: deploymentId } = await serveAsProposed(bench, { name: "moved", at_once: 1 });
  const calls = callsOf(bench.owner, "moved");
  const before = await calls.made({ number: 1, seconds: 1 });
  const queued = await calls.made({ number: 2 });
  await expect.poll(async () => (await calls.read(before.id)).state, { timeout: 20_000 }).toBe("running");
  await bench.code(node, slow.replace("* 2", "* 3"));
  await releaseAgain(bench, "Triple");
  const after = await calls.done({ number: 5 });
  expect(after).toMatchObject({ state: "done", result: { double: 15 }, app: { release: 2 } });
  expect(await calls.ended(before.id)).toMatchObject({ state: "done", result: { double: 2 } });
  expect(await calls.ended(queued.id)).toMatchObject({ state: "done", result: { double: 6 }, app: { release: 2 } });
  const last = await calls.made({ seconds: 60 });
  await expect.poll(async () => (await calls.read(last.id)).state, { timeout: 20_000 }).toBe("running");
  expect((await deploymentOf(bench.owner, bench.graphId).remove()).status).toBe(204);
  const db = fault.database.db;
  const run = () => db.selectFrom("runs").select(["state", "reason"]).where("id", "=", last.id).executeTakeFirst();
  await expect
    .poll(run, { timeout: 20_000 })
    .toEqual({ state: "lost", reason: "The session was stopped: its deployment was deleted." });
  const alive = () =>
    db
      .selectFrom("jobs")
      .select("id")
      .where("deployment_id", "=", deploymentId)
      .where("state", "not in", ["ERROR", "EXITED"])
      .execute();
  await expect.poll(alive, { timeout: 20_000 }).toEqual([]);
  bench.close();
}, 100_000);
