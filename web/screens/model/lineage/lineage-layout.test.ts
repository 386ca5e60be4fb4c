import { describe, expect, it } from "vitest";

import type { Lineage, LineageKind, LineageNode } from "@miranda/contract/schemas/models/lineage.ts";

import { card, columnsOf, edgePath, edgesOf, placed, relatedTo, shortened } from "./lineage-layout.ts";

const node = (id: string, kind: LineageKind): LineageNode => ({
  ...{ id, kind, label: id, detail: "", facts: [], address: `/${id}`, gone: false, cost: null },
});

const lineage: Lineage = {
  nodes: [
    node("model", "model"),
    node("run", "run"),
    node("v1", "workflow"),
    node("commit", "commit"),
    node("train", "node"),
    node("packages", "packages"),
    node("file", "file"),
    node("app", "deployment"),
  ],
  edges: [
    { from: "file", to: "train" },
    { from: "packages", to: "run" },
    { from: "commit", to: "train" },
    { from: "train", to: "v1" },
    { from: "v1", to: "run" },
    { from: "run", to: "model" },
    { from: "model", to: "app" },
  ],
  ...{ cost: 0.1, seconds: 3, python: "3.12.1", packages: {}, cut: false },
};

describe("the picture of a lineage", () => {
  it("has a column for each step that something belongs to", () => {
    expect(columnsOf(lineage).map(({ title, nodes }) => [title, nodes.map(({ id }) => id)])).toEqual([
      ["Data and packages", ["file", "packages"]],
      ["Code", ["train", "commit"]],
      ["Workflow", ["v1"]],
      ["Run", ["run"]],
      ["Model", ["model"]],
      ["Used by", ["app"]],
    ]);
    const alone = columnsOf({ ...lineage, nodes: [node("model", "model")], edges: [] });
    expect(alone.map(({ title }) => title)).toEqual(["Model"]);
  });

  it("puts nodes in the order of what they lead to", () => {
    const crossed: Lineage = {
      ...lineage,
      nodes: [node("a", "file"), node("b", "file"), node("first", "node"), node("second", "node")],
      edges: [
        { from: "a", to: "second" },
        { from: "b", to: "first" },
      ],
    };
    expect(columnsOf(crossed)[0]?.nodes.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("puts a commit below its node, also among nodes that feed each other", () => {
    const chain: Lineage = {
      ...lineage,
      nodes: [node("load", "node"), node("train", "node"), node("c2", "commit"), node("c1", "commit")],
      edges: [
        { from: "load", to: "train" },
        { from: "c1", to: "load" },
        { from: "c2", to: "train" },
      ],
    };
    expect(columnsOf(chain)[0]?.nodes.map(({ id }) => id)).toEqual(["load", "c1", "train", "c2"]);
  });

  it("never overlaps cards, and centres short columns", () => {
    const { places, height, cardWidth } = placed(columnsOf(lineage), 1_390);
    expect(cardWidth).toBeGreaterThanOrEqual(card.widthMin);
    expect(places.get("commit")?.y).toBe((places.get("train")?.y ?? 0) + card.height + card.gap);
    expect((places.get("run")?.y ?? 0) + card.height / 2).toBe((card.top + height) / 2);
  });

  it("stays wide enough to be read in a narrow window", () => {
    expect(placed(columnsOf(lineage), 320).cardWidth).toBe(card.widthMin);
  });

  it("draws lines from side to side, and within a column beside it", () => {
    expect(edgePath({ x: 0, y: 0 }, { x: 300, y: 100 }, 200)).toMatch(/^M200 30C.* 300 130$/);
    expect(edgePath({ x: 60, y: 0 }, { x: 60, y: 74 }, 200)).toMatch(/^M60 30C.* 60 104$/);
  });

  it("leads lines below the columns that they pass", () => {
    const picture = placed(columnsOf(lineage), 1_390);
    const { paths, height } = edgesOf(lineage.edges, picture);
    expect(paths).toHaveLength(7);
    expect(height).toBeGreaterThan(picture.height);
    const passing = paths.find(({ from }) => from === "packages")?.path ?? "";
    const lowest = Math.max(...["train", "commit", "v1"].map((id) => (picture.places.get(id)?.y ?? 0) + card.height));
    expect(Number(/(\d+(?:\.\d+)?)H/.exec(passing)?.[1])).toBeGreaterThan(lowest);
    expect(edgesOf([{ from: "gone", to: "run" }], picture)).toEqual({ paths: [], height: picture.height });
  });

  it("finds what a node came from and what came of it, also in a circle", () => {
    expect([...relatedTo("v1", lineage.edges)].toSorted()).toEqual([
      "app",
      "commit",
      "file",
      "model",
      "run",
      "train",
      "v1",
    ]);
    const circle = [
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ];
    expect([...relatedTo("a", circle)].toSorted()).toEqual(["a", "b"]);
  });

  it("shows some of many of a kind", () => {
    const many = { ...lineage, nodes: Array.from({ length: 9 }, (_, at) => node(`f${at}`, "file")) };
    expect(shortened(many, 5)).toMatchObject({ hidden: 4, lineage: { nodes: { length: 5 } } });
  });
});
