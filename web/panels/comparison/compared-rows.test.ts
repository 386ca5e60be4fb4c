import { describe, expect, it } from "vitest";

import type { ModelComparison } from "@miranda/contract/schemas/models/compare.ts";

import { groupsOf } from "./compared-rows.ts";

const comparison: ModelComparison = {
  items: [],
  metrics: [
    { name: "loss", values: [0.5, 0.25], steps: [9, 9], differs: true, lower_is_better: true, best: [1] },
    { name: "same", values: [1, 1], steps: [null, null], differs: false, lower_is_better: false, best: [] },
    { name: "broken", values: ["NaN", 1], steps: [0, 0], differs: true, lower_is_better: false, best: [1] },
    { name: "missing", values: [null, 3], steps: [null, 0], differs: true, lower_is_better: false, best: [] },
  ],
  params: [{ name: "depth", values: ["3", "3"], differs: false }],
  packages: [{ name: "numpy", values: ["2.0", null], differs: true }],
  facts: [],
  steps: null,
};

describe("the rows of a comparison", () => {
  it("has a group for what there is", () => {
    expect(groupsOf(comparison, false).map(({ title, rows, same }) => [title, rows.length, same])).toEqual([
      ["Metrics", 4, 0],
      ["Parameters", 1, 0],
      ["Packages", 1, 0],
    ]);
  });

  it("leaves out what is the same, and counts it", () => {
    expect(groupsOf(comparison, true).map(({ title, rows, same }) => [title, rows.length, same])).toEqual([
      ["Metrics", 3, 1],
      ["Parameters", 0, 1],
      ["Packages", 1, 0],
    ]);
  });

  it("marks the best, says how two numbers differ, and shows what is no number", () => {
    const [metrics] = groupsOf(comparison, false);
    expect(metrics?.rows[0]).toMatchObject({ change: "−0.25", cells: [{ isBest: false }, { isBest: true, step: 9 }] });
    expect(metrics?.rows[1]?.change).toBe("");
    expect(metrics?.rows[2]).toMatchObject({ change: "", cells: [{ words: "NaN" }, { words: "1" }] });
    expect(metrics?.rows[3]).toMatchObject({ change: "", cells: [{ words: "–" }, { words: "3" }] });
  });
});
