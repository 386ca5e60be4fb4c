import { describe, expect, it } from "vitest";

import type { RunMetric } from "@miranda/contract/schemas/runs.ts";

import { metricLines, smoothed } from "./chart-lines.ts";

const line = (name: string, wob_key: number, more: Partial<RunMetric> = {}): RunMetric => ({
  name,
  wob_key,
  steps: [0, 1, 2],
  values: [3, 2, 1],
  times: [0.1, 0.2, 0.3],
  count: 3,
  ...more,
});
const nameOf = (node: number) => ({ 1: "Train", 2: "Check" })[node];

describe("the lines of a chart", () => {
  it("name their node only where several nodes logged the same name", () => {
    const lines = metricLines([line("loss", 1), line("loss", 2), line("rate", 1), line("loss", 3)], "step", nameOf);
    expect(lines.map(({ label }) => label)).toEqual(["loss · Train", "loss · Check", "rate", "loss · Node 3"]);
    expect(new Set(lines.map(({ colour }) => colour)).size).toBe(4);
  });

  it("go from left to right although steps were logged in another order", () => {
    const [by] = metricLines([line("loss", 1, { steps: [5, 1, 3], values: [50, 10, null] })], "step", nameOf);
    expect([by?.x, by?.y]).toEqual([
      [1, 3, 5],
      [10, null, 50],
    ]);
  });

  it("have the time as their axis when asked", () => {
    const [by] = metricLines([line("loss", 1)], "time", nameOf);
    expect(by?.x).toEqual([0.1, 0.2, 0.3]);
  });
});

describe("smoothing", () => {
  it("begins at the first value, follows slowly and leaves gaps", () => {
    const values = smoothed([10, null, 0, 0], 0.5);
    expect(values[0]).toBe(10);
    expect(values[1]).toBeNull();
    expect(values[2]).toBeCloseTo(10 / 3);
    expect(values[3]).toBeLessThan(values[2] ?? 0);
  });

  it("without weight leaves the line as it is", () => {
    expect(smoothed([3, 1, 2], 0)).toEqual([3, 1, 2]);
  });
});
