import { expect, it } from "vitest";

import { linePath, nearestLine } from "./parallel-lines.ts";

const xs = [0, 100, 200];

it("interrupts a line where a run has no value", () => {
  expect(linePath(xs, { id: "a", ys: [10, 20, 30] })).toBe("M0.0 10.0L100.0 20.0L200.0 30.0");
  expect(linePath(xs, { id: "a", ys: [10, null, 30] })).toBe("M0.0 10.0h4M200.0 30.0h4");
});

it("finds the line under the pointer, between two axes and beside one", () => {
  const lines = [
    { id: "up", ys: [100, 0, 0] },
    { id: "down", ys: [0, 100, 100] },
    { id: "gap", ys: [50, null, 50] },
  ];
  const at = (x: number, y: number) => nearestLine(xs, lines, { x, y, reach: 10 });
  expect(at(25, 74)).toBe("up");
  expect(at(25, 26)).toBe("down");
  expect(at(2, 49)).toBe("gap");
  expect(at(150, 50)).toBeUndefined();
  expect(nearestLine([40], [{ id: "one", ys: [5] }], { x: 40, y: 4, reach: 10 })).toBe("one");
});
