import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import { contentOf, endsOf } from "@miranda/contract/graph/content.ts";
import { expect, it } from "vitest";

import { insertion } from "./insertion.ts";

const table = { kind: "table" };
const load = node(1, [attribute("rows", "TRANSMITTER", table)]);
const fit = node(2, [attribute("rows", "RECEIVER", table)]);
const clean = node(3, [attribute("dirty", "RECEIVER", table), attribute("clean", "TRANSMITTER", table)]);
const plot = node(4, [attribute("rows", "RECEIVER", table)]);
const between = edge("1.rows", "2.rows");

function inserted(id: number, edges = [between], nodes = nodesByKey(load, fit, clean, plot)) {
  return insertion(nodes, contentOf({ nodes, edges, groups: [] }).edges, id, between);
}

it("inserts a node between the two ends of an edge", () => {
  expect(inserted(3)).toEqual([
    { type: "disconnect", ends: endsOf(between) },
    { type: "connect", ends: endsOf(edge("1.rows", "3.dirty")) },
    { type: "connect", ends: endsOf(edge("3.clean", "2.rows")) },
  ]);
});

it("leaves an edge alone when the node does not fit, is locked, or already has edges", () => {
  expect(inserted(4)).toBeUndefined();
  expect(inserted(1)).toBeUndefined();
  expect(inserted(3, [between, edge("3.clean", "4.rows")])).toBeUndefined();
  expect(inserted(3, [between], nodesByKey(load, fit, { ...clean, locked: true }))).toBeUndefined();
});
