import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { blockLines, createLineStore, type LineStore } from "./line-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entry = (id: number, message: string, tag = 0): LogEntry => ({
  id,
  tag,
  message,
  timestamp: "2026-01-01T00:00:00.000Z",
});

const texts = (store: LineStore) =>
  Array.from({ length: store.size() }, (_, at) => store.lineAt(store.first() + at)?.text);

describe("the lines of a log", () => {
  it("counts every line of an entry", () => {
    const store = createLineStore();
    store.append([entry(1, "a\nb\n"), entry(3, "c", 3)]);
    expect(texts(store)).toEqual(["a", "b", "c"]);
    expect(store.lineAt(1)).toMatchObject({ id: 2, tag: 0 });
    expect(store.lastId()).toBe(3);
  });

  it("replaces an unfinished line by the next one with its number", () => {
    const store = createLineStore();
    store.append([entry(1, "a"), entry(2, "hal")]);
    store.append([entry(2, "half"), entry(3, "c")]);
    expect(texts(store)).toEqual(["a", "half", "c"]);
  });

  it("adds only missing lines when the log is fetched again", () => {
    const store = createLineStore();
    store.append([entry(1, "a\nb"), entry(3, "c is not fini")]);
    store.merge([entry(2, "b\nc is not finished\nd"), entry(5, "e")]);
    expect(texts(store)).toEqual(["a", "b", "c is not finished", "d", "e"]);
    store.merge([entry(1, "a\nb\nc is not finished\nd"), entry(5, "e")]);
    expect(store.size()).toBe(5);
  });

  it("keeps its lines after an empty answer, and replaces all after an unordered one", () => {
    const store = createLineStore();
    store.append([entry(1, "a")]);
    store.merge([]);
    expect(texts(store)).toEqual(["a"]);
    store.merge([entry(0, "x"), entry(0, "y")]);
    expect(texts(store)).toEqual(["x", "y"]);
  });

  it("puts earlier lines before the known ones", () => {
    const store = createLineStore();
    store.append([entry(3, "c"), entry(4, "d")]);
    store.prepend([entry(1, "a\nb\nc")]);
    expect(texts(store)).toEqual(["a", "b", "c", "d"]);
    expect(store.firstId()).toBe(1);
    store.append([entry(5, "e")]);
    expect(texts(store)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("joins windows of any size without a gap and keeps the node of every line", () => {
    const store = createLineStore();
    const lines = (from: number, to: number): LogEntry[] =>
      Array.from({ length: to - from }, (_, at) => ({ ...entry(from + at, `line ${from + at}`), wob_key: from + at }));
    store.append(lines(20_000, 25_000));
    for (const [from, to] of [
      [12_000, 20_000],
      [11_999, 12_000],
      [blockLines, 11_999],
      [1, blockLines],
    ] as const)
      store.prepend(lines(from, to));
    store.append(lines(25_000, 25_010));
    expect(store.size()).toBe(25_009);
    for (let at = 0; at < store.size(); at += 1)
      expect(store.lineAt(store.first() + at)).toMatchObject({ id: at + 1, text: `line ${at + 1}`, node: at + 1 });
    store.prepend(lines(1, 10));
    expect(store.size()).toBe(25_009);
  });

  it("keeps known lines when they come again, however they are split into entries", () => {
    const store = createLineStore();
    store.append([entry(1, "a\nb\nc"), entry(4, "d\ne")]);
    store.append([entry(2, "b"), entry(3, "c\nd"), entry(5, "e\nf"), entry(6, "f")]);
    expect(texts(store)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("knows up to which line everything is whole", () => {
    const store = createLineStore();
    store.append([entry(1, "a"), { ...entry(2, "hal"), unfinished: true }]);
    expect([store.lastId(), store.wholeId()]).toEqual([2, 1]);
    store.append([entry(2, "half")]);
    expect([store.lastId(), store.wholeId()]).toEqual([2, 2]);
  });

  it("drops the oldest lines when there are too many, and keeps the index of the others", () => {
    const store = createLineStore(blockLines * 2);
    const many = Array.from({ length: blockLines * 3 }, (_, at) => entry(at + 1, `line ${at}`));
    store.append(many);
    expect(store.size()).toBeLessThanOrEqual(blockLines * 2);
    expect(store.lineAt(store.end() - 1)?.text).toBe(`line ${blockLines * 3 - 1}`);
    expect(store.lineAt(store.first())?.text).toBe(`line ${store.first()}`);
    expect(store.lineAt(0)).toBeUndefined();
  });

  it("shows what a line wrote last after a carriage return", () => {
    const store = createLineStore();
    store.append([entry(1, "10 %\r20 %\r30 %\nwindows\r")]);
    expect(texts(store)).toEqual(["30 %", "windows"]);
  });

  it("calls its watchers once per frame, however many lines come", async () => {
    const store = createLineStore();
    const watcher = vi.fn<() => void>();
    store.watch(watcher);
    for (let at = 1; at < 100; at += 1) store.append([entry(at, "x")]);
    await vi.advanceTimersByTimeAsync(300);
    expect(watcher).toHaveBeenCalledTimes(1);
  });
});
