import { Comparison } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import {
  lineageOf,
  sampleContent,
  sampleEdge,
  sampleGroup,
  sampleNode,
} from "../../../testing/versions/version-samples.ts";
import { compareContents } from "./compare-contents.ts";

const nothing = { nodes: [], edges: [], groups: [] };

function fieldsOf(before: Parameters<typeof sampleNode>[1], after: Parameters<typeof sampleNode>[1]) {
  const { nodes } = compareContents(sampleContent([sampleNode(1, before)]), sampleContent([sampleNode(1, after)]));
  return nodes[0]?.fields ?? [];
}

describe("compareContents", () => {
  it("finds nothing between equal versions, whatever their numbers and the order of their tags and keys", () => {
    const one = sampleNode(1, { tags: ["a", "b"], values: { x: { p: 1, q: 2 } }, metadata_id: 5 });
    const other = sampleNode(1, { tags: ["b", "a"], values: { x: { q: 2, p: 1 } }, metadata_id: 900 });
    expect(compareContents(sampleContent([one]), sampleContent([other]))).toEqual(nothing);
  });

  it("lists added and removed nodes without fields", () => {
    const found = compareContents(sampleContent([sampleNode(1)]), sampleContent([sampleNode(2)]));
    expect(found.nodes).toEqual([
      { lineage: lineageOf(1), change: "removed", before: sampleNode(1), after: null, fields: [] },
      { lineage: lineageOf(2), change: "added", before: null, after: sampleNode(2), fields: [] },
    ]);
  });

  it("names code, values, settings and position in this order", () => {
    const api = { compiled: true, error: null, disabled: true, attributes: [] };
    const fields = fieldsOf(
      { values: { epochs: 10 }, name: "Train" },
      { source_code: "x", values: { epochs: 20, rate: 0.1 }, name: "Fit", api, position: { x: 1, y: 2 } },
    );
    expect(fields.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
      "code code",
      "value epochs",
      "value rate",
      "setting name",
      "setting disabled",
      "position position",
    ]);
    expect(fields[1]).toMatchObject({ before: 10, after: 20 });
    expect(fields[2]).toEqual({ kind: "value", field: "rate", before: undefined, after: 0.1 });
  });

  it("calls a node that only changed its position moved", () => {
    const { nodes } = compareContents(
      sampleContent([sampleNode(1)]),
      sampleContent([sampleNode(1, { position: { x: 7, y: 7 } })]),
    );
    expect(nodes.map(({ change }) => change)).toEqual(["moved"]);
  });

  it("does not list what the code declares", () => {
    const port = { kind: "any", direction: "RECEIVER", is_connected: false, control: null, shown_when: null } as const;
    const attributes = [{ ...port, name: "input", value: null, edge_text: "" }];
    expect(fieldsOf({}, { api: { compiled: true, error: null, disabled: false, attributes } })).toEqual([]);
  });

  it("tells a value that is null from one that is not set", () => {
    expect(fieldsOf({ values: { limit: null } }, { values: {} })).toEqual([
      { kind: "value", field: "limit", before: null, after: undefined },
    ]);
  });

  it("compares the settings of a policy one by one, and those of another kind of storage as a whole", () => {
    expect(fieldsOf({ body: { cpu: 1, ram_gb: 2 } }, { body: { cpu: 4, ram_gb: 2 } })).toEqual([
      { kind: "setting", field: "body.cpu", before: 1, after: 4 },
    ]);
    const [volume, bucket] = [
      { type: "volume", name: "data" },
      { type: "s3", bucket: "data" },
    ];
    expect(fieldsOf({ body: volume }, { body: bucket })).toEqual([
      { kind: "setting", field: "body", before: volume, after: bucket },
    ]);
  });

  it("tells a new label of an edge from new bends", () => {
    const nodes = [sampleNode(1), sampleNode(2), sampleNode(3)];
    const before = sampleContent(nodes, [sampleEdge(1, 2), sampleEdge(2, 3), sampleEdge(1, 3)]);
    const after = sampleContent(nodes, [
      sampleEdge(1, 2, { label: "rows" }),
      sampleEdge(2, 3, { segments: [{ x: 1, y: 1 }] }),
      sampleEdge(3, 1),
    ]);
    expect(compareContents(before, after).edges.map(({ change }) => change)).toEqual([
      "changed",
      "removed",
      "moved",
      "added",
    ]);
  });

  it("lists groups whose name or members differ", () => {
    const nodes = [sampleNode(1), sampleNode(2)];
    const before = sampleContent(nodes, [], [sampleGroup(7, [1, 2]), sampleGroup(8, [1]), sampleGroup(9, [2])]);
    const after = sampleContent(
      nodes,
      [],
      [sampleGroup(7, [2, 1]), sampleGroup(8, [2]), sampleGroup(9, [2], { name: "X" })],
    );
    expect(compareContents(before, after).groups.map(({ lineage }) => lineage)).toEqual([lineageOf(8), lineageOf(9)]);
  });

  it("gives what its schema says", () => {
    const before = sampleContent([sampleNode(1), sampleNode(2)], [sampleEdge(1, 2)], [sampleGroup(7, [1])]);
    const found = compareContents(before, sampleContent([sampleNode(1, { name: "New" })]));
    expect(Comparison.parse(found)).toEqual(found);
  });
});
