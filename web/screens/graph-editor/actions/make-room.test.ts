import { attribute, node } from "@miranda/contract/graph/graph-samples.ts";
import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";
import { expect, it } from "vitest";

import { frameOf } from "../cards/group-frame.ts";
import { boxOf } from "./arrange.ts";
import { roomFor } from "./make-room.ts";

function at(key: number, x: number, y: number, fields: Partial<Node> = {}): Node {
  return { ...node(key, [attribute("in", "RECEIVER")]), position: { x, y }, ...fields };
}

function groupOf(id: string, collapsed: boolean, ...metadata_ids: number[]): NodeGroup {
  return { id, name: id, colour: null, collapsed, metadata_ids };
}

function canvas(nodes: readonly Node[], ...groups: NodeGroup[]) {
  return {
    nodes: Object.fromEntries(nodes.map((one) => [one.metadata_id, one])),
    edges: [],
    groups: Object.fromEntries(groups.map((group) => [group.id, group])),
  };
}

/** The pairs of nodes and frames that cover each other after the moves. */
function collisions(nodes: readonly Node[], moved: Record<string, Position>, ...members: number[]): string[] {
  const boxes = nodes.map((one) => boxOf({ ...one, position: moved[one.metadata_id] ?? one.position }));
  const isMember = (id: number) => members.includes(id);
  const frame = {
    id: 0,
    ...frameOf(
      { collapsed: false },
      boxes.filter(({ id }) => isMember(id)),
    ),
  };
  const all = [frame, ...boxes.filter(({ id }) => !isMember(id))];
  return all.flatMap((one, index) =>
    all
      .slice(index + 1)
      .filter(
        (other) =>
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      )
      .map((other) => `${one.id} and ${other.id}`),
  );
}

const members = [at(1, 0, 0), at(2, 800, 400)];

it("moves what an opened group would cover by the shortest way, and nothing else", () => {
  const [beside, inside, outside] = [at(3, 780, 100), at(4, 300, 200), at(5, 1_200, 0)];
  const nodes = [...members, beside, inside, outside];
  const moved = roomFor(canvas(nodes, groupOf("g", true, 1, 2)), "g", false);
  expect(Object.keys(moved)).toEqual(["3", "4"]);
  expect(collisions(nodes, moved, 1, 2)).toEqual([]);
  // It lies nearest to the upper edge, and keeps its column.
  expect(moved[3]?.x).toBe(780);
  expect(moved[3]?.y).toBeLessThan(0);
});

it("puts many covered nodes beside each other, not on top of each other", () => {
  const nodes = [...members, ...Array.from({ length: 20 }, (_, index) => at(10 + index, 100 + index * 20, 100))];
  const moved = roomFor(canvas(nodes, groupOf("g", true, 1, 2)), "g", false);
  expect(Object.keys(moved)).toHaveLength(20);
  expect(collisions(nodes, moved, 1, 2)).toEqual([]);
});

it("moves another group as one, with what is hidden in it", () => {
  const nodes = [...members, at(3, 400, 100), at(4, 440, 300), at(5, 300, 380), at(6, 700, 380)];
  const groups = [groupOf("g", true, 1, 2), groupOf("closed", true, 3, 4)];
  const moved = roomFor(canvas(nodes, ...groups), "g", false);
  const by = (id: number) => {
    const { x = 0, y = 0 } = moved[id] ?? {};
    const from = nodes.find(({ metadata_id }) => metadata_id === id)?.position ?? { x: 0, y: 0 };
    return { x: x - from.x, y: y - from.y };
  };
  expect(by(3)).not.toEqual({ x: 0, y: 0 });
  expect(by(4)).toEqual(by(3));
});

it("leaves locked nodes and notes behind the group where they are", () => {
  const locked = at(3, 300, 100, { locked: true });
  const note = { ...at(4, -100, -100), class: "note" as const, body: { width: 2_000, height: 1_000 } };
  const beside = { ...at(5, 500, 200), class: "note" as const, body: { width: 200, height: 100 } };
  const moved = roomFor(canvas([...members, locked, note, beside], groupOf("g", true, 1, 2)), "g", false);
  expect(Object.keys(moved)).toEqual(["5"]);
});

it("frees the place of the card when a group is collapsed, and does nothing for an unknown or empty group", () => {
  const nodes = [at(1, 0, 0), at(2, 0, 400), at(3, 100, 40)];
  const open = groupOf("g", false, 1, 2);
  const moved = roomFor(canvas(nodes, open), "g", true);
  expect(Object.keys(moved)).toEqual(["3"]);
  expect(roomFor(canvas(nodes, open), "h", true)).toEqual({});
  expect(roomFor(canvas(nodes, groupOf("g", true, 9)), "g", false)).toEqual({});
});
