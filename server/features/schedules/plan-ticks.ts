import { scheduleTicks as limits } from "../../limits.ts";
import type { DueSchedule, NewTick } from "./schedule-ticks-queries.ts";
import { lastTimes, nextTimes } from "./schedule-times.ts";

interface Plan {
  ticks: NewTick[];
  next_at: Date | null;
  /** Whether ticks that wait are not called any more. */
  replaces: boolean;
}

const down = "The server was down at this time.";
const downForLong = `${down} Earlier times are not listed.`;
const busy = "The call before had not ended.";
const full = `${limits.madeUpMax} earlier times wait already.`;

type Given = Pick<
  DueSchedule,
  "id" | "cron" | "every_minutes" | "timezone" | "next_at" | "missed" | "overlap" | "waiting" | "now"
>;

/** What becomes of the times of a schedule that have come: those that are called, and why the others are not. */
export function planTicks(schedule: Given): Plan {
  const { id, cron, next_at, missed, now, overlap } = schedule;
  const times = lastTimes(schedule, next_at, now, limits.madeUpMax);
  const isLate = (time: Date): boolean => now.getTime() - time.getTime() > limits.grace;
  const isCalled = (time: Date): boolean =>
    !isLate(time) || missed === "all" || (missed === "latest" && time === times.at(-1));
  const isCut = times[0] !== undefined && times[0] > next_at;

  let waiting = schedule.waiting;
  const ticks = times.map((at, place): NewTick => {
    const tick = { schedule_id: id, at, made_up: false, reason: "" };
    if (!isCalled(at)) return { ...tick, outcome: "missed", reason: isCut && place === 0 ? downForLong : down };
    // Those that are made up for wait for each other, whatever happens to the ones that come in time.
    if (isLate(at)) {
      waiting += 1;
      return { ...tick, outcome: "due", reason: down, made_up: true };
    }
    if (overlap === "skip" && waiting > 0) return { ...tick, outcome: "skipped", reason: busy };
    if (overlap === "queue" && waiting >= limits.madeUpMax) return { ...tick, outcome: "skipped", reason: full };
    waiting += 1;
    return { ...tick, outcome: "due" };
  });
  // Minutes are counted from the last time, a cron expression from now.
  const [next = null] = nextTimes(schedule, cron === null ? (times.at(-1) ?? now) : now, 1);
  return { ticks, next_at: next, replaces: overlap === "cancel" && schedule.waiting > 0 };
}

export const skippedWords = { busy, replaced: "A later time came.", paused: "The schedule was paused." } as const;
