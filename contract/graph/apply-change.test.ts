import { describe, expect, test } from "vitest";

import type { GraphChange } from "../schemas/changes.ts";
import { applyChange, orderOf } from "./apply-change.ts";
import { contentOf, type GraphContent } from "./content.ts";
import { attribute, edge, node, nodesByKey } from "./graph-samples.ts";

const sample = (id: number) => node(id, [attribute("a", "RECEIVER_FIELD", { kind: "int", value: 1 })]);
const group = { id: "g", name: "G", colour: null, collapsed: false, metadata_ids: [1, 2] };
const graph = contentOf({
  nodes: nodesByKey(sample(1), sample(2)),
  edges: [edge("1.t", "2.r")],
  groups: [group],
});
const apply = (change: Partial<GraphChange>, content: GraphContent = graph) =>
  applyChange(content, { graph_id: "x", revision: 6, by: "ada", ...change });

describe("applying a change", () => {
  test("finds whether a change is known, next or early", () => {
    const change = (revision: number) => ({ graph_id: "x", by: "ada", revision });
    expect([4, 5, 6, 7].map((revision) => orderOf(5, change(revision)))).toEqual(["known", "known", "next", "early"]);
  });

  test.each([
    ["it was too large to send", { reload: true }],
    ["it has a part of an unknown node", { nodes: [{ metadata_id: 9, name: "x" }] }],
    ["it sets an attribute of an unknown node", { attributes: [{ metadata_id: 9, name: "a", value: 1 }] }],
    ["it moves an unknown node", { positions: { 9: { x: 1, y: 1 } } }],
    ["it disables an unknown node", { disabled: { 9: true } }],
  ])("asks to fetch the graph again when %s", (_why, change) => {
    expect(apply(change)).toBeUndefined();
  });

  test("changes only what it names and keeps the identity of the rest", () => {
    const after = apply({ nodes: [{ metadata_id: 1, name: "New" }], positions: { 1: { x: 3, y: 4 } } });
    expect(after?.nodes[1]).toMatchObject({ name: "New", position: { x: 3, y: 4 }, source_code: "" });
    expect(after?.nodes[2]).toBe(graph.nodes[2]);
    expect(after?.edges).toBe(graph.edges);
    expect(graph.nodes[1]?.name).toBe("Node 1");
  });

  test("disables and enables a node and keeps the rest of its api", () => {
    const after = apply({ disabled: { 1: true, 2: false } });
    expect(after?.nodes[1]?.api).toEqual({ ...graph.nodes[1]?.api, disabled: true });
    expect(after?.nodes[2]?.api.disabled).toBe(false);
  });

  test("sets and unsets values", () => {
    const set = apply({ attributes: [{ metadata_id: 1, name: "a", value: 7, default: 1 }] });
    expect(set?.nodes[1]?.api.attributes[0]).toMatchObject({ value: 7, default: 1 });
    const unset = apply({ attributes: [{ metadata_id: 1, name: "a", value: 1 }] }, set);
    expect(unset?.nodes[1]?.api.attributes[0]).toEqual(graph.nodes[1]?.api.attributes[0]);
  });

  test("adds, replaces and deletes nodes, edges and groups", () => {
    const added = apply({ nodes: [sample(3)], edges: [edge("3.t", "1.r"), edge("1.t", "2.r", { label: "x" })] });
    expect(Object.keys(added?.nodes ?? {})).toEqual(["1", "2", "3"]);
    expect(Object.values(added?.edges ?? {}).map(({ label }) => label)).toEqual(["x", undefined]);
    const deleted = apply({ deleted_nodes: [2] });
    expect(deleted && [Object.keys(deleted.nodes), deleted.edges, deleted.groups]).toEqual([
      ["1"],
      {},
      { g: { ...group, metadata_ids: [1] } },
    ]);
    expect(apply({ deleted_edges: [edge("1.t", "2.r")] })?.edges).toEqual({});
    expect(apply({ deleted_groups: ["g"] })?.groups).toEqual({});
    expect(apply({ groups: [{ ...group, collapsed: true }] })?.groups).toEqual({ g: { ...group, collapsed: true } });
  });

  test("changes nothing when applied twice", () => {
    const change = {
      nodes: [sample(3)],
      edges: [edge("3.t", "1.r")],
      deleted_nodes: [2],
      positions: { 1: { x: 1, y: 1 } },
    };
    const once = apply(change);
    expect(apply(change, once)).toEqual(once);
  });
});
