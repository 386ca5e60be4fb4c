import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import { contentOf, endsOf } from "@miranda/contract/graph/content.ts";
import { canJoin, endsBetween, fits, fittingAttribute, possibleEdges } from "./joining.ts";

const table = attribute("rows", "RECEIVER", { kind: "table" });
const any = attribute("input", "RECEIVER");
const compute = attribute("compute", "RECEIVER_FIELD", { kind: "compute_policy" });
const out = attribute("output", "TRANSMITTER", { kind: "table" });

const pulled = { nodeId: 1, name: "output", kind: "table", isReceiver: false };

describe("which ports an edge may connect", () => {
  it("highlights only receivers of the same kind or of any kind", () => {
    const target = node(2, [table, any, compute, out]);
    expect(target.api.attributes.map((one) => fits(pulled, target, one))).toEqual([true, true, false, false]);
    expect(fits(pulled, { ...target, locked: true }, table)).toBe(false);
  });

  it("also works from a receiver to transmitters", () => {
    const fromReceiver = { nodeId: 2, name: "rows", kind: "table", isReceiver: true };
    expect(fits(fromReceiver, node(1, []), out)).toBe(true);
    expect(fits(fromReceiver, node(1, []), table)).toBe(false);
    expect(endsBetween(fromReceiver, 1, out)).toEqual(endsOf(edge("1.output", "2.rows")));
  });

  it("prefers the exact kind", () => {
    expect(fittingAttribute(pulled, [any, table])).toBe(table);
    expect(fittingAttribute(pulled, [compute, any])).toBe(any);
    expect(fittingAttribute(pulled, [compute])).toBeUndefined();
  });

  it("refuses an edge that exists, leads to its own node, ends at a locked node or at nothing", () => {
    const nodes = nodesByKey(node(1, [out]), node(2, [table]), { ...node(3, [table]), locked: true });
    const { edges } = contentOf({ nodes, edges: [], groups: [] });
    const ends = endsOf(edge("1.output", "2.rows"));
    expect(canJoin(nodes, edges, ends)).toBe(true);
    expect(canJoin(nodes, contentOf({ nodes, edges: [edge("1.output", "2.rows")], groups: [] }).edges, ends)).toBe(
      false,
    );
    expect(canJoin(nodes, edges, endsOf(edge("1.output", "3.rows")))).toBe(false);
    expect(canJoin(nodes, edges, endsOf(edge("1.output", "9.rows")))).toBe(false);
    expect(canJoin(nodes, edges, endsOf(edge("2.rows", "1.output")))).toBe(false);
  });

  it("lists every possible edge, for connecting without a mouse", () => {
    const nodes = nodesByKey(node(1, [out]), node(2, [table, compute]), node(3, [any]));
    const joints = possibleEdges(nodes, {}, 1);
    expect(joints.map(({ ends }) => ends)).toEqual([
      endsOf(edge("1.output", "2.rows")),
      endsOf(edge("1.output", "3.input")),
    ]);
    expect(joints[0]).toMatchObject({ from: "Node 1 · output", to: "Node 2 · rows" });
  });
});
