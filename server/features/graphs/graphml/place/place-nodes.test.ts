import { describe, expect, test } from "vitest";
import { nodeBox } from "@miranda/contract/graph/layout/layered-layout.ts";
import type { Spot } from "./place-nodes.ts";
import { placeNodes } from "./place-nodes.ts";
import { spread } from "@miranda/contract/graph/layout/spread.ts";
import type { Position } from "../types.ts";

const [clearWidth, clearHeight] = [nodeBox.width + nodeBox.gap, nodeBox.height + nodeBox.gap];

function expectNoOverlap(positions: Position[]): void {
  const sorted = positions.toSorted((a, b) => a.x - b.x);
  for (const [index, position] of sorted.entries()) {
    for (let next = index + 1; next < sorted.length && sorted[next]!.x - position.x < clearWidth; next++) {
      if (Math.abs(sorted[next]!.y - position.y) < clearHeight)
        throw new Error(`${JSON.stringify([position, sorted[next]])} overlap`);
    }
  }
}

const at = (...points: [number, number][]): Spot[] => points.map(([x, y]) => ({ centre: { x, y } }));

/** Deterministic noise between 0 and 1. */
const noise = (index: number) => Math.abs(Math.sin(index * 12.9898) * 43_758.5453) % 1;

describe("positions of the file", () => {
  test.each([
    ["pixels", 1],
    ["zero to one", 0.001],
    ["kilometres", 1e6],
    ["a hair's breadth", 1e-12],
  ])("in %s keep their arrangement at the size of our nodes", (_, unit) => {
    const spots = at([0, 0], [100 * unit, 0], [0, 60 * unit], [100 * unit, 60 * unit], [50 * unit, 200 * unit]);
    const [a, b, c, d, e] = placeNodes(spots, []) as [Position, Position, Position, Position, Position];
    expectNoOverlap([a, b, c, d, e]);
    expect([a.y, c.y]).toEqual([b.y, d.y]);
    expect([a.x, b.x]).toEqual([c.x, d.x]);
    expect((e.y - a.y) / (c.y - a.y)).toBeCloseTo(200 / 60, 1);
    expect((e.x - a.x) / (b.x - a.x)).toBeCloseTo(0.5, 1);
    expect(Math.max(b.x - a.x, e.y - a.y)).toBeLessThan(5000);
  });

  test("that are far enough apart are kept", () => {
    const [a, b] = placeNodes(at([0, 0], [700, 300]), []);
    expect([b!.x - a!.x, b!.y - a!.y]).toEqual([700, 300]);
  });

  test.each([
    ["scattered", Array.from({ length: 3000 }, (_, index): [number, number] => [noise(index), noise(index + 0.5)])],
    [
      "in clusters",
      Array.from({ length: 2000 }, (_, index): [number, number] => [
        (index % 5) + noise(index) * 1e-3,
        noise(index + 0.5) * 1e-3,
      ]),
    ],
    [
      "twice in each place",
      Array.from({ length: 500 }, (_, index): [number, number] => [(index >> 1) * 30, (index >> 1) % 7]),
    ],
    ["in one line", Array.from({ length: 2000 }, (_, index): [number, number] => [index * 3, 5])],
    ["in one column", Array.from({ length: 2000 }, (_, index): [number, number] => [5, noise(index)])],
    ["in one spot", Array.from({ length: 2000 }, (): [number, number] => [5, 5])],
    ["in one spot but one", Array.from({ length: 2000 }, (_, index): [number, number] => [index === 0 ? 1e9 : 5, 5])],
  ])("%s never overlap", (_, points) => {
    const positions = placeNodes(at(...points), []);
    expectNoOverlap(positions);
    for (const { x, y } of positions) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThan(1e7);
  });

  test("place nodes without a position beside the others", () => {
    const positions = placeNodes(
      [...at([0, 0], [300, 0]), {}, {}, {}],
      [
        [2, 3],
        [0, 4],
      ],
    );
    expectNoOverlap(positions);
    const right = Math.max(positions[0]!.x, positions[1]!.x);
    for (const position of positions.slice(2)) expect(position.x).toBeGreaterThan(right);
    expect(positions[3]!.x).toBeGreaterThan(positions[2]!.x);
  });

  test("put a group's node near its frame's corner, off its members", () => {
    const members = at([100, 100], [400, 100], [100, 300], [400, 300]);
    const positions = placeNodes([{ centre: { x: 250, y: 200 }, frame: { x: 50, y: 50 } }, ...members], []);
    expectNoOverlap(positions);
    expect(positions[0]!.y).toBeLessThan(positions[1]!.y);
    expect(Math.abs(positions[0]!.x - positions[1]!.x)).toBeLessThan(2 * clearWidth);
  });

  test("of our own are exact, and other nodes do not overlap them", () => {
    const exact = { x: 0.25, y: -3.5 };
    const positions = placeNodes([{ exact }, { exact: { x: 0.5, y: -3 } }, ...at([0, 0]), {}], []);
    expect(positions[0]).toEqual(exact);
    expectNoOverlap(positions.slice(1));
  });
});

describe("the layered layout", () => {
  const empty = (count: number): Spot[] => Array.from({ length: count }, () => ({}));

  test("points every edge of an acyclic graph to the right", () => {
    const edges = Array.from({ length: 400 }, (_, index): [number, number] => {
      const from = Math.floor(noise(index) * 199);
      return [from, from + 1 + Math.floor(noise(index + 0.5) * (199 - from))];
    });
    const positions = placeNodes(empty(200), edges);
    expectNoOverlap(positions);
    for (const [from, to] of edges) expect(positions[to]!.x).toBeGreaterThan(positions[from]!.x);
  });

  test("draws a chain as a straight line and untangles a ladder", () => {
    const chain = placeNodes(empty(5), [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(new Set(chain.map(({ y }) => y)).size).toBe(1);
    const ladder = placeNodes(empty(6), [
      [0, 5],
      [1, 4],
      [2, 3],
    ]);
    expectNoOverlap(ladder);
    for (const [from, to] of [
      [0, 5],
      [1, 4],
      [2, 3],
    ] as const)
      expect(ladder[from]!.y).toBe(ladder[to]!.y);
  });

  test.each<[string, number, [number, number][]]>([
    [
      "cycles",
      4,
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [2, 0],
      ],
    ],
    [
      "loops and parallel edges",
      2,
      [
        [0, 0],
        [0, 1],
        [0, 1],
        [1, 1],
      ],
    ],
    ["nothing", 0, []],
    ["lone nodes", 1000, []],
    ["a star", 5001, Array.from({ length: 5000 }, (_, index) => [0, index + 1])],
    ["a long chain", 40_000, Array.from({ length: 39_999 }, (_, index) => [index, index + 1])],
    ["a complete graph", 120, Array.from({ length: 120 * 120 }, (_, index) => [index % 120, Math.floor(index / 120)])],
  ])("handles %s", (_, count, edges) => {
    const positions = placeNodes(empty(count), edges);
    expectNoOverlap(positions);
    for (const { x, y } of positions) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThan(1e7);
  });

  test("is neither one row nor one column for many nodes", () => {
    for (const edges of [[], Array.from({ length: 4999 }, (_, index): [number, number] => [0, index + 1])]) {
      const positions = placeNodes(empty(5000), edges);
      const width = Math.max(...positions.map(({ x }) => x));
      const height = Math.max(...positions.map(({ y }) => y));
      expect(Math.max(width / height, height / width)).toBeLessThan(4);
    }
  });

  test("places 20,000 nodes and 40,000 edges in about a second", () => {
    const edges = Array.from({ length: 40_000 }, (_, index): [number, number] => {
      return [Math.floor(noise(index) * 20_000), Math.floor(noise(index + 0.5) * 20_000)];
    });
    const before = process.threadCpuUsage();
    expectNoOverlap(placeNodes(empty(20_000), edges));
    expect(process.threadCpuUsage(before).user).toBeLessThan(4_000_000);
  });
});

test("spreading keeps the order and moves as little as it can", () => {
  expect(spread([0, 10, 20], 5)).toEqual([0, 10, 20]);
  expect(spread([0, 0, 0], 10)).toEqual([-10, 0, 10]);
  expect(spread([5, 0], 10)).toEqual([-2.5, 7.5]);
  expect(spread([], 10)).toEqual([]);
});
