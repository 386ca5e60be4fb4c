import { scheduleTicks as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { messageOf } from "../../platform/errors/error-details.ts";
import { createPolledWork } from "../../platform/polled-work.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { Calls } from "../calls/calls-service.ts";
import { planTicks, skippedWords } from "./plan-ticks.ts";
import type { Publish, ScheduleFailures } from "./schedule-failures.ts";
import { type DueSchedule, scheduleTickQueries, type TakenTick, tickKey } from "./schedule-ticks-queries.ts";
import type { ScheduledCalls } from "./scheduled-calls.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "callerFor">;
  calls: Pick<Calls, "cancel">;
  scheduled: ScheduledCalls;
  failures: ScheduleFailures;
  /** Tells the people who look at the deployment. */
  announce: (deploymentId: string) => void;
  report: (error: unknown) => void;
}

const gaveUp = "The server could not make this call.";
const waitsForRoom = "Too many calls are waiting. This one is tried again later.";
const noRight =
  "The account in whose name it makes calls may no longer change this deployment. Save the schedule to make them in your name.";
const failedStates = new Set<string>(["failed", "crashed", "lost"]);

export type ScheduleTicks = ReturnType<typeof createScheduleTicks>;

/**
 * Calls deployments when their schedules are due, from any server. Rows decide who calls: a tick is inserted once, taken by
 * one server at a time, and by its key it is called once.
 */
export function createScheduleTicks({ db, auth, calls, scheduled, failures, announce, report }: Dependencies) {
  const queries = scheduleTickQueries(db);
  const work = createPolledWork({ work: tick, every: limits.every, report });

  /** A transaction after which people are told. */
  async function changing<Result>(change: (trx: Db, publishes: Publish[]) => Promise<Result>): Promise<Result> {
    const publishes: Publish[] = [];
    const result = await db.transaction().execute((trx) => change(trx, publishes));
    for (const publish of publishes) await publish().catch(report);
    return result;
  }

  function addTicks(): Promise<boolean> {
    return changing(async (trx, publishes) => {
      const inside = scheduleTickQueries(trx);
      const due = await inside.lockDue(limits.batch);
      if (due.length === 0) return false;
      const plans = [];
      for (const schedule of due) {
        const plan = planOf(schedule);
        if ("problem" in plan) publishes.push(...(await failures.pause(trx, schedule.id, plan.problem)));
        else plans.push({ id: schedule.id, ...plan });
      }
      const replaced = plans.filter(({ replaces }) => replaces).map(({ id }) => id);
      if (replaced.length > 0) await inside.replaceWaiting(replaced, skippedWords.replaced);
      await inside.insertTicks(plans.flatMap(({ ticks }) => ticks));
      await inside.moveOn(plans.map(({ id, next_at }) => ({ id, next_at })));
      return due.length === limits.batch;
    });
  }

  async function callDue(): Promise<boolean> {
    const taken = await queries.takeDue(limits.batch);
    const left = taken.values();
    // Each takes the next one when it is done.
    const callSome = async (): Promise<void> => {
      for (const one of left) await callOne(one).catch(report);
    };
    await Promise.all(Array.from({ length: limits.atOnce }, callSome));
    for (const deploymentId of new Set(taken.map(({ deployment_id }) => deployment_id))) announce(deploymentId);
    return taken.length > 0;
  }

  async function callOne(taken: TakenTick): Promise<void> {
    const { schedule_id, at, overlap, made_up, account_id } = taken;
    // A server may have been killed after it made the call.
    const earlier = taken.tries > 1 ? await queries.findCall(schedule_id, at) : undefined;
    if (earlier !== undefined) return queries.mark(taken, { outcome: "called", call_id: earlier });
    try {
      const caller = account_id === null ? undefined : await findCaller(account_id);
      if (!caller) return await pause(taken, noRight);
      // Those that wait for the call before are taken when it has ended.
      if (!made_up && overlap !== "queue") {
        const alive = await queries.alive(schedule_id);
        if (alive.length > 0 && overlap === "skip")
          return await queries.mark(taken, { outcome: "skipped", reason: skippedWords.busy });
        for (const id of alive) await calls.cancel(id);
      }
      const { id } = await scheduled.make(caller, taken, tickKey(schedule_id, at));
      await queries.mark(taken, { outcome: "called", call_id: id });
    } catch (error) {
      await refuse(taken, error);
    }
  }

  async function findCaller(accountId: string) {
    try {
      return await auth.callerFor(accountId);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  async function refuse(taken: TakenTick, error: unknown): Promise<void> {
    if (!(error instanceof AppError)) {
      report(error);
      // It is taken again after a while.
      return taken.tries < limits.errorTries ? undefined : fail(taken, gaveUp);
    }
    const { code, message, retryAfter = 1 } = error;
    if (code === "deployment_not_found" || code === "release_not_found") return pause(taken, noRight);
    if (code === "deployment_paused") return queries.mark(taken, { outcome: "skipped", reason: message });
    if (code === "call_queue_full" && taken.tries < limits.queueTries)
      return queries.postpone(taken, Math.min(retryAfter * 1_000, limits.queuePauseMax), waitsForRoom);
    return fail(taken, message);
  }

  async function fail(taken: TakenTick, reason: string): Promise<void> {
    await changing(async (trx, publishes) => {
      // The schedule first, as everywhere: two that wait for each other's rows would never end.
      publishes.push(...(await failures.count(trx, taken.schedule_id, { reason })));
      await scheduleTickQueries(trx).mark(taken, { outcome: "refused", reason, counted: true });
    });
  }

  async function pause(taken: TakenTick, reason: string): Promise<void> {
    await changing(async (trx, publishes) => {
      // The schedule first, as everywhere: two that wait for each other's rows would never end.
      publishes.push(...(await failures.pause(trx, taken.schedule_id, reason)));
      await scheduleTickQueries(trx).mark(taken, { outcome: "refused", reason, counted: true });
    });
  }

  /** Counts the calls that have ended. */
  function countEnded(): Promise<boolean> {
    return changing(async (trx, publishes) => {
      const inside = scheduleTickQueries(trx);
      const ended = await inside.takeEnded(limits.batch);
      if (ended.length === 0) return false;
      await inside.markCounted(ended);
      for (const { schedule_id, call_id, state, reason, ran } of ended)
        if (failedStates.has(state)) {
          const failure = { reason: reason || "The call failed.", runId: ran ? call_id : undefined };
          publishes.push(...(await failures.count(trx, schedule_id, failure)));
        } else if (state === "done") await failures.succeeded(trx, schedule_id);
      return ended.length === limits.batch;
    });
  }

  async function tick(): Promise<boolean> {
    const hasMoreDue = await addTicks();
    const hasCalled = await callDue();
    return (await countEnded()) || hasMoreDue || hasCalled;
  }

  return work;
}

function planOf(schedule: DueSchedule): ReturnType<typeof planTicks> | { problem: string } {
  try {
    return planTicks(schedule);
  } catch (error) {
    // What an older version of the cron parser took must not keep the other schedules from being called.
    return { problem: messageOf(error) };
  }
}
