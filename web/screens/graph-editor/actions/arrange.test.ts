import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import { align, autoLayout, boundsOf, boxOf, distribute, freeSpot } from "./arrange.ts";

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

  it("breaks a long chain into rows that fit the view, and leaves it in one row where that fits", () => {
    const nodes = Array.from({ length: 24 }, (_, index) =>
      node(index + 1, [attribute("in", "RECEIVER"), attribute("out", "TRANSMITTER")]),
    );
    const edges = nodes.slice(1).map((one) => edge(`${one.key - 1}.out`, `${one.key}.in`));
    const shapeIn = (width: number, height: number) => {
      const placed = autoLayout(nodes, edges, { width, height });
      const bounds = boundsOf(nodes.map((one) => boxOf({ ...one, position: placed[one.key] ?? { x: 0, y: 0 } })));
      return bounds.width / bounds.height;
    };
    expect(shapeIn(10_000, 150)).toBeGreaterThan(40);
    expect(shapeIn(1_400, 900)).toBeLessThan(3);
    expect(shapeIn(1_400, 900)).toBeGreaterThan(0.8);
    // A phone in the hand.
    expect(shapeIn(390, 700)).toBeLessThan(1.1);
  });

  it("arranges a graph from left to right without overlaps", () => {
    const nodes = Array.from({ length: 30 }, (_, index) =>
      node(index + 1, [
        attribute("in", "RECEIVER"),
        attribute("out", "TRANSMITTER"),
        ...Array.from({ length: index % 6 }, (_unused, at) =>
          attribute(`f${at}`, "RECEIVER_FIELD", { control: { type: "json" } }),
        ),
      ]),
    );
    const edges = nodes.slice(1).map((one) => edge(`${Math.ceil(one.key / 2)}.out`, `${one.key}.in`));
    const placed = autoLayout(nodes, edges, { width: 1_400, height: 900 });
    const after = nodes.map((one) => boxOf({ ...one, position: placed[one.key] ?? { x: 0, y: 0 } }));
    for (const one of after) {
      for (const other of after) {
        if (one.id >= other.id) continue;
        const isApart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(isApart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
    for (const { source_wob_key, destination_wob_key } of edges)
      expect(placed[source_wob_key]!.x).toBeLessThan(placed[destination_wob_key]!.x);
    expect(boundsOf(after).x).toBe(0);
  });
});
