import { describe, expect, it } from "vitest";

import { metricChart } from "@miranda/contract/limits.ts";
import type { RunMetric } from "@miranda/contract/schemas/runs.ts";

import { withPoints } from "./run-metrics.ts";

const points = (from: number, to: number): RunMetric => {
  const at = Array.from({ length: to - from }, (_, index) => from + index);
  return { name: "loss", wob_key: 1, steps: at, values: at, times: at.map((one) => one / 10), count: to };
};

describe("new points of a run", () => {
  it("are added to their line, and a new line is added", () => {
    const [loss, rate] = withPoints([points(0, 3)], [points(3, 5), { ...points(0, 1), name: "rate" }]);
    expect([loss?.values, loss?.count]).toEqual([[0, 1, 2, 3, 4], 5]);
    expect(rate?.name).toBe("rate");
  });

  it("that a request has read already are not added again", () => {
    const [loss] = withPoints([points(0, 5)], [points(3, 5)]);
    expect(loss?.values).toEqual([0, 1, 2, 3, 4]);
    const [partly] = withPoints([points(0, 4)], [points(3, 6)]);
    expect(partly?.values).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("of one name from two nodes are two lines", () => {
    expect(withPoints([points(0, 3)], [{ ...points(0, 2), wob_key: 2 }])).toHaveLength(2);
  });

  it("never make a line longer than a chart can draw", () => {
    let lines = [points(0, 10)];
    for (let at = 10; at < 20_000; at += 1_000) lines = withPoints(lines, [points(at, at + 1_000)]);
    expect(lines[0]?.values.length).toBeLessThanOrEqual(2 * metricChart.pointsMax);
    expect(lines[0]?.values.at(-1)).toBe(20_009);
    expect(lines[0]?.count).toBe(20_010);
  });
});
