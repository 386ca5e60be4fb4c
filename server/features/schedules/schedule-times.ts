import cronstrue from "cronstrue";
import { Cron } from "croner";

import { AppError } from "../../platform/errors/app-error.ts";
import { messageOf } from "../../platform/errors/error-details.ts";
import { instantOf, isZone, wallOf } from "./zone-clock.ts";

/** When a schedule runs: either a cron expression or a number of minutes. */
export interface Timing {
  cron: string | null;
  every_minutes: number | null;
  timezone: string;
}

const minute = 60_000;
const fields = /^[\w*,/#-]+(?:\s+[\w*,/#-]+){4}$/;
const fiveFields =
  "A cron expression has five fields: minute, hour, day of the month, month and day of the week. For example, 30 2 * * * is every night at 02:30.";

/** Refuses times that cannot be understood or never come. */
export function checkTiming(timing: Timing, now = new Date()): void {
  const { cron, every_minutes, timezone } = timing;
  if ((cron === null) === (every_minutes === null))
    throw wrong("Give either a cron expression or a number of minutes.");
  if (!isZone(timezone))
    throw wrong(`There is no time zone "${timezone}". Write a name such as Europe/Berlin or America/New_York.`);
  if (cron === null) return;
  if (!fields.test(cron)) throw wrong(fiveFields);
  try {
    cronstrue.toString(cron);
    open(cron, timezone);
  } catch (error) {
    const reason = (typeof error === "string" ? error : messageOf(error)).replace(/^(?:CronPattern|Error): /, "");
    throw wrong(`This cron expression cannot be understood. ${reason}`);
  }
  if (nextTimes(timing, now, 1).length === 0) throw wrong("This cron expression names a day that never comes.");
}

function wrong(words: string): AppError {
  return new AppError("schedule_wrong", words);
}

/** The next times after a moment. Minutes are counted from that moment. */
export function nextTimes({ cron, every_minutes, timezone }: Timing, after: Date, count: number): Date[] {
  if (cron === null) {
    const step = (every_minutes ?? 1) * minute;
    return Array.from({ length: count }, (_, at) => new Date(after.getTime() + (at + 1) * step));
  }
  const expression = open(cron, timezone);
  if (isHourly(cron)) return expression.nextRuns(count, after);
  const times: Date[] = [];
  for (let wall = wallOf(timezone, after); times.length < count;) {
    const next = expression.nextRun(wall);
    if (!next) break;
    wall = next;
    add(times, instantOf(timezone, wall), after);
  }
  return times;
}

/** The last of the times from `first`, which is one of them, to `upTo`; oldest first. */
export function lastTimes(timing: Timing, first: Date, upTo: Date, most: number): Date[] {
  const { cron, every_minutes, timezone } = timing;
  if (upTo < first) return [];
  const before = new Date(first.getTime() - 1);
  if (cron === null) {
    const step = (every_minutes ?? 1) * minute;
    const count = Math.floor((upTo.getTime() - first.getTime()) / step) + 1;
    const skipped = Math.max(0, count - most);
    return nextTimes(timing, new Date(first.getTime() + (skipped - 1) * step), count - skipped);
  }
  const expression = open(cron, timezone);
  // croner looks for times before the moment, and leaves out its milliseconds.
  const from = new Date(upTo.getTime() + 1_000);
  const runs = isHourly(cron)
    ? expression.previousRuns(most, from)
    : expression
        // Two wall times may become the same moment, or lie in an hour that comes again.
        .previousRuns(most * 2 + 120, wallOf(timezone, new Date(from.getTime() + 3 * 3_600_000)))
        .map((wall) => instantOf(timezone, wall));
  const times: Date[] = [];
  for (const time of runs.toReversed()) if (time <= upTo) add(times, time, before);
  return times.slice(-most);
}

/** Keeps times in order, each once. */
function add(times: Date[], time: Date, after: Date): void {
  if (time > (times.at(-1) ?? after)) times.push(time);
}

/**
 * An expression that runs every hour follows real time: an hour that comes twice counts twice. Of the others, croner finds
 * the times on the wall clock, in UTC, and `instantOf` says when the wall clock shows them.
 */
function open(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone: isHourly(cron) ? timezone : "UTC", mode: "5-part", paused: true });
}

const hoursOfDay = 24;

function isHourly(cron: string): boolean {
  const [, hour = "*"] = cron.split(/\s+/);
  const hours = new Cron(`0 ${hour} * * *`, { timezone: "UTC", mode: "5-part", paused: true });
  const [first, ...others] = hours.nextRuns(hoursOfDay, new Date(0));
  const last = others.at(-1);
  return first !== undefined && last !== undefined && last.getTime() - first.getTime() < hoursOfDay * 60 * minute;
}

/** The times in a sentence. */
export function sentenceOf({ cron, every_minutes, timezone }: Timing): string {
  if (cron === null) return everyWords(every_minutes ?? 1);
  const words = cronstrue.toString(cron, { use24HourTimeFormat: true, throwExceptionOnParseError: false });
  const sentence = /^At \d\d:\d\d$/.test(words) ? `${words} every day` : words;
  return `${sentence} (${timezone})`;
}

function everyWords(minutes: number): string {
  if (minutes === 1) return "Every minute";
  if (minutes === 60) return "Every hour";
  return minutes % 60 === 0 ? `Every ${minutes / 60} hours` : `Every ${minutes} minutes`;
}
