import { node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";
import { describe, expect, it } from "vitest";

import { createGraphStore } from "../../../providers/graph/graph-store.ts";
import { boxOf } from "../actions/arrange.ts";
import { createRooms, hangingIn, maxRoom, reachOf } from "./preview-room.ts";

function at(id: number, position: Position): Node {
  return { ...node(id, []), position };
}

const { height } = boxOf(at(1, { x: 0, y: 0 }));

function graphOf(nodes: Node[], groups: NodeGroup[] = []) {
  const store = createGraphStore();
  store.load({ nodes: nodesByKey(...nodes), edges: [], groups, viewOnly: false, revision: 1 });
  return { store, rooms: createRooms(store) };
}

describe("the space below a card", () => {
  it("ends where the next card begins", () => {
    const below = (position: Position) => graphOf([at(1, { x: 0, y: 0 }), at(2, position)]).rooms.below(1);
    expect(below({ x: 0, y: height + 40 })).toBe(40);
    expect(below({ x: -255, y: height + 40 })).toBe(40);
    expect(below({ x: 255, y: height + 100 })).toBe(100);
    // Beside it, above it, and too far below it.
    expect(below({ x: 256, y: height + 40 })).toBe(maxRoom);
    expect(below({ x: 0, y: -height - 10 })).toBe(maxRoom);
    expect(below({ x: 0, y: height + maxRoom + 1 })).toBe(maxRoom);
    // Overlapping its lower edge.
    expect(below({ x: 20, y: height - 10 })).toBe(0);
    expect(below({ x: -3000.5, y: 77 })).toBe(maxRoom);
  });

  it("follows moved, deleted and new cards", () => {
    const { store, rooms } = graphOf([at(1, { x: 0, y: 0 }), at(2, { x: 0, y: height + 40 })]);
    expect(rooms.below(1)).toBe(40);
    const change = { graph_id: "g", by: "ada" };
    store.receive({ ...change, revision: 2, positions: { 2: { x: 0, y: height + 90 } } });
    expect(rooms.below(1)).toBe(90);
    store.receive({ ...change, revision: 3, nodes: [at(3, { x: 30, y: height + 20 })] });
    expect(rooms.below(1)).toBe(20);
    store.receive({ ...change, revision: 4, deleted_nodes: [2, 3] });
    expect(rooms.below(1)).toBe(maxRoom);
    expect(rooms.below(99)).toBe(maxRoom);
  });

  it("counts the card of a collapsed group, not its members", () => {
    const nodes = [at(1, { x: 0, y: 0 }), at(2, { x: 0, y: height + 50 }), at(3, { x: 0, y: height + 30 })];
    const group = { id: "g", name: "G", colour: null, collapsed: true, metadata_ids: [2] };
    expect(graphOf(nodes, [group]).rooms.below(1)).toBe(30);
    expect(graphOf(nodes, [{ ...group, metadata_ids: [2, 3] }]).rooms.below(1)).toBe(30);
    expect(graphOf(nodes.slice(0, 2), [group]).rooms.below(1)).toBe(50);
  });

  it("is found without going through every card", () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      at(index + 1, { x: (index % 100) * 300, y: Math.floor(index / 100) * 160 }),
    );
    const { rooms } = graphOf(many);
    expect(new Set(many.slice(0, 4_900).map((one) => rooms.below(one.metadata_id)))).toEqual(new Set([160 - height]));
  });
});

it("decides how much of a preview is shown", () => {
  expect(hangingIn(maxRoom)).toEqual({ show: "all", preview: 176, isLimited: false });
  expect(hangingIn(120)).toEqual({ show: "all", preview: 70, isLimited: true });
  expect(hangingIn(60).show).toBe("chips");
  expect(hangingIn(20).show).toBe("none");
  expect(reachOf(20, { run: true, output: true })).toBe(0);
  expect(reachOf(60, { run: true, output: true })).toBe(38);
  expect(reachOf(maxRoom, { run: true, output: false })).toBe(38);
  expect(reachOf(maxRoom, { run: true, output: true })).toBe(38 + 176);
  expect(reachOf(maxRoom, { run: false, output: false })).toBe(0);
});
