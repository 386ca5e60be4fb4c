import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { logMatcher } from "./log-levels.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import type { FilterRequest, FromFilterWorker } from "./filter-messages.ts";
import { createLineStore } from "./lines/line-store.ts";
import { type FilterWorker, testTimeout } from "./log-filter.ts";
import { createLogView } from "./log-view.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Answers as the worker does, a moment later; or never, like a worker that hangs. */
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
  it("S9-009 merges consecutive lines of one level into one entry", () => {
    const { view } = open([entry(1, "a", 1), entry(2, "b", 1), entry(3, "c", 2), entry(4, "d", 1)]);
    const starts = [0, 1, 2, 3].filter((row) => view.rowAt(row)?.continues === false);
    expect(starts).toEqual([0, 2, 3]);
  });

  it("S5-020 shows only the selected levels", () => {
    const { view, shown } = open([entry(1, "a", 1), entry(2, "b", 4), entry(3, "c", 3)]);
    expect(shown()).toEqual(["a", "c"]);
    view.setLevels([4]);
    expect(shown()).toEqual(["b"]);
    view.setLevels([]);
    expect(shown()).toEqual([]);
  });

  it("S5-018 filters by a case-insensitive regular expression", async () => {
    const { view, shown, settle } = open([entry(1, "an error\nfine\nERROR again")]);
    view.setPattern("ERR.r");
    await settle();
    expect(shown()).toEqual(["an error", "ERROR again"]);
    view.setPattern("");
    expect(shown()).toHaveLength(3);
  });

  it("S5-019 shows everything for an invalid pattern", async () => {
    const { view, shown, settle } = open([entry(1, "a\nb")]);
    view.setPattern("[");
    await settle();
    expect(shown()).toEqual(["a", "b"]);
    expect(view.get().isInvalid).toBe(true);
  });

  it("filters new lines too, and replaced lines again", async () => {
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

  it("shows only matching lines of a level that is selected later", async () => {
    const { view, shown, settle } = open([entry(1, "yes", 4), entry(2, "no", 4), entry(3, "yes too", 1)]);
    view.setPattern("yes");
    await settle();
    expect(shown()).toEqual(["yes too"]);
    view.setLevels([1, 4]);
    expect(shown()).toEqual(["yes", "yes too"]);
  });

  it("keeps the old rows until the new pattern has been tested", async () => {
    const { view, shown, settle } = open([entry(1, "a\nb")]);
    view.setPattern("b");
    expect(shown()).toEqual(["a", "b"]);
    expect(view.get().isTesting).toBe(true);
    await settle();
    expect(shown()).toEqual(["b"]);
    expect(view.get().isTesting).toBe(false);
  });

  it("ends a pattern that hangs, shows everything, and accepts the next pattern", async () => {
    const { view, shown, made, settle } = open([entry(1, "a\nb")], [0], "(a+)+$");
    view.setPattern("(a+)+$");
    await vi.advanceTimersByTimeAsync(testTimeout + 100);
    expect(made[0]?.ended).toBe(true);
    expect(view.get().isTooSlow).toBe(true);
    expect(shown()).toEqual(["a", "b"]);
    view.setPattern("a");
    await settle();
    expect(view.get().isTooSlow).toBe(false);
    expect(shown()).toEqual(["a"]);
  });

  it("puts earlier lines before the matching rows, which stay until those are tested", async () => {
    const { store, view, shown, settle } = open([entry(50, "line 50\nother\nline 52")]);
    view.setPattern("line");
    await settle();
    const before = view.get().dropped;
    store.prepend([entry(1, Array.from({ length: 49 }, (_, at) => `line ${at + 1}`).join("\n"))]);
    await vi.advanceTimersByTimeAsync(250);
    await settle();
    expect(shown()).toHaveLength(51);
    expect(shown().at(-1)).toBe("line 52");
    // The visible rows keep their place: the new rows push them down by their number.
    expect(view.get().dropped).toBe(before - 49);
  });

  it("tests every block of a long log", async () => {
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
