import { schedule as limits } from "@miranda/contract/limits.ts";
import type { Schedule, ScheduleTick } from "@miranda/contract/schemas/deployments/schedules.ts";

import { authorOf } from "../auth/auth-service.ts";
import { nextTimes, sentenceOf } from "./schedule-times.ts";
import type { ListedSchedule, TickRow } from "./schedules-queries.ts";

/** `isEditor`: others do not see what is sent. */
export function toSchedule(row: ListedSchedule, isEditor: boolean): Schedule {
  const { id, deployment_id, name, cron, every_minutes, timezone, channel, overlap, missed } = row;
  const { paused, paused_reason, failures, failures_max, told } = row;
  return {
    ...{ id, deployment_id, name, cron, every_minutes, timezone, channel, overlap, missed },
    ...{ paused, paused_reason, failures, failures_max, told },
    sentence: sentenceOf(row),
    inputs: isEditor ? row.inputs : {},
    by: authorOf({ ...row, author_id: row.account_id }),
    next: row.next_at && !row.paused ? shownNext(row, row.next_at) : [],
    last: row.last && { ...row.last, time: new Date(row.last.time).toISOString() },
    time_created: row.created_at.toISOString(),
  };
}

function shownNext(row: ListedSchedule, first: Date): string[] {
  return [first, ...nextTimes(row, first, limits.nextShown - 1)].map((time) => time.toISOString());
}

export function toTick({ at, outcome, reason, call_id, state }: TickRow): ScheduleTick {
  const call = call_id !== null && state !== null ? { id: call_id, state } : null;
  return { time: at.toISOString(), outcome, reason, call };
}
