import { describe, expect, it } from "vitest";

import { align, distribute, freeSpot } from "./arrange.ts";

const boxes = [
  { id: 1, x: 0, y: 0, width: 100, height: 50 },
  { id: 2, x: 300, y: 40, width: 100, height: 100 },
  { id: 3, x: 120, y: 200, width: 50, height: 50 },
];

describe("arranging nodes", () => {
  it("aligns to each side and to the middle", () => {
    expect(align(boxes, "left")).toMatchObject({ 1: { x: 0, y: 0 }, 2: { x: 0, y: 40 }, 3: { x: 0, y: 200 } });
    expect(align(boxes, "right")).toMatchObject({ 1: { x: 300 }, 2: { x: 300 }, 3: { x: 350 } });
    expect(align(boxes, "bottom")).toMatchObject({ 1: { y: 200 }, 2: { y: 150 }, 3: { y: 200 } });
    expect(align(boxes, "centre")[3]?.x).toBe(175);
    expect(align(boxes, "middle")[1]?.y).toBe(100);
    expect(align(boxes, "top")[2]?.y).toBe(0);
  });

  it("makes the gaps equal and keeps the outermost nodes in place", () => {
    const across = distribute(boxes, "horizontal");
    expect(across).toMatchObject({ 1: { x: 0 }, 3: { x: 175 }, 2: { x: 300 } });
    expect(distribute(boxes.slice(0, 1), "vertical")).toEqual({ "1": { x: 0, y: 0 } });
  });

  it("finds the nearest free place, or the wanted one when it is free", () => {
    const wanted = { x: 0, y: 0, width: 100, height: 50 };
    expect(freeSpot([], wanted)).toEqual({ x: 0, y: 0 });
    const { x, y } = freeSpot(boxes, wanted);
    const covers = boxes.filter(
      (box) => box.x < x + 100 && x < box.x + box.width && box.y < y + 50 && y < box.y + box.height,
    );
    expect(covers).toEqual([]);
    expect(Math.hypot(x, y)).toBeLessThan(200);
    const wall = { id: 9, x: -9_000, y: -9_000, width: 20_000, height: 20_000 };
    expect(freeSpot([wall], wanted)).toEqual({ x: 0, y: 0 });
  });
});
