import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { scheduleTicks as limits } from "../../limits.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { type Cast, signUpCast } from "../../testing/access.ts";
import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { makeDue, tickBench, yearly } from "../../testing/deployments/schedules.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let bench: Awaited<ReturnType<typeof tickBench>>;
let count = 0;
beforeAll(async () => {
  // Nothing runs: calls wait until a test ends them.
  server = await startTestServer({ processors: { ...readConfig({}).processors, most: 0 } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await tickBench(server, cast, `ticks-${++count}`);
});

describe("when its time comes", () => {
  it("a schedule makes one call as its creator, and moves on", async () => {
    const { id } = await bench.own.created({ ...yearly, inputs: { rate: 3 } });
    await makeDue(server.db, id);
    await bench.settled(id, ["called"]);
    const { rows } = await sql`select via, state, inputs, account_id, channel from calls
      where schedule_id = ${id}`.execute(server.db);
    expect(rows).toEqual([
      {
        ...{ via: "schedule", state: "queued", inputs: { rate: 3, mode: "fast" }, channel: "production" },
        account_id: cast.owner.account.id,
      },
    ]);
    const { last, next } = await bench.own.find(id);
    expect(last?.state).toBe("queued");
    expect(Date.parse(next[0] ?? "")).toBeGreaterThan(Date.now());
  });

  it("exactly one call is made by two servers", async () => {
    const twin = await server.twin();
    try {
      const ids: string[] = [];
      for (let at = 0; at < 20; at++) ids.push((await bench.own.created({ ...yearly, overlap: "queue" })).id);
      for (let round = 1; round <= 3; round++) {
        await sql`update schedules set next_at = now() where id = any(${ids}::uuid[])`.execute(server.db);
        const called = async () => {
          const { rows } = await sql<{ calls: number; keys: number; ticks: number }>`
            select count(*)::integer as calls, count(distinct idempotency_key)::integer as keys,
              (select count(*)::integer from schedule_ticks where schedule_id = any(${ids}::uuid[]) and outcome = 'called') as ticks
            from calls where schedule_id = any(${ids}::uuid[])`.execute(server.db);
          return rows[0];
        };
        await expect.poll(called).toEqual({ calls: 20 * round, keys: 20 * round, ticks: 20 * round });
        await sql`update calls set state = 'done', ended_at = now()
          where schedule_id = any(${ids}::uuid[]) and ended_at is null`.execute(server.db);
      }
    } finally {
      await twin.close();
    }
  });

  it("another server makes the call of one that was killed before it could", async () => {
    const { id } = await bench.own.created(yearly);
    await sql`insert into schedule_ticks (schedule_id, at, tries, try_at)
      values (${id}, now() - interval '2 minutes', 1, now() - interval '1 second')`.execute(server.db);
    await bench.settled(id, ["called"]);
    expect(await bench.callsOf(id)).toHaveLength(1);
  });

  it.each(["skip", "queue", "cancel"])(
    "a call that was made just before its server was killed is not made again, or cancelled: %s",
    async (overlap) => {
      const { id } = await bench.own.created({ ...yearly, overlap });
      await makeDue(server.db, id);
      await bench.settled(id, ["called"]);
      const [call] = await bench.callsOf(id);
      if (overlap === "queue") await bench.endCalls(id, "done");
      await sql`update schedule_ticks set outcome = 'due', call_id = null, try_at = now()
        where schedule_id = ${id}`.execute(server.db);
      await bench.settled(id, ["called"]);
      expect(await bench.own.ticks(id)).toMatchObject([{ call: { id: call?.id } }]);
      expect(await bench.callsOf(id)).toHaveLength(1);
    },
  );

  it("1,000 schedules of the same minute are all called, in batches", async () => {
    await deploymentOf(cast.owner, bench.graph).changed({ queue_max: 2_000 });
    const { id, deployment_id } = await bench.own.created(yearly);
    await sql`insert into schedules (id, deployment_id, name, every_minutes, account_id, next_at)
      select gen_random_uuid(), deployment_id, name, every_minutes, account_id, now()
      from schedules, generate_series(1, 1000) where id = ${id}`.execute(server.db);
    const called = async () => {
      const { rows } = await sql<{ calls: number; schedules: number }>`
        select count(*)::integer as calls, count(distinct schedule_id)::integer as schedules
        from calls where deployment_id = ${deployment_id}`.execute(server.db);
      return rows[0];
    };
    await expect.poll(called, { timeout: 60_000, interval: 200 }).toEqual({ calls: 1_000, schedules: 1_000 });
    // A tick is marked after its call was made.
    const outcomes = async () => {
      const { rows } = await sql<{ outcome: string; count: number }>`
        select outcome, count(*)::integer from schedule_ticks join schedules on schedules.id = schedule_id
        where deployment_id = ${deployment_id} group by outcome`.execute(server.db);
      return rows;
    };
    await expect.poll(outcomes).toEqual([{ outcome: "called", count: 1_000 }]);
  }, 90_000);

  it("a full queue is tried again until there is room", async () => {
    await deploymentOf(cast.owner, bench.graph).changed({ at_once: 1, queue_max: 0 });
    const first = await bench.own.created(yearly);
    const { id } = await bench.own.created(yearly);
    await makeDue(server.db, first.id);
    await bench.settled(first.id, ["called"]);
    await makeDue(server.db, id);
    await expect
      .poll(() => bench.own.ticks(id))
      .toMatchObject([{ outcome: "due", reason: "Too many calls are waiting. This one is tried again later." }]);
    await bench.endCalls(first.id, "done");
    await sql`update schedule_ticks set try_at = now() where schedule_id = ${id}`.execute(server.db);
    await bench.settled(id, ["called"]);
    expect((await bench.own.find(id)).failures).toBe(0);
  });

  it("a paused deployment is not called, and that is no failure", async () => {
    const { id } = await bench.own.created(yearly);
    await deploymentOf(cast.owner, bench.graph).changed({ paused: true });
    await makeDue(server.db, id);
    await bench.settled(id, ["skipped"]);
    expect(await bench.callsOf(id)).toEqual([]);
    expect((await bench.own.find(id)).failures).toBe(0);
  });
});

describe("when the call before has not ended", () => {
  it("this time is skipped", async () => {
    const { id } = await bench.own.created({ ...yearly, overlap: "skip" });
    await makeDue(server.db, id);
    await bench.settled(id, ["called"]);
    await makeDue(server.db, id);
    await bench.settled(id, ["called", "skipped"]);
    expect((await bench.own.ticks(id))[0]?.reason).toBe("The call before had not ended.");
    await bench.endCalls(id, "done");
    await makeDue(server.db, id);
    await bench.settled(id, ["called", "skipped", "called"]);
  });

  it("this time waits until it has", async () => {
    const { id } = await bench.own.created({ ...yearly, overlap: "queue" });
    for (const expected of [["called"], ["called", "due"], ["called", "due", "due"]]) {
      await makeDue(server.db, id);
      await bench.settled(id, expected);
    }
    expect(await bench.callsOf(id)).toHaveLength(1);
    await bench.endCalls(id, "done");
    await bench.settled(id, ["called", "called", "due"]);
    await bench.endCalls(id, "done");
    await bench.settled(id, ["called", "called", "called"]);
  });

  it("the older call is cancelled", async () => {
    const { id } = await bench.own.created({ ...yearly, overlap: "cancel" });
    await makeDue(server.db, id);
    await bench.settled(id, ["called"]);
    await makeDue(server.db, id);
    await bench.settled(id, ["called", "called"]);
    expect((await bench.callsOf(id)).map(({ state }) => state)).toEqual(["stopped", "queued"]);
    await expect.poll(async () => (await bench.own.find(id)).failures).toBe(0);
  });

  it("times that wait are dropped when a person pauses it", async () => {
    const { id } = await bench.own.created({ ...yearly, overlap: "queue" });
    for (const expected of [["called"], ["called", "due"]]) {
      await makeDue(server.db, id);
      await bench.settled(id, expected);
    }
    await bench.own.changed(id, { paused: true });
    expect(await bench.outcomes(id)).toEqual(["called", "skipped"]);
    await bench.endCalls(id, "done");
    await bench.own.changed(id, { paused: false });
    expect(await bench.callsOf(id)).toHaveLength(1);
  });
});

describe("after the server was down for three times", () => {
  const missing = async (missed: string): Promise<string> => {
    const { id } = await bench.own.created({ cron: null, every_minutes: 10, missed });
    // 25, 15 and 5 minutes ago.
    await makeDue(server.db, id, 25);
    return id;
  };

  it("nothing is made up", async () => {
    const id = await missing("skip");
    await bench.settled(id, ["missed", "missed", "missed"]);
    expect((await bench.own.ticks(id)).at(-1)?.reason).toBe("The server was down at this time.");
    expect(await bench.callsOf(id)).toEqual([]);
  });

  it("one call is made for all of them", async () => {
    const id = await missing("latest");
    await bench.settled(id, ["missed", "missed", "called"]);
    expect(await bench.callsOf(id)).toHaveLength(1);
  });

  it("each is made up, one after the other", async () => {
    const id = await missing("all");
    await bench.settled(id, ["called", "due", "due"]);
    for (const expected of [
      ["called", "called", "due"],
      ["called", "called", "called"],
    ]) {
      await bench.endCalls(id, "done");
      await bench.settled(id, expected);
    }
    expect(await bench.callsOf(id)).toHaveLength(3);
  });
});

it("times that cannot be read any more pause their schedule and no other", async () => {
  const broken = await bench.own.created();
  const { id } = await bench.own.created(yearly);
  await sql`update schedules set cron = 'not cron', next_at = now() where id = ${broken.id}`.execute(server.db);
  await makeDue(server.db, id);
  await bench.settled(id, ["called"]);
  const { rows } = await sql`select paused from schedules where id = ${broken.id}`.execute(server.db);
  expect(rows).toEqual([{ paused: true }]);
  await sql`delete from schedules where id = ${broken.id}`.execute(server.db);
});

it("a schedule that waits too long for a full queue is refused", async () => {
  await deploymentOf(cast.owner, bench.graph).changed({ at_once: 1, queue_max: 0 });
  const first = await bench.own.created(yearly);
  await makeDue(server.db, first.id);
  await bench.settled(first.id, ["called"]);
  const { id } = await bench.own.created(yearly);
  await sql`insert into schedule_ticks (schedule_id, at, tries) values (${id}, now(), ${limits.queueTries})`.execute(
    server.db,
  );
  await bench.settled(id, ["refused"]);
  expect((await bench.own.find(id)).failures).toBe(1);
});
