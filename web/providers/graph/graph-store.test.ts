import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createChangeOrder } from "./change-order.ts";
import { patchNode, setValue } from "@miranda/contract/graph/edit-content.ts";
import { createGraphStore, targets } from "./graph-store.ts";

function response(revision = 1): GraphResponse {
  const nodes = [1, 2, 3].map((key) =>
    node(key, [
      attribute("in", "RECEIVER", { control: { type: "text" } }),
      attribute("out", "TRANSMITTER"),
      attribute("rate", "RECEIVER_FIELD", { value: 1, control: { type: "number" } }),
    ]),
  );
  return { nodes: nodesByKey(...nodes), edges: [edge("1.out", "2.in")], groups: [], viewOnly: false, revision };
}

function change(revision: number, more: Partial<GraphChange> = {}): GraphChange {
  return { graph_id: "g", revision, by: "ben", ...more };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the graph store", () => {
  it("S4-031 is view-only until the data allows editing", () => {
    const store = createGraphStore();
    expect(store.view()).toMatchObject({ loaded: false, viewOnly: true });
    store.load({ ...response(), viewOnly: true });
    expect(store.view().viewOnly).toBe(true);
    store.load(response());
    expect(store.view()).toMatchObject({ loaded: true, viewOnly: false });
    store.load({ ...response(), viewOnly: undefined } as unknown as GraphResponse);
    expect(store.view().viewOnly).toBe(true);
  });

  it("resolves what it holds and keeps every node that did not change", () => {
    const store = createGraphStore();
    store.load(response());
    const before = store.view().resolved;
    expect(before.nodes["2"]?.api.attributes[0]).toMatchObject({ is_connected: true, control: null });
    store.receive(change(2, { nodes: [{ metadata_id: 3, name: "Renamed" }] }));
    const after = store.view().resolved;
    expect(after.nodes["3"]?.name).toBe("Renamed");
    expect(after.nodes["1"]).toBe(before.nodes["1"]);
    expect(after.nodes["2"]).toBe(before.nodes["2"]);
    expect(after.edges).toBe(before.edges);
    store.receive(change(3, { deleted_edges: [edge("1.out", "2.in")] }));
    expect(store.view().resolved.nodes["3"]).toBe(after.nodes["3"]);
    expect(store.view().resolved.nodes["2"]?.api.attributes[0]).toMatchObject({
      is_connected: false,
      control: { type: "text" },
    });
  });

  it("S8-008 takes a failed change back and keeps what was there", () => {
    const store = createGraphStore();
    store.load(response());
    const before = store.view().resolved.nodes["1"];
    const pending = store.begin((content) => patchNode(content, 1, { name: "New" }));
    expect(store.view().resolved.nodes["1"]?.name).toBe("New");
    store.receive(change(2, { nodes: [{ metadata_id: 2, name: "Theirs" }] }));
    pending.rollBack();
    expect(store.view().resolved.nodes["1"]).toEqual(before);
    expect(store.view().resolved.nodes["2"]?.name).toBe("Theirs");
  });

  it("shows a confirmed change until the server's own word on it has come, and then that", () => {
    const store = createGraphStore();
    store.load(response());
    const pending = store.begin((content) => setValue(content, 1, "rate", 5));
    pending.confirm(3);
    store.receive(change(2, { attributes: [{ metadata_id: 1, name: "rate", value: 4, default: 1 }] }));
    expect(rateOf(store)).toBe(5);
    store.receive(change(3, { attributes: [{ metadata_id: 1, name: "rate", value: 5, default: 1 }] }));
    expect(rateOf(store)).toBe(5);
    store.receive(change(4, { attributes: [{ metadata_id: 1, name: "rate", value: 6, default: 1 }] }));
    expect(rateOf(store)).toBe(6);
  });

  it("shows other people's broadcasts until the server's event, or until they expire", () => {
    const store = createGraphStore();
    store.load(response());
    const hint = (value: number) =>
      store.hint(targets.attribute(1, "rate"), "ben", (content) => setValue(content, 1, "rate", value));
    hint(7);
    expect(rateOf(store)).toBe(7);
    store.receive(change(2, { attributes: [{ metadata_id: 1, name: "rate", value: 8, default: 1 }] }));
    expect(rateOf(store)).toBe(8);
    hint(9);
    vi.advanceTimersByTime(5_000);
    expect(rateOf(store)).toBe(8);
  });

  it("ends in the server's state after a reload, whatever was there before", () => {
    const store = createGraphStore();
    store.load(response());
    store.hint(targets.node(3), "ben", (content) => patchNode(content, 3, { name: "Hinted" }));
    store.begin((content) => patchNode(content, 1, { name: "Mine" })).confirm(5);
    const { "2": _gone, ...left } = response().nodes;
    store.load({ ...response(9), nodes: left, edges: [] });
    const { nodes, edges } = store.view().resolved;
    expect(Object.values(nodes).map(({ name }) => name)).toEqual(["Node 1", "Node 3"]);
    expect(edges).toEqual([]);
  });

  it("keeps a wrong node from taking the canvas down", () => {
    const store = createGraphStore();
    const broken = { ...node(4, []), api: "{" as unknown as GraphResponse["nodes"][string]["api"] };
    store.load({ ...response(), nodes: { "4": broken } });
    expect(store.view().resolved.nodes["4"]?.api).toMatchObject({ compiled: false, error: "Invalid JSON" });
  });

  it("has a ghost for as long as it is asked to", () => {
    const store = createGraphStore();
    store.load(response());
    const remove = store.addGhost({ x: 1, y: 2 });
    expect(store.view().ghosts).toMatchObject([{ position: { x: 1, y: 2 } }]);
    remove();
    expect(store.view().ghosts).toEqual([]);
  });
});

describe("the order of changes", () => {
  function ordered(start: number) {
    let revision = start;
    const reload = vi.fn<() => void>();
    const order = createChangeOrder({
      revision: () => revision,
      apply: (one) => {
        if (one.attributes) return false;
        ({ revision } = one);
        return true;
      },
      reload,
      patience: 400,
    });
    return { order, reload, revision: () => revision, set: (to: number) => (revision = to) };
  }

  it("puts two that arrive swapped in their order", () => {
    const { order, reload, revision } = ordered(1);
    order.take(change(3));
    expect(revision()).toBe(1);
    order.take(change(2));
    expect(revision()).toBe(3);
    vi.advanceTimersByTime(1_000);
    expect(reload).not.toHaveBeenCalled();
  });

  it("asks for a reload when a change cannot be applied", () => {
    const { order, reload, revision } = ordered(1);
    order.take({ ...change(2), attributes: [{ metadata_id: 9, name: "a", value: 1 }] });
    expect(reload).toHaveBeenCalledTimes(1);
    expect(revision()).toBe(1);
  });

  it("asks for a reload when one never comes, once", () => {
    const { order, reload } = ordered(1);
    order.take(change(3));
    order.take(change(4));
    vi.advanceTimersByTime(399);
    expect(reload).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("asks for one at once when the server requests it, and applies nothing twice", () => {
    const { order, reload, revision } = ordered(5);
    order.take(change(5, { reload: true }));
    order.take(change(4));
    expect(reload).not.toHaveBeenCalled();
    expect(revision()).toBe(5);
    order.take(change(6, { reload: true }));
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("asks again when the load that was on its way does not hold what it was asked for", () => {
    const { order, reload, revision, set } = ordered(5);
    order.take(change(7, { reload: true }));
    expect(reload).toHaveBeenCalledTimes(1);
    set(6);
    order.drain();
    expect(revision()).toBe(6);
    vi.advanceTimersByTime(400);
    expect(reload).toHaveBeenCalledTimes(2);
    set(7);
    order.drain();
    vi.advanceTimersByTime(5_000);
    expect(reload).toHaveBeenCalledTimes(2);
  });

  it("loads again when the first load is older than a change that only a load can bring", () => {
    const { order, reload, revision, set } = ordered(-1);
    order.take(change(5, { reload: true }));
    expect(reload).not.toHaveBeenCalled();
    set(4);
    order.drain();
    vi.advanceTimersByTime(400);
    expect(revision()).toBe(4);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("keeps what comes before the first load for after it", () => {
    const { order, reload, revision, set } = ordered(-1);
    order.take(change(8));
    order.take(change(7));
    vi.advanceTimersByTime(5_000);
    expect(reload).not.toHaveBeenCalled();
    set(6);
    order.drain();
    expect(revision()).toBe(8);
  });
});

function rateOf(store: ReturnType<typeof createGraphStore>): unknown {
  return store.view().resolved.nodes["1"]?.api.attributes.find(({ name }) => name === "rate")?.value;
}
