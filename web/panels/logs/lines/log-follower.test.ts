import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { createLineStore } from "./line-store.ts";
import { createLogFollower } from "./log-follower.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timestamp = "2026-01-01T00:00:00.000Z";
const entry = (id: number, message: string): LogEntry => ({ id, tag: 0, message, timestamp });
/** The lines from one number to another, as one entry. */
const lines = (from: number, to: number): LogEntry =>
  entry(from, Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join("\n"));

/** A log on a server with this many lines. Requests are answered when the test says so. */
function followed(count: number, end = 10) {
  const server = { count, isAway: false, asked: [] as string[] };
  const store = createLineStore();
  const read = async (from: number, to: number): Promise<LogEntry[]> => {
    await vi.advanceTimersByTimeAsync(5);
    if (server.isAway) throw new Error("away");
    return from > to ? [] : [lines(from, to)];
  };
  const follower = createLogFollower({
    store,
    readEnd: () => {
      server.asked.push("end");
      return read(Math.max(1, server.count - end + 1), server.count);
    },
    readBetween: (after, before) => {
      server.asked.push(`${after} to ${before}`);
      return read(after + 1, Math.min(server.count, before - 1));
    },
  });
  follower.start();
  const ids = () => Array.from({ length: store.size() }, (_, at) => store.lineAt(store.first() + at)?.id);
  const texts = () => Array.from({ length: store.size() }, (_, at) => store.lineAt(store.first() + at)?.text);
  return { server, store, follower, ids, texts };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const settle = () => vi.advanceTimersByTimeAsync(500);

it("shows new lines as they come", () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 3)]);
  follower.receive([lines(4, 4)]);
  expect(ids()).toEqual([1, 2, 3, 4]);
  expect(server.asked).toEqual([]);
});

it("fetches exactly what is missing before it shows anything newer", async () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 3)]);
  server.count = 20;
  follower.receive([lines(18, 20)]);
  expect(ids()).toEqual([1, 2, 3]);
  expect(follower.gap.get()).toEqual({ lines: 17, hasFailed: false });
  await settle();
  expect(ids()).toEqual(range(1, 20));
  expect(server.asked).toEqual(["3 to 18"]);
  expect(follower.gap.get().lines).toBe(0);
});

it("never shows a line twice when answers and events overlap", async () => {
  const { follower, ids } = followed(20);
  follower.receiveEnd([lines(11, 15)]);
  follower.receive([lines(13, 17)]);
  follower.receive([lines(16, 18), lines(19, 20)]);
  follower.receiveEnd([lines(11, 20)]);
  await settle();
  expect(ids()).toEqual(range(11, 20));
});

it("keeps lines that come before the first answer", async () => {
  const { follower, ids, server } = followed(30);
  server.count = 32;
  follower.receive([lines(31, 32)]);
  await settle();
  expect(ids()).toEqual(range(23, 32));
  expect(server.asked).toEqual(["end"]);
});

it("goes on fetching while more is printed", async () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 1)]);
  for (let at = 1; at <= 30; at += 1) {
    server.count = 1 + at * 10;
    // Every second event is lost.
    if (at % 2 === 0) follower.receive([lines(server.count - 9, server.count)]);
    await vi.advanceTimersByTimeAsync(3);
  }
  await settle();
  expect(ids()).toEqual(range(1, 301));
});

it("finishes a line that was whole while nobody was connected", async () => {
  const { follower, texts, server } = followed(0);
  follower.receive([lines(1, 1), { ...entry(2, "hal"), unfinished: true }]);
  expect(texts()).toEqual(["line 1", "hal"]);
  server.count = 3;
  follower.receive([lines(3, 3)]);
  await settle();
  expect(texts()).toEqual(["line 1", "line 2", "line 3"]);
});

it("tries again while the server is away, and says so", async () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 2)]);
  server.count = 9;
  server.isAway = true;
  follower.receive([lines(9, 9)]);
  await settle();
  expect(follower.gap.get()).toEqual({ lines: 7, hasFailed: true });
  expect(ids()).toEqual([1, 2]);
  server.isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ids()).toEqual(range(1, 9));
  expect(follower.gap.get()).toEqual({ lines: 0, hasFailed: false });
});

it("reads many lines in parts", async () => {
  const { follower, store, server } = followed(0);
  follower.receive([lines(1, 1)]);
  server.count = 120_000;
  follower.receive([lines(120_000, 120_000)]);
  await settle();
  expect(store.size()).toBe(120_000);
  expect(server.asked).toEqual(["1 to 50002", "50001 to 100002", "100001 to 120000"]);
});

it("goes on after lines that the server no longer has", async () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 2)]);
  server.count = 2;
  follower.receive([lines(8, 9)]);
  await settle();
  expect(ids()).toEqual([1, 2, 8, 9]);
  expect(follower.gap.get().lines).toBe(0);
});

it("fetches lines that the server left out, when nothing newer comes", async () => {
  const { follower, ids, server } = followed(0);
  follower.receive([lines(1, 3)]);
  server.count = 12;
  follower.expectUpTo(12);
  expect(follower.gap.get().lines).toBe(9);
  await settle();
  expect(ids()).toEqual(range(1, 12));
  follower.expectUpTo(12);
  expect(server.asked).toEqual(["3 to 13"]);
});
