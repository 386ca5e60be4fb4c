import { describe, expect, it } from "vitest";

import { barAt, lanesOf } from "./lanes.ts";
import type { TimelineNode } from "./timeline-nodes.ts";

const node = (key: number, ...spans: [number, number][]): TimelineNode => ({
  ...{ key, name: `Node ${key}`, state: "done", reason: "", seconds: 0, waited: 0, fires: spans.length, cost: 0 },
  spans: spans.map(([began, ended]) => ({ ready: began, began, ended })),
  start: spans[0]?.[0],
});

describe("lanes", () => {
  it("puts nodes that ran one after the other into one lane", () => {
    expect(lanesOf([node(1, [0, 1]), node(2, [1, 2]), node(3, [2, 3])])).toHaveLength(1);
  });

  it("has as many lanes as nodes that ran at the same time", () => {
    const lanes = lanesOf([node(1, [0, 3]), node(2, [1, 2]), node(3, [2, 4]), node(4, [3, 5])]);
    expect(lanes.map((lane) => lane.map((bar) => bar.node))).toEqual([
      [1, 4],
      [2, 3],
    ]);
  });

  it("places every time a node fired", () => {
    const lanes = lanesOf([node(1, [0, 1], [2, 3]), node(2, [0, 5])]);
    expect(lanes.flat()).toHaveLength(3);
  });

  it("has a limited number of lanes, and loses no bar", () => {
    const lanes = lanesOf(Array.from({ length: 5_000 }, (_, key) => node(key, [0, 10])));
    expect(lanes.length).toBeLessThanOrEqual(64);
    expect(lanes.flat()).toHaveLength(5_000);
  });

  it("finds the bar at a moment, and a tiny bar near it", () => {
    const [lane = []] = lanesOf([node(1, [0, 1]), node(2, [5, 5.001])]);
    expect(barAt(lane, 0.5, 0)?.node).toBe(1);
    expect(barAt(lane, 5.1, 0.2)?.node).toBe(2);
    expect(barAt(lane, 3, 0.2)).toBeUndefined();
  });
});
