import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import { expect, it } from "vitest";

import { groupCards } from "../cards/collapsed-groups.ts";
import { boundsOfPicture, pictureOf } from "./far-drawing.ts";

const ports = [attribute("in", "RECEIVER"), attribute("out", "TRANSMITTER")];
const nodes = {
  1: { ...node(1, ports), position: { x: 0, y: 0 } },
  2: { ...node(2, ports), position: { x: 2_000, y: 900 } },
  3: { ...node(3, ports), position: { x: 400, y: 0 } },
};
const edges = [edge("1.out", "2.in"), edge("2.out", "3.in")];
const group: NodeGroup = { id: "g", name: "Group", colour: "#123456", collapsed: true, metadata_ids: [1, 2] };
const cards = groupCards({ nodes, edges, content: { groups: { g: group } } });

it("draws the card of a collapsed group instead of its members", () => {
  const picture = pictureOf({ nodes, edges }, { cards });
  expect([...(picture.boxes.get("#123456") ?? [])].slice(0, 3)).toEqual([0, 0, 232]);
  expect(boundsOfPicture(picture)).toMatchObject({ x: 0, y: 0, width: 400 + 256 });
  // The edge inside is hidden. The other one begins at the card.
  expect([...picture.lines]).toEqual([232, 40, 400, 40]);
});

it("moves the card with its members", () => {
  const drag = new Map([
    [1, { x: 80, y: 160 }],
    [2, { x: 2_080, y: 1_060 }],
  ]);
  const picture = pictureOf({ nodes, edges: [] }, { cards, drag });
  expect([...(picture.boxes.get("#123456") ?? [])].slice(0, 2)).toEqual([80, 160]);
});
