import { expect, it } from "vitest";

import { unchangedNodes } from "./unchanged-nodes.ts";

const chain = [
  { source_id: 1, target_id: 2 },
  { source_id: 2, target_id: 3 },
];
const node = (id: number, edited = 1) => ({ id, edited });
const result = (node_id: number, revision = 5) => ({ node_id, run_id: `run ${revision}`, revision });

it("counts kept results that are newer than every change of what they were made from", () => {
  const results = [result(1), result(2), result(3)];
  const found = (...nodes: { id: number; edited: number }[]) => [
    ...unchangedNodes({ nodes, edges: chain, results }).keys(),
  ];
  expect(found(node(1), node(2), node(3))).toEqual([1, 2, 3]);
  expect(found(node(1), node(2, 6), node(3))).toEqual([1]);
  expect(found(node(1, 6), node(2), node(3))).toEqual([]);
  expect(found(node(1), node(2, 5), node(3))).toEqual([1, 2, 3]);
});

it("counts nothing in a loop, nor what a loop feeds", () => {
  const edges = [{ source_id: 2, target_id: 1 }, ...chain];
  const nodes = [node(1), node(2), node(3), node(4)];
  const results = [1, 2, 3, 4].map((id) => result(id));
  expect([...unchangedNodes({ nodes, edges, results })]).toEqual([[4, "run 5"]]);
});

it("counts no result of a node that is gone or disabled", () => {
  expect(unchangedNodes({ nodes: [node(1)], edges: chain, results: [result(2)] }).size).toBe(0);
});
