import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { logMatcher } from "./log-levels.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import type { FilterRequest, FromFilterWorker } from "./filter-messages.ts";
import { createLineStore } from "./line-store.ts";
import { type FilterWorker, patience } from "./log-filter.ts";
import { createLogView } from "./log-view.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Does what the worker does, a moment later; or nothing at all, like one that hangs. */
function workers(hangsOn?: string) {
  const made: { ended: boolean }[] = [];
  const make = (): FilterWorker => {
    const own = { ended: false };
    const kept = new Map<number, string[]>();
    let listener: (event: MessageEvent<FromFilterWorker>) => void = () => undefined;
    const answer = (data: FromFilterWorker) => {
      if (!own.ended) listener({ data } as MessageEvent<FromFilterWorker>);
    };
    made.push(own);
    setTimeout(() => answer({ ready: true }), 1);
    return {
      addEventListener: (_type, heard) => void (listener = heard),
      terminate: () => void (own.ended = true),
      postMessage: ({ job, pattern, from, text, forget }: FilterRequest) => {
        if (pattern === hangsOn) return;
        if (forget === true) kept.clear();
        if (text !== undefined) kept.set(from, text.split("\n"));
        const matches = logMatcher(pattern);
        const hits = new Uint8Array((kept.get(from) ?? []).map((line) => (matches(line) ? 1 : 0)));
        setTimeout(() => answer({ job, from, hits }), 1);
      },
    };
  };
  return { make, made };
}

const entry = (id: number, message: string, tag = 0): LogEntry => ({ id, tag, message, timestamp: "" });

function open(entries: LogEntry[], levels = [0, 1, 2, 3], hangsOn?: string) {
  const store = createLineStore();
  store.append(entries);
  const { make, made } = workers(hangsOn);
  const view = createLogView(store, levels, make);
  view.start();
  const shown = () => Array.from({ length: view.get().count }, (_, row) => view.rowAt(row)?.text);
  const settle = () => vi.advanceTimersByTimeAsync(400);
  return { store, view, made, shown, settle };
}

describe("the rows of a log", () => {
  it("S9-009 lines of one level that follow each other are one entry", () => {
    const { view } = open([entry(1, "a", 1), entry(2, "b", 1), entry(3, "c", 2), entry(4, "d", 1)]);
    const starts = [0, 1, 2, 3].filter((row) => view.rowAt(row)?.continues === false);
    expect(starts).toEqual([0, 2, 3]);
  });

  it("S5-020 only chosen levels show", () => {
    const { view, shown } = open([entry(1, "a", 1), entry(2, "b", 4), entry(3, "c", 3)]);
    expect(shown()).toEqual(["a", "c"]);
    view.setLevels([4]);
    expect(shown()).toEqual(["b"]);
    view.setLevels([]);
    expect(shown()).toEqual([]);
  });

  it("S5-018 the filter is a regular expression that ignores case", async () => {
    const { view, shown, settle } = open([entry(1, "an error\nfine\nERROR again")]);
    view.setPattern("ERR.r");
    await settle();
    expect(shown()).toEqual(["an error", "ERROR again"]);
    view.setPattern("");
    expect(shown()).toHaveLength(3);
  });

  it("S5-019 a pattern that is none matches everything", async () => {
    const { view, shown, settle } = open([entry(1, "a\nb")]);
    view.setPattern("[");
    await settle();
    expect(shown()).toEqual(["a", "b"]);
    expect(view.get().isInvalid).toBe(true);
  });

  it("lines that come are filtered too, and replaced ones again", async () => {
    const { store, view, shown, settle } = open([entry(1, "apple\nbanana")]);
    view.setPattern("an");
    await settle();
    store.append([entry(3, "ant"), entry(4, "bee")]);
    await settle();
    expect(shown()).toEqual(["banana", "ant"]);
    store.append([entry(4, "beecan"), entry(5, "orange")]);
    await settle();
    expect(shown()).toEqual(["banana", "ant", "beecan", "orange"]);
    store.append([entry(5, "or")]);
    await settle();
    expect(shown()).toEqual(["banana", "ant", "beecan"]);
  });

  it("a level that is chosen while a filter holds shows only what matches", async () => {
    const { view, shown, settle } = open([entry(1, "yes", 4), entry(2, "no", 4), entry(3, "yes too", 1)]);
    view.setPattern("yes");
    await settle();
    expect(shown()).toEqual(["yes too"]);
    view.setLevels([1, 4]);
    expect(shown()).toEqual(["yes", "yes too"]);
  });

  it("the rows before stay until the new pattern has been tested", async () => {
    const { view, shown, settle } = open([entry(1, "a\nb")]);
    view.setPattern("b");
    expect(shown()).toEqual(["a", "b"]);
    expect(view.get().isTesting).toBe(true);
    await settle();
    expect(shown()).toEqual(["b"]);
    expect(view.get().isTesting).toBe(false);
  });

  it("a pattern that hangs is ended, everything shows, and the next one works", async () => {
    const { view, shown, made, settle } = open([entry(1, "a\nb")], [0], "(a+)+$");
    view.setPattern("(a+)+$");
    await vi.advanceTimersByTimeAsync(patience + 100);
    expect(made[0]?.ended).toBe(true);
    expect(view.get().isTooSlow).toBe(true);
    expect(shown()).toEqual(["a", "b"]);
    view.setPattern("a");
    await settle();
    expect(view.get().isTooSlow).toBe(false);
    expect(shown()).toEqual(["a"]);
  });

  it("earlier lines come before what passes the filter, which stays until they are tested", async () => {
    const { store, view, shown, settle } = open([entry(50, "line 50\nother\nline 52")]);
    view.setPattern("line");
    await settle();
    const before = view.get().dropped;
    store.prepend([entry(1, Array.from({ length: 49 }, (_, at) => `line ${at + 1}`).join("\n"))]);
    await vi.advanceTimersByTimeAsync(250);
    await settle();
    expect(shown()).toHaveLength(51);
    expect(shown().at(-1)).toBe("line 52");
    // What is read stays where it is: the rows that came push it down by their number.
    expect(view.get().dropped).toBe(before - 49);
  });

  it("a log of more than one block is tested whole", async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n");
    const { store, view, shown, settle } = open([entry(1, lines)]);
    view.setPattern("line \\d*99$");
    await settle();
    expect(shown()).toHaveLength(200);
    store.reset([entry(1, "line 199\nother")]);
    await settle();
    expect(shown()).toEqual(["line 199"]);
  });
});
