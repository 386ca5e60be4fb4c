import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import type { Edge, Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";
import { describe, expect, it } from "vitest";

import type { Area, Size } from "../canvas/free-area.ts";
import { groupCards } from "../cards/collapsed-groups.ts";
import { frameOf } from "../cards/group-frame.ts";
import { boundsOf, boxOf } from "./arrange.ts";
import { autoLayout } from "./auto-layout.ts";

const laptop = { width: 1_400, height: 900 };
const phone = { width: 390, height: 700 };

/** With enough ports to be higher than the card of a collapsed group. */
const sample = (key: number, at: Position = { x: 0, y: 0 }): Node => ({
  ...node(key, [attribute("in", "RECEIVER"), attribute("out", "TRANSMITTER")]),
  position: at,
});
const link = (from: number, to: number) => edge(`${from}.out`, `${to}.in`);
const chainOf = (count: number, first = 1) => {
  const nodes = Array.from({ length: count }, (_, at) => sample(first + at));
  return { nodes, edges: nodes.slice(1).map(({ key }) => link(key - 1, key)) };
};
const note = (key: number, at: Position, body: Size = { width: 256, height: 160 }): Node => ({
  ...sample(key, at),
  class: "note",
  body,
});
const groupOf = (id: string, collapsed: boolean, ...metadata_ids: number[]): NodeGroup => ({
  ...{ id, name: id, colour: null, collapsed, metadata_ids },
});

interface Case {
  nodes: readonly Node[];
  edges?: readonly Edge[];
  groups?: readonly NodeGroup[];
}

function contentOf({ nodes, edges = [], groups = [] }: Case) {
  return {
    nodes: Object.fromEntries(nodes.map((one) => [one.metadata_id, one])),
    edges: [...edges],
    groups: Object.fromEntries(groups.map((group) => [group.id, group])),
  };
}

/** Arranges the case, and returns its nodes at their new places. */
function arranged(given: Case, view: Size = laptop, chosen = given.nodes.map(({ metadata_id }) => metadata_id)): Case {
  const moved = autoLayout(contentOf(given), new Set(chosen), view);
  return { ...given, nodes: given.nodes.map((one) => ({ ...one, position: moved[one.metadata_id] ?? one.position })) };
}

const placeOf = ({ nodes }: Case, key: number): Position => nodes.find((one) => one.key === key)!.position;

/** Everything that is drawn, with its name. */
function drawn(given: Case): (Area & { name: string; ids: readonly number[] })[] {
  const content = contentOf(given);
  const cards = groupCards({ ...content, content });
  const nodes = given.nodes
    .filter(({ metadata_id }) => !cards.has(metadata_id))
    .map((one) => ({ ...boxOf(one), name: String(one.key), ids: [one.metadata_id] }));
  const frames = (given.groups ?? []).map((group) => {
    const members = given.nodes.filter(({ metadata_id }) => group.metadata_ids.includes(metadata_id)).map(boxOf);
    const card = group.collapsed ? cards.get(group.metadata_ids[0] ?? 0)?.area : undefined;
    return { ...(card ?? frameOf(group, members)), name: group.id, ids: group.metadata_ids };
  });
  return [...nodes, ...frames];
}

/** The pairs that overlap, apart from a frame and what is in it. */
function overlaps(given: Case): string[] {
  const all = drawn(given);
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter(
        (other) =>
          !one.ids.every((id) => other.ids.includes(id)) &&
          !other.ids.every((id) => one.ids.includes(id)) &&
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      )
      .map((other) => `${one.name} and ${other.name}`),
  );
}

describe("arranging a graph", () => {
  it("breaks a long chain into rows that fit the view, and leaves it in one row where that fits", () => {
    const chain = chainOf(24);
    const shapeIn = (width: number, height: number) => {
      const bounds = boundsOf(drawn(arranged(chain, { width, height })));
      return bounds.width / bounds.height;
    };
    expect(shapeIn(10_000, 150)).toBeGreaterThan(40);
    expect(shapeIn(1_400, 900)).toBeLessThan(3);
    expect(shapeIn(1_400, 900)).toBeGreaterThan(0.8);
    // A phone in the hand.
    expect(shapeIn(390, 700)).toBeLessThan(1.1);
  });

  it("goes from left to right without overlaps, and changes nothing the second time", () => {
    const nodes = Array.from({ length: 30 }, (_, index) => ({
      ...node(index + 1, [
        attribute("in", "RECEIVER"),
        attribute("out", "TRANSMITTER"),
        ...Array.from({ length: index % 6 }, (_unused, at) =>
          attribute(`f${at}`, "RECEIVER_FIELD", { control: { type: "json" } }),
        ),
      ]),
    }));
    const edges = nodes.slice(1).map(({ key }) => link(Math.ceil(key / 2), key));
    const after = arranged({ nodes, edges });
    expect(overlaps(after)).toEqual([]);
    for (const { source_wob_key, destination_wob_key } of edges)
      expect(placeOf(after, source_wob_key).x).toBeLessThan(placeOf(after, destination_wob_key).x);
    expect(boundsOf(drawn(after)).x).toBe(0);
    expect(autoLayout(contentOf(after), new Set(nodes.map(({ key }) => key)), laptop)).toEqual({});
  });

  it.each([laptop, phone])("puts nodes without edges below all chains in $width × $height", (view) => {
    const [long, short] = [chainOf(7), chainOf(3, 20)];
    const alone = [41, 42, 43, 44, 45].map((key) => sample(key));
    const nodes = [...alone, ...long.nodes, ...short.nodes];
    const after = arranged({ nodes, edges: [...long.edges, ...short.edges] }, view);
    expect(overlaps(after)).toEqual([]);
    const tops = (some: readonly Node[]) => some.map(({ key }) => placeOf(after, key).y);
    expect(Math.min(...tops(alone))).toBeGreaterThan(Math.max(...tops([...long.nodes, ...short.nodes])));
  });

  it("keeps the rows of one chain together", () => {
    const [one, other] = [chainOf(12), chainOf(12, 21)];
    const after = arranged({ nodes: [...one.nodes, ...other.nodes], edges: [...one.edges, ...other.edges] }, phone);
    const tops = (nodes: readonly Node[]) => nodes.map(({ key }) => placeOf(after, key).y);
    expect(Math.max(...tops(one.nodes))).toBeLessThan(Math.min(...tops(other.nodes)));
  });

  it("arranges thousands of nodes in groups at once", () => {
    const chain = chainOf(3_000);
    const groups = Array.from({ length: 300 }, (_, at) =>
      groupOf(`g${at}`, at % 2 === 0, ...Array.from({ length: 5 }, (_unused, one) => at * 10 + one + 1)),
    );
    const start = performance.now();
    arranged({ ...chain, groups });
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});

describe("arranging groups", () => {
  const [a, b, c, d, e, f] = [1, 2, 3, 4, 5, 6];
  const nodes = [a, b, c, d, e, f].map((key) => sample(key, { x: key * 40, y: key * 24 }));
  const edges = [link(a, b), link(b, c), link(d, e), link(a, f)];

  it.each([
    ["open", false, false],
    ["collapsed", true, true],
    ["open and collapsed", false, true],
    ["collapsed and open", true, false],
  ])("keeps %s groups apart from each other and from strangers", (_what, one, other) => {
    for (const view of [laptop, phone]) {
      const groups = [groupOf("AE", one, a, e), groupOf("CD", other, c, d)];
      expect(overlaps(arranged({ nodes, edges, groups }, view))).toEqual([]);
    }
  });

  it("changes nothing the second time", () => {
    const groups = [groupOf("AE", false, a, e), groupOf("CD", true, c, d)];
    const after = arranged({ nodes, edges, groups });
    expect(autoLayout(contentOf(after), new Set([a, b, c, d, e, f]), laptop)).toEqual({});
  });

  it("keeps the places inside a collapsed group, and puts the members of an open one on the grid", () => {
    const groups = [groupOf("AE", true, a, e), groupOf("CD", false, c, d)];
    const after = arranged({ nodes, edges, groups });
    const between = (given: Case) => {
      const [first, last] = [placeOf(given, a), placeOf(given, e)];
      return { x: last.x - first.x, y: last.y - first.y };
    };
    expect(between(after)).toEqual(between({ nodes }));
    for (const key of [b, c, d, f]) {
      expect(placeOf(after, key).x % 8).toBe(0);
      expect(placeOf(after, key).y % 8).toBe(0);
    }
  });

  it("arranges a group inside a group", () => {
    const groups = [groupOf("inner", false, a, b), groupOf("outer", false, a, b, c, d)];
    expect(overlaps(arranged({ nodes, edges, groups }))).toEqual([]);
  });

  it("leaves a group with a locked member where it is, and puts nothing on it", () => {
    const locked = nodes.map((one) => (one.key === d ? { ...one, locked: true } : one));
    const groups = [groupOf("CD", false, c, d)];
    const after = arranged({ nodes: locked, edges, groups });
    expect([placeOf(after, c), placeOf(after, d)]).toEqual([placeOf({ nodes }, c), placeOf({ nodes }, d)]);
    expect(overlaps(after)).toEqual(overlaps({ nodes: locked.filter(({ key }) => key === c || key === d), groups }));
  });

  it("arranges a selection, and puts it on nothing else", () => {
    const [left, right] = [groupOf("AE", false, a, e), groupOf("CD", false, c, d)];
    const apart = arranged({ nodes, edges, groups: [left, right] });
    const after = arranged(apart, laptop, [a, e, b]);
    expect(overlaps(after)).toEqual([]);
    for (const key of [c, d, f]) expect(placeOf(after, key)).toEqual(placeOf(apart, key));
  });
});

describe("arranging beside notes", () => {
  const chain = chainOf(4);
  const alone = sample(9, { x: 60, y: 60 });

  it("leaves notes where they are, and puts nothing on them", () => {
    const notes = [note(21, { x: 300, y: 40 }), note(22, { x: 900, y: -60 }), note(23, { x: 40, y: 300 })];
    const after = arranged({ ...chain, nodes: [...chain.nodes, alone, ...notes] });
    expect(overlaps(after)).toEqual([]);
    for (const one of notes) expect(placeOf(after, one.key)).toEqual(one.position);
  });

  it("finds a place among many notes", () => {
    const notes = Array.from({ length: 400 }, (_, at) =>
      note(100 + at, { x: (at % 20) * 300 - 3_000, y: Math.floor(at / 20) * 200 - 2_000 }),
    );
    expect(overlaps(arranged({ ...chain, nodes: [...chain.nodes, ...notes] }))).toEqual([]);
  });

  it("moves the notes of a group with it, and puts nothing on them", () => {
    const nodes = [...chain.nodes, note(21, { x: 0, y: 100 })];
    const after = arranged({ ...chain, nodes, groups: [groupOf("g", false, 2, 3, 21)] });
    expect(overlaps(after)).toEqual([]);
  });

  it("stays on a note that is the background of everything", () => {
    const background = note(21, { x: -100, y: -100 }, { width: 4_000, height: 3_000 });
    const after = arranged({ ...chain, nodes: [...chain.nodes, background] });
    expect(placeOf(after, 1)).toEqual({ x: 0, y: 0 });
  });

  it("does not move notes alone", () => {
    const notes = [note(21, { x: 0, y: 0 }), note(22, { x: 20, y: 20 })];
    expect(arranged({ nodes: notes }).nodes).toEqual(notes);
  });
});
