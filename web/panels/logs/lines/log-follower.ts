import { logsEvent } from "@miranda/contract/events.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import type { Realtime } from "../../../api/socket.ts";
import { createStore } from "../../../store.ts";
import type { LineStore } from "./line-store.ts";

/** One answer has at most this many lines: a larger one would keep the page busy. */
const linesAtOnce = 50_000;
/** Entries that wait for the lines before them. Beyond this they are left out, and fetched with the others. */
const mostHeld = 20_000;
/** In milliseconds. */
const retryAfter = 1_000;

interface Source {
  store: LineStore;
  /** The last lines of the log. */
  readEnd: () => Promise<LogEntry[]>;
  /** The stored lines after one number and before another. */
  readBetween: (after: number, before: number) => Promise<LogEntry[]>;
}

export interface Gap {
  /** How many lines are being fetched, as far as is known. */
  readonly lines: number;
  /** The last attempt failed. Another one follows. */
  readonly hasFailed: boolean;
}

const noGap: Gap = { lines: 0, hasFailed: false };

export type LogFollower = ReturnType<typeof createLogFollower>;

/**
 * Follows a log that grows. Its lines come as events, which may be lost, and by requests. Every line has a number, so what
 * is missing is known exactly: it is fetched before anything newer is shown, and nothing is shown twice.
 */
export function createLogFollower({ store, readEnd, readBetween }: Source) {
  const gap = createStore<Gap>(noGap);
  let held: LogEntry[] = [];
  /** The last line that is known to exist. */
  let lastKnown = 0;
  let filling: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let hasStopped = true;

  const isNext = ({ id }: LogEntry): boolean => (store.size() > 0 ? id <= store.wholeId() + 1 : id === 1);
  const missing = (): number => (store.size() > 0 ? Math.max(0, lastKnown - store.wholeId()) : lastKnown);

  const isBehind = (): boolean => !hasStopped && missing() > 0;

  function take(entry: LogEntry): void {
    if (held.length === 0 && isNext(entry)) return store.append([entry]);
    // It comes again when it is whole.
    if (entry.unfinished === true) return;
    lastKnown = Math.max(lastKnown, lastLineOf(entry));
    if (held.length < mostHeld) held.push(entry);
  }

  /** Shows the waiting lines as far as nothing is missing before them. */
  function release(): void {
    const wait = held.findIndex((entry) => {
      if (!isNext(entry)) return true;
      store.append([entry]);
      return false;
    });
    held = wait === -1 ? [] : held.slice(wait);
  }

  async function fillOnce(): Promise<void> {
    if (store.size() === 0) return store.merge(await readEnd());
    const after = store.wholeId();
    const until = held[0]?.id ?? lastKnown + 1;
    store.append(await readBetween(after, Math.min(until, after + 1 + linesAtOnce)));
  }

  async function fill(): Promise<void> {
    while (isBehind()) {
      const before = store.wholeId();
      gap.set({ lines: missing(), hasFailed: gap.get().hasFailed });
      await fillOnce();
      release();
      if (store.wholeId() > before) continue;
      // The server does not have them: the log was shortened.
      store.append(held);
      held = [];
      lastKnown = 0;
    }
    gap.set(noGap);
  }

  /** One request at a time: two answers would have the same lines. */
  function catchUp(): void {
    if (filling || !isBehind()) return;
    clearTimeout(retry);
    filling = fill()
      .catch(() => {
        gap.set({ lines: missing(), hasFailed: true });
        retry = setTimeout(catchUp, retryAfter);
      })
      .finally(() => {
        filling = undefined;
        if (!gap.get().hasFailed) catchUp();
      });
  }

  return {
    gap: { get: gap.get, watch: gap.watch },

    /** New lines, from an event. */
    receive(entries: readonly LogEntry[]): void {
      for (const entry of entries) take(entry);
      catchUp();
    },

    /** The server did not send the lines up to this one: fetch them. */
    expectUpTo(line: number): void {
      lastKnown = Math.max(lastKnown, line);
      catchUp();
    },

    /** The end of the log, from an answer. */
    receiveEnd(entries: readonly LogEntry[]): void {
      if (store.size() === 0) {
        store.merge(entries);
        release();
      } else for (const entry of entries) take(entry);
      catchUp();
    },

    /** Returns what stops it. */
    start(): () => void {
      hasStopped = false;
      catchUp();
      return () => {
        hasStopped = true;
        clearTimeout(retry);
      };
    },
  };
}

/** Passes a session's events to its follower. Returns a function that stops it. */
export function listenToLog(realtime: Pick<Realtime, "on">, jobId: string, follower: LogFollower): () => void {
  const stops = [
    realtime.on(logsEvent(jobId), follower.receive),
    realtime.on("lines_left_out", ({ job_id, last }) => {
      if (job_id === jobId) follower.expectUpTo(last);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function lastLineOf({ id, message }: LogEntry): number {
  let last = id;
  for (let at = message.indexOf("\n"); at !== -1; at = message.indexOf("\n", at + 1)) last += 1;
  return last;
}
