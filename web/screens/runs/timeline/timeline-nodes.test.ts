import { describe, expect, it } from "vitest";

import type { RunNode } from "@miranda/contract/schemas/runs.ts";

import { countAside, noteRunning, orderedNodes, secondsOf, timelineNodes } from "./timeline-nodes.ts";

const ran = (wob_key: number, changes: Partial<RunNode> = {}): RunNode => ({
  ...{ wob_key, name: `Node ${wob_key}`, planned: true, reason: "", status: "done", seconds: 1, fires: 1 },
  ...{ spans: [], cost: 0, result: null, seed: null },
  ...changes,
});
const all = { text: "", order: "start", onlyRan: false } as const;

describe("the nodes of a timeline", () => {
  const nodes = timelineNodes(
    [
      ran(1, { spans: [[0, 2, 3]], seconds: 1, cost: 0.1 }),
      ran(2, { spans: [[0, 0.5, 2]], seconds: 1.5, cost: 0.5, status: "error" }),
      ran(3, { planned: false, status: "" }),
      ran(4, { planned: false, status: "", result: "key" }),
    ],
    10,
  );
  const keys = (filter: Parameters<typeof orderedNodes>[1]) => orderedNodes(nodes, filter).map(({ key }) => key);

  it("tells skipped nodes from those whose kept result was used", () => {
    expect(nodes.map(({ state }) => state)).toEqual(["done", "error", "skipped", "kept"]);
    expect(countAside(nodes)).toBe(2);
  });

  it("counts how long a node waited after it was ready", () => {
    expect(nodes.map(({ waited }) => waited)).toEqual([2, 0.5, 0, 0]);
  });

  it.each([
    ["start", [2, 1, 3, 4]],
    ["duration", [2, 1, 3, 4]],
    ["cost", [2, 1, 3, 4]],
    ["state", [2, 1, 4, 3]],
    ["name", [1, 2, 3, 4]],
  ] as const)("sorts by %s", (order, sorted) => {
    expect(keys({ ...all, order }).slice(0, order === "duration" ? 2 : 4)).toEqual(
      sorted.slice(0, order === "duration" ? 2 : 4),
    );
  });

  it("finds nodes by a part of their name, and leaves out those that did not run", () => {
    expect(keys({ ...all, text: "NODE 2" })).toEqual([2]);
    expect(keys({ ...all, onlyRan: true })).toEqual([2, 1]);
  });

  it("is as long as its last bar", () => {
    expect(secondsOf(nodes, 0)).toBe(3);
    expect(secondsOf(nodes, 8)).toBe(8);
  });
});

describe("a node that runs now", () => {
  const running = [ran(1, { spans: [[0, 0, 4]] }), ran(2, { status: "running", seconds: 0 })];

  it("began, when the page opens, at the latest when the last other node ended", () => {
    const seen = noteRunning(new Map(), running, 9, true);
    expect(seen.get(2)).toBe(4);
    const [, second] = timelineNodes(running, 9, seen);
    expect(second?.spans).toEqual([{ ready: 4, began: 4, ended: 9, isOpen: true }]);
  });

  it("began, when the page is open, at the moment it was first seen", () => {
    const before = noteRunning(new Map(), [], 1, true);
    expect(noteRunning(before, running, 6, false).get(2)).toBe(6);
  });

  it("keeps its moment while others come and go", () => {
    const first = noteRunning(new Map(), running, 5, true);
    expect(noteRunning(first, running, 8, false)).toBe(first);
    const more = noteRunning(first, [...running, ran(3, { status: "running" })], 8, false);
    expect([...more]).toEqual([
      [2, 4],
      [3, 8],
    ]);
  });
});
