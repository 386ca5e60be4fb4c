import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import { policyTransmitter, withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { describe, expect, it } from "vitest";

import { contentOf } from "@miranda/contract/graph/content.ts";
import { nothingResolved, resolveContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { createFlowModel, type FlowInput } from "../canvas/flow-model.ts";
import { card, handleIds, nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";

const train = node(1, [
  ...withPolicyReceivers([
    attribute("rows", "RECEIVER"),
    attribute("mode", "RECEIVER_FIELD", { value: "fast", control: { type: "select", options: ["fast", "safe"] } }),
    attribute("epochs", "RECEIVER_FIELD", {
      value: 1,
      control: { type: "number" },
      shown_when: { mode: [{ value: "safe" }] },
    }),
    attribute("model", "TRANSMITTER"),
  ]),
]);

describe("the layout of a card", () => {
  it("puts receivers left, transmitters right, fields below and policies at the bottom", () => {
    const { ports, height, width } = nodeLayout(train);
    const places = Object.fromEntries(ports.map(({ handle, side, row }) => [handle.slice(2), `${side} ${row}`]));
    expect(places).toEqual({
      rows: "left port",
      model: "right port",
      mode: "left field",
      compute: "bottom policy",
      storage: "bottom policy",
    });
    expect(height).toBe(card.header + card.port + card.field + card.policies);
    expect(ports.filter(({ side }) => side === "bottom").map(({ x }) => x)).toEqual([width / 4, (width * 3) / 4]);
  });

  it("S3-023 hides attributes by shown_when, and shows them when the value matches", () => {
    const attributes = train.api.attributes.map((one) => (one.name === "mode" ? { ...one, value: "safe" } : one));
    const safe = { ...train, api: { ...train.api, attributes } };
    const names = (of: typeof train) => nodeLayout(of).ports.map(({ handle }) => handle.slice(2));
    expect(names(train)).not.toContain("epochs");
    expect(names(safe)).toContain("epochs");
  });

  it("gives a policy one port at the top", () => {
    const policy = node(2, [policyTransmitter("compute_policy")], "compute_policy");
    expect(nodeLayout(policy).ports).toMatchObject([{ side: "top", x: card.width / 2, y: 0 }]);
  });

  it("is the same for a node that only moved, and for all nodes of the same shape", () => {
    const moved = { ...train, position: { x: 9, y: 9 } };
    expect(nodeLayout(moved)).toBe(nodeLayout(train));
    expect(nodeLayout({ ...train, api: structuredClone(train.api) })).toBe(nodeLayout(train));
  });
});

describe("the xyflow model", () => {
  function input(more: Partial<FlowInput> = {}): FlowInput {
    const nodes = nodesByKey(
      node(1, [attribute("out", "TRANSMITTER")]),
      node(2, [attribute("in", "RECEIVER")]),
      node(3, [attribute("in", "RECEIVER")]),
    );
    const edges = [edge("1.out", "2.in"), edge("1.gone", "3.in")];
    const resolved = resolveContent(contentOf({ nodes, edges, groups: [] }), nothingResolved);
    const none = new Set<never>();
    return { resolved, ghosts: [], selected: none, selectedEdges: none, drag: null, viewOnly: false, ...more };
  }

  it("keeps the same object for what did not change", () => {
    const model = createFlowModel();
    const first = input();
    const before = model.nodes(first);
    const after = model.nodes({ ...first, drag: new Map([[2, { x: 50, y: 60 }]]), selected: new Set([3]) });
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toMatchObject({ position: { x: 50, y: 60 } });
    expect(after[2]).toMatchObject({ selected: true });
    expect(model.edges(first)[0]).toBe(model.edges({ ...first })[0]);
  });

  it("has sizes and handles, so that nothing is measured before it is drawn", () => {
    const [first] = createFlowModel().nodes(input());
    expect(first).toMatchObject({ width: card.width, measured: { width: card.width } });
    expect(first?.handles?.map(({ id }) => id)).toContain(handleIds.transmitter("out"));
  });

  it("draws an edge without its attribute as broken, ending at the header", () => {
    const [whole, broken] = createFlowModel().edges(input());
    expect(whole?.data?.broken).toBe(false);
    expect(broken).toMatchObject({ sourceHandle: handleIds.lostSource, data: { broken: true } });
  });

  it("hides the members of a collapsed group and connects their edges to its card", () => {
    const base = input();
    const group = { id: "g", name: "G", colour: null, collapsed: true, metadata_ids: [2, 3] };
    const resolved = { ...base.resolved, content: { ...base.resolved.content, groups: { g: group } } };
    const model = createFlowModel();
    expect(model.nodes({ ...base, resolved }).map(({ id }) => id)).toEqual(["group:g", "1"]);
    expect(model.edges({ ...base, resolved }).map(({ target }) => target)).toEqual(["group:g", "group:g"]);
  });

  it("makes nodes of a view-only graph and locked nodes unmovable", () => {
    const [first] = createFlowModel().nodes(input({ viewOnly: true }));
    expect(first).toMatchObject({ draggable: false, connectable: false });
  });
});
