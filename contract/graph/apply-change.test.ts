import { describe, expect, test } from "vitest";

import type { GraphChange } from "../schemas/changes.ts";
import type { GraphResponse, Node } from "../schemas/nodes.ts";
import { applyGraphChange } from "./apply-change.ts";
import { ghostNode } from "./ghost-node.ts";

const node = (id: number): Node => ({
  ...ghostNode({ x: 0, y: 0 }, "then"),
  id: String(id),
  metadata_id: id,
  key: id,
  class: "Code_block",
  api: {
    compiled: true,
    error: null,
    disabled: false,
    attributes: [
      {
        name: "a",
        kind: "int",
        direction: "RECEIVER_FIELD",
        value: 1,
        is_connected: false,
        control: null,
        edge_text: "",
        shown_when: null,
      },
    ],
  },
});
const edge = (from: number, to: number) => ({
  source_wob_key: from,
  source_transmitter_key: "t",
  destination_wob_key: to,
  destination_receiver_key: "r",
  is_field: 0 as const,
  kind: "",
  edge_text: { transmitter: "", reciever: "" },
  segments: [],
});
const group = { id: "g", name: "G", colour: null, collapsed: false, metadata_ids: [1, 2] };
const graph: GraphResponse = {
  nodes: { 1: node(1), 2: node(2) },
  edges: [edge(1, 2)],
  viewOnly: false,
  groups: [group],
  revision: 5,
};
const apply = (change: Partial<GraphChange>) =>
  applyGraphChange(graph, { graph_id: "x", revision: 6, by: "ada", ...change });

describe("a change", () => {
  test("that is already in changes nothing, not even the object", () => {
    expect(apply({ revision: 5, deleted_nodes: [1] })).toBe(graph);
  });

  test.each([
    ["one before it was missed", { revision: 7 }],
    ["it was too large to be told", { reload: true }],
    ["it speaks of a part of an unknown node", { nodes: [{ metadata_id: 9, name: "x" }] }],
    ["it sets an attribute of an unknown node", { attributes: [{ metadata_id: 9, name: "a", value: 1 }] }],
    ["it moves an unknown node", { positions: { 9: { x: 1, y: 1 } } }],
    ["it disables an unknown node", { disabled: { 9: true } }],
  ])("asks to fetch when %s", (_why, change) => {
    expect(apply(change)).toBeUndefined();
  });

  test("touches what it names and leaves the rest the same objects", () => {
    const after = apply({ nodes: [{ metadata_id: 1, name: "New" }], positions: { 1: { x: 3, y: 4 } } });
    expect(after?.nodes[1]).toMatchObject({ name: "New", position: { x: 3, y: 4 }, source_code: "" });
    expect(after?.nodes[2]).toBe(graph.nodes[2]);
    expect(after?.edges).toBe(graph.edges);
    expect([after?.revision, graph.revision, graph.nodes[1]?.name]).toEqual([6, 5, "Instantiating"]);
  });

  test("disables and enables without a word on the rest of the api", () => {
    const after = apply({ disabled: { 1: true, 2: false } });
    expect(after?.nodes[1]?.api).toEqual({ ...graph.nodes[1]?.api, disabled: true });
    expect(after?.nodes[2]?.api.disabled).toBe(false);
  });

  test("sets and unsets values", () => {
    const set = apply({ attributes: [{ metadata_id: 1, name: "a", value: 7, default: 1 }] });
    expect(set?.nodes[1]?.api.attributes[0]).toMatchObject({ value: 7, default: 1 });
    if (!set) throw new Error("nothing");
    const unset = applyGraphChange(set, {
      graph_id: "x",
      revision: 7,
      by: "ada",
      attributes: [{ metadata_id: 1, name: "a", value: 1 }],
    });
    expect(unset?.nodes[1]?.api.attributes[0]).toEqual(graph.nodes[1]?.api.attributes[0]);
  });

  test("adds, replaces and deletes nodes, edges and groups", () => {
    const added = apply({ nodes: [node(3)], edges: [edge(3, 1), { ...edge(1, 2), label: "x" }] });
    expect(Object.keys(added?.nodes ?? {})).toEqual(["1", "2", "3"]);
    expect(added?.edges.map(({ label }) => label)).toEqual(["x", undefined]);
    const deleted = apply({ deleted_nodes: [2] });
    expect([Object.keys(deleted?.nodes ?? {}), deleted?.edges, deleted?.groups]).toEqual([
      ["1"],
      [],
      [{ ...group, metadata_ids: [1] }],
    ]);
    expect(apply({ deleted_edges: [edge(1, 2)] })?.edges).toEqual([]);
    expect(apply({ deleted_groups: ["g"] })?.groups).toEqual([]);
    expect(apply({ groups: [{ ...group, collapsed: true }] })?.groups).toEqual([{ ...group, collapsed: true }]);
  });
});
