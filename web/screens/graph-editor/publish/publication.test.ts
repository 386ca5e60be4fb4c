import { edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { NodeEdit, VersionGraph } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import { contributorsOf, everythingAdded, toggled } from "./publication.ts";

function edit(lineage: string, ...people: (readonly [string, boolean])[]): NodeEdit {
  return {
    lineage,
    metadata_id: 1,
    name: lineage,
    people: people.map(([username, moved_only]) => ({
      ...{ username, moved_only, first_name: username, last_name: "T", avatar: null, time: "2026-01-01T00:00:00Z" },
    })),
    unsaved: [],
  };
}

describe("whose work is published", () => {
  it("lists the person who publishes first, then those who changed most", () => {
    const edits = [edit("a", ["bea", false]), edit("b", ["bea", false], ["ada", false]), edit("c", ["cem", false])];
    const found = contributorsOf(edits, new Set(["a", "b", "c"]), "ada");
    expect(found.map(({ username, nodes }) => [username, nodes.length])).toEqual([
      ["ada", 1],
      ["bea", 2],
      ["cem", 1],
    ]);
  });

  it("leaves out moves and nodes that do not differ", () => {
    const edits = [edit("a", ["bea", true]), edit("same", ["bea", false])];
    expect(contributorsOf(edits, new Set(["a"]), "ada")).toEqual([]);
  });

  it("leaves a person's nodes out and takes them in again", () => {
    const out = toggled(new Set(["x"]), ["a", "b"], false);
    expect([...out]).toEqual(["x", "a", "b"]);
    expect([...toggled(out, ["a", "b"], true)]).toEqual(["x"]);
  });
});

describe("the first publication", () => {
  it("adds everything that the workflow has", () => {
    const graph: VersionGraph = {
      nodes: nodesByKey(node(1, []), node(2, [])),
      edges: [edge("1.out", "2.in")],
      groups: [],
      viewOnly: true,
      revision: 3,
      lineages: { "1": "one", "2": "two" },
    };
    const { before, differences } = everythingAdded(graph);
    expect(before).toMatchObject({ nodes: {}, edges: [], lineages: {} });
    expect(differences.nodes.map(({ lineage, change }) => [lineage, change])).toEqual([
      ["one", "added"],
      ["two", "added"],
    ]);
    expect(differences.edges).toMatchObject([{ change: "added", after: { source: "one", target: "two" } }]);
  });
});
