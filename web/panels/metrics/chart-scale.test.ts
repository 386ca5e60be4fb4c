import { describe, expect, it } from "vitest";

import { linearScale, logScale, nearest, pathOf, ticksOf, xRange, yRange } from "./chart-scale.ts";

const line = (x: number[], y: (number | null)[]) => ({ key: "a", label: "a", colour: "", dash: undefined, x, y });

describe("ticks", () => {
  it("are round numbers between the ends", () => {
    expect(ticksOf([0, 1], 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksOf([-3, 1003], 4)).toEqual([0, 500, 1000]);
    expect(ticksOf([0.1, 0.5], 4)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
  });

  it("are one when there is nothing between the ends", () => {
    expect(ticksOf([5, 5], 4)).toEqual([5]);
  });
});

describe("ranges", () => {
  it("a single point has room at both sides", () => {
    expect(xRange([line([3], [1])])).toEqual([2.5, 3.5]);
    const [low, high] = yRange([line([3], [1])], [2, 4], false) ?? [0, 0];
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
  });

  it("count what is shown only, and on a log scale what is above zero", () => {
    const lines = [line([0, 1, 2, 3], [1000, 5, null, 7])];
    expect(yRange(lines, [1, 3], false)?.[1]).toBeLessThan(10);
    expect(yRange([line([0, 1], [-1, 0])], [0, 1], true)).toBeUndefined();
    expect(xRange([])).toBeUndefined();
  });
});

describe("a scale", () => {
  it("goes there and back", () => {
    const linear = linearScale([10, 20], [0, 100], []);
    expect([linear(15), linear.invert(50)]).toEqual([50, 15]);
    const log = logScale([1, 100], [100, 0]);
    expect(log(10)).toBeCloseTo(50);
    expect(log.invert(50)).toBeCloseTo(10);
    expect(log.ticks).toEqual([1, 10, 100]);
  });

  it("draws gaps as gaps, and a point between two gaps as a dot", () => {
    const scales = { x: linearScale([0, 4], [0, 4], []), y: linearScale([0, 4], [0, 4], []) };
    const path = pathOf([0, 1, 2, 3, 4], [1, null, 2, null, 3], scales, false);
    expect(path.match(/M/g)).toHaveLength(3);
    expect(path).toContain("h0.01");
    expect(pathOf([0, 1], [-1, 2], scales, true)).toBe("M1.0 2.0h0.01");
  });
});

describe("the nearest point", () => {
  it("is the closer of both neighbours", () => {
    expect([-5, 0.4, 0.6, 7, 100].map((x) => nearest([0, 1, 10], x))).toEqual([0, 0, 1, 2, 2]);
    expect(nearest([], 3)).toBeUndefined();
  });
});
