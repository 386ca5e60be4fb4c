import type { RunTimes } from "@miranda/contract/schemas/runs.ts";

/** What the times of a run are computed from. */
export interface TimedRow {
  began_at: Date;
  ended_at: Date | null;
  waited_seconds: number;
  installing_seconds: number;
  installing_since: Date | null;
}

/** How long a run has taken until now, or took: the only place that computes it. */
export function runTimes(row: TimedRow, now = Date.now()): RunTimes {
  const until = row.ended_at?.getTime() ?? now;
  const secondsSince = (since: Date | null) => (since === null ? 0 : Math.max(0, until - since.getTime()) / 1_000);
  const took = secondsSince(row.began_at);
  const installing = Math.min(took, rounded(row.installing_seconds + secondsSince(row.installing_since)));
  return { took, waiting: rounded(row.waited_seconds), installing, running: rounded(took - installing) };
}

/** How long a run or a call took. Null while it is alive. */
export function tookSeconds({ began_at, ended_at }: { began_at: Date | null; ended_at: Date | null }): number | null {
  return began_at === null || ended_at === null ? null : Math.max(0, ended_at.getTime() - began_at.getTime()) / 1_000;
}

/** To milliseconds, as times are stored. */
function rounded(seconds: number): number {
  return Math.round(Math.max(0, seconds) * 1_000) / 1_000;
}
