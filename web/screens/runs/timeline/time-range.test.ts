import { describe, expect, it } from "vitest";

import { between, momentWords, panned, ticksOf, wholeRange, zoomed } from "./time-range.ts";

const whole = { from: 0, to: 100 };

describe("the range of a timeline", () => {
  it("keeps the moment under the pointer in its place while it zooms", () => {
    const range = zoomed(whole, whole, 0.5, 20);
    expect(range).toEqual({ from: 10, to: 60 });
    expect((20 - range.from) / (range.to - range.from)).toBeCloseTo(0.2);
  });

  it("never leaves the run", () => {
    expect(zoomed({ from: 0, to: 10 }, whole, 100, 5)).toEqual(whole);
    expect(panned({ from: 80, to: 90 }, whole, 50)).toEqual({ from: 90, to: 100 });
    expect(panned({ from: 5, to: 15 }, whole, -50)).toEqual({ from: 0, to: 10 });
  });

  it("can be zoomed into without end and without an empty range", () => {
    let range = whole;
    for (let step = 0; step < 200; step += 1) range = zoomed(range, whole, 0.5, 50);
    expect(range.to).toBeGreaterThan(range.from);
  });

  it("can be pulled open in both directions, and shows everything when nothing was pulled", () => {
    expect(between(30, 20, whole)).toEqual({ from: 20, to: 30 });
    expect(between(-30, 20, whole)).toEqual({ from: 0, to: 20 });
    expect(between(20, 20, whole)).toEqual(whole);
  });

  it("has a length for a run that took no time", () => {
    const { from, to } = wholeRange(0);
    expect(to).toBeGreaterThan(from);
  });
});

describe("the axis", () => {
  it.each([
    [{ from: 0, to: 1 }, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [{ from: 3, to: 33 }, 6, [5, 10, 15, 20, 25, 30]],
    [{ from: 0, to: 3_600 }, 6, [0, 600, 1_200, 1_800, 2_400, 3_000, 3_600]],
  ])("has round marks in %j", (range, most, marks) => {
    expect(ticksOf(range, most).map((mark) => Number(mark.toFixed(6)))).toEqual(marks);
  });

  it.each([
    [0, 1, "0"],
    [0.25, 0.05, "250 ms"],
    [0.0002, 0.0001, "0.2 ms"],
    [1.5, 0.5, "1.5 s"],
    [12, 2, "12 s"],
    [125, 5, "2:05"],
    [3_725, 60, "1:02:05"],
  ])("says %d s at steps of %d s as %s", (seconds, step, words) => {
    expect(momentWords(seconds, step)).toBe(words);
  });
});
