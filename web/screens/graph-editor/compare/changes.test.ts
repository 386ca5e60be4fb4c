import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type {
  BriefComparison,
  Comparison,
  VersionEdge,
  VersionGraph,
  VersionNode,
} from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import { changesOf, countMarks, countMoves, fieldWords, marksOf } from "./changes.ts";
import { comparedGraph } from "./compared-graph.ts";

const lineage = (id: number) => `00000000-0000-4000-8000-00000000000${id}`;
const ports = [attribute("in", "RECEIVER"), attribute("out", "TRANSMITTER")];

function versionNode(id: number, fields: Partial<VersionNode> = {}): VersionNode {
  const { metadata_id, name, description, order, position, colour, locked, body, source_code } = node(id, ports);
  return {
    ...{ metadata_id, name, description, order, position, colour, locked, body, source_code },
    lineage: lineage(id),
    class: "Code_block",
    api: { compiled: true, error: null, disabled: false, attributes: ports },
    tags: [],
    values: {},
    git: null,
    git_branch: null,
    update_policy: null,
    template: null,
    ...fields,
  };
}

function versionEdge(source: number, target: number): VersionEdge {
  return {
    source: lineage(source),
    transmitter: "out",
    target: lineage(target),
    receiver: "in",
    segments: [],
    label: "",
  };
}

const before: VersionGraph = {
  nodes: nodesByKey(...[1, 2, 3].map((key) => ({ ...node(key, ports), position: { x: 900 - key * 300, y: 0 } }))),
  edges: [edge("1.out", "2.in")],
  groups: [{ id: lineage(7), name: "Group", colour: null, collapsed: true, metadata_ids: [1, 2] }],
  viewOnly: true,
  revision: 5,
  lineages: { "1": lineage(1), "2": lineage(2), "3": lineage(3) },
};

const code = { kind: "code", field: "code", before: "a", after: "b" } as const;
const moved = { kind: "position", field: "position", before: { x: 0, y: 0 }, after: { x: 9, y: 9 } } as const;

const comparison: Comparison = {
  nodes: [
    {
      lineage: lineage(4),
      change: "added",
      before: null,
      after: versionNode(4, { position: { x: 2_000, y: 0 } }),
      fields: [],
    },
    { lineage: lineage(1), change: "removed", before: versionNode(1), after: null, fields: [] },
    {
      lineage: lineage(2),
      change: "changed",
      before: versionNode(2),
      after: versionNode(2, { source_code: "b", position: { x: 300, y: 0 } }),
      fields: [code, { kind: "setting", field: "body.cpu", before: 1, after: 2 }, moved],
    },
    { lineage: lineage(3), change: "moved", before: versionNode(3), after: versionNode(3), fields: [moved] },
  ],
  edges: [
    { change: "removed", before: versionEdge(1, 2), after: null },
    { change: "added", before: null, after: versionEdge(2, 4) },
    { change: "moved", before: versionEdge(2, 3), after: versionEdge(2, 3) },
  ],
  groups: [],
};

describe("a brief comparison", () => {
  const { api: _api, source_code: _code, ...moved } = versionNode(3, { position: { x: 7, y: 7 } });
  const brief: BriefComparison = {
    nodes: [
      { lineage: lineage(3), change: "changed", after: { ...moved, name: "Other" }, fields: [] },
      { lineage: lineage(1), change: "removed", after: null, fields: [] },
    ],
    edges: [],
    groups: [],
  };
  const compared = comparedGraph(before, brief);

  it("takes the code and the api that are not in it from the first side", () => {
    const was = before.nodes["3"];
    expect(compared.graph.nodes["3"]).toMatchObject({ name: "Other", position: { x: 7, y: 7 } });
    expect(compared.graph.nodes["3"]?.api).toBe(was?.api);
    expect(compared.graph.nodes["3"]?.source_code).toBe(was?.source_code);
  });

  it("names a removed node by the first side", () => {
    const names = changesOf(brief, compared, false).map(({ name, mark }) => [name, mark]);
    expect(names).toContainEqual([before.nodes["1"]?.name, "removed"]);
  });
});

describe("a graph of both sides", () => {
  const { graph, numbers } = comparedGraph(before, comparison);

  it("has what was removed and what was added, and shows what changed as it is afterwards", () => {
    expect(Object.keys(graph.nodes)).toEqual(["1", "2", "3", "4"]);
    expect(graph.nodes["2"]).toMatchObject({ source_code: "b", position: { x: 300, y: 0 } });
    expect(graph.edges.map(({ source_wob_key, destination_wob_key }) => [source_wob_key, destination_wob_key])).toEqual(
      expect.arrayContaining([
        [1, 2],
        [2, 4],
      ]),
    );
    expect(numbers.get(lineage(4))).toBe(4);
  });

  it("can only be looked at, and hides nothing in collapsed groups", () => {
    expect(graph.viewOnly).toBe(true);
    expect(graph.groups.map(({ collapsed }) => collapsed)).toEqual([false]);
  });

  it("gives a node of another workflow a number of its own when another node has its number", () => {
    const other: Comparison = {
      nodes: [
        {
          lineage: lineage(9),
          change: "added",
          before: null,
          after: versionNode(1, { lineage: lineage(9) }),
          fields: [],
        },
      ],
      edges: [],
      groups: [],
    };
    const both = comparedGraph(before, other);
    expect(both.graph.nodes["1"]?.id).toBe(before.nodes["1"]?.id);
    expect(both.graph.nodes[both.numbers.get(lineage(9)) ?? ""]?.id).toBe(lineage(9));
  });

  it("shows values that people set instead of those in the code", () => {
    const rate = attribute("rate", "RECEIVER_FIELD", { value: 1 });
    const after = versionNode(4, {
      api: { compiled: true, error: null, disabled: false, attributes: [rate] },
      values: { rate: 5 },
    });
    const added: Comparison = {
      nodes: [{ lineage: lineage(4), change: "added", before: null, after, fields: [] }],
      edges: [],
      groups: [],
    };
    expect(comparedGraph(before, added).graph.nodes["4"]?.api.attributes[0]).toMatchObject({ value: 5, default: 1 });
  });
});

describe("the list of differences", () => {
  const compared = comparedGraph(before, comparison);

  it("lists nodes from left to right, then connections, without what only moved", () => {
    const changes = changesOf(comparison, compared, false);
    expect(changes.map(({ type, mark }) => `${type} ${mark}`)).toEqual([
      "node changed",
      "node removed",
      "node added",
      "edge removed",
      "edge added",
    ]);
    expect(changes[0]?.about).toBe("Code, cpu");
    expect(countMarks(changes)).toEqual({ added: 2, removed: 2, changed: 1, moved: 0 });
  });

  it("lists moves when somebody asks for them, and counts them before", () => {
    expect(countMoves(comparison)).toBe(3);
    const changes = changesOf(comparison, compared, true);
    expect(changes.filter(({ mark }) => mark === "moved")).toHaveLength(2);
    expect(changes[1]?.about ?? "").toBe("Code, cpu, Position");
  });

  it("marks on the canvas exactly what is listed", () => {
    const { nodes, edges } = marksOf(changesOf(comparison, compared, false), compared);
    expect([...nodes].toSorted(([one], [other]) => one - other)).toEqual([
      [1, "removed"],
      [2, "changed"],
      [4, "added"],
    ]);
    expect([...edges.values()].toSorted()).toEqual(["added", "removed"]);
  });

  it("calls a value by its attribute and a setting by its name on the screen", () => {
    expect(fieldWords({ kind: "value", field: "name" })).toBe("name");
    expect(fieldWords({ kind: "setting", field: "git_branch" })).toBe("Git branch");
    expect(fieldWords({ kind: "setting", field: "body.ram_gb" })).toBe("ram_gb");
  });
});
