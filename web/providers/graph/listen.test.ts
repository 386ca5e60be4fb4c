import { attribute, edge, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { GraphResponse, Node } from "@miranda/contract/schemas/nodes.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { HttpError } from "../../api/http.ts";
import { openSession } from "./open-session.ts";

const fetched = vi.fn<(url: string, options?: RequestInit) => Promise<Response>>();

const load = vi.fn<() => Promise<GraphResponse>>();

const opened = () => openSession(load);

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
  load.mockReset().mockRejectedValue(new Error("nobody asked for this"));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function answer(body: unknown, status = 200): Promise<Response> {
  return Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
}

describe("what comes over the socket", () => {
  it("S7-098 to S7-106 follows what the others broadcast", async () => {
    const { view, receive } = await opened();
    receive("broadcast<ben>(setNodeDisabled)", { metadata_id: 1, disabled: true });
    expect(view().nodes["1"]?.api.disabled).toBe(true);
    receive("broadcast<ben>(update[attribute])", { metadata_id: 1, name: "rate", value: 7 });
    expect(view().nodes["1"]?.api.attributes[2]?.value).toBe(7);
    receive("broadcast<ben>(update[CODE])", { metadata_id: 2, source_code: "x = 1" });
    expect(view().nodes["2"]?.source_code).toBe("x = 1");
    receive("broadcast<ben>(create[edge])", edge("1.out", "2.in"));
    expect(view().edges).toHaveLength(1);
    receive("broadcast<ben>(delete[edge])", edge("1.out", "2.in"));
    expect(view().edges).toHaveLength(0);
    receive("broadcast<ben>(create[wob])", node(5, []));
    expect(view().nodes["5"]?.name).toBe("Node 5");
    receive("broadcast<ben>(update[wob])", { metadata_id: 5, changes: { name: "Five", position: { x: 3, y: 4 } } });
    expect(view().nodes["5"]).toMatchObject({ name: "Five", position: { x: 3, y: 4 } });
    receive("broadcast<ben>(delete[wob])", { metadata_id: 1 });
    expect(view().nodes["1"]).toBeUndefined();
  });

  it("S7-107 shows a blueprint that somebody else put there", async () => {
    const { view, receive } = await opened();
    const nodes = [node(7, [attribute("out", "TRANSMITTER")]), node(8, [attribute("in", "RECEIVER")])];
    receive("broadcast<ben>(create[blueprint])", {
      nodes: nodesByKey(...nodes),
      edges: [edge("7.out", "8.in")],
      node_positions: {},
      edge_segments: {},
    });
    expect(Object.keys(view().nodes)).toEqual(["1", "2", "7", "8"]);
    expect(view().edges).toHaveLength(1);
  });

  it("S8-009 warns about a node it does not know, and goes on", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { receive, view } = await opened();
    receive("broadcast<ben>(update[wob])", { metadata_id: 99, changes: { name: "x" } });
    receive("broadcast<ben>(update[attribute])", { metadata_id: 99, name: "rate", value: 1 });
    receive("broadcast<ben>(setNodeDisabled)", { metadata_id: 99, disabled: true });
    receive("broadcast<ben>(update[CODE])", { metadata_id: 99, source_code: "" });
    receive("status", { metadata_id: 99, status: "x" });
    expect(warn).toHaveBeenCalledTimes(5);
    expect(Object.keys(view().nodes)).toEqual(["1", "2"]);
  });

  it("S8-010 warns about update[VIEW] without a metadata_id", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { receive } = await opened();
    receive("update[VIEW]", {});
    expect(warn).toHaveBeenCalledTimes(1);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("S7-109 fetches the one node that update[VIEW] names, unless its change is here", async () => {
    const { receive, view } = await opened();
    fetched.mockReturnValue(answer({ ...node(1, []), name: "Fresh" }));
    receive("update[VIEW]", { metadata_id: 1, revision: 1 });
    expect(fetched).not.toHaveBeenCalled();
    receive("update[VIEW]", { metadata_id: 1 });
    expect(fetched.mock.calls[0]?.[0]).toBe("/api/v3/objects/1?wob_type=Code_block");
    await vi.waitFor(() => expect(view().nodes["1"]?.name).toBe("Fresh"));
  });

  it("S7-110 stores a node's status", async () => {
    const { receive, view } = await opened();
    receive("status", { metadata_id: 1, status: "RUNNING" });
    expect(view().nodes["1"]?.status).toBe("RUNNING");
  });
});

describe("answers that events overtake", () => {
  const rate = (value: number) => [{ metadata_id: 1, name: "rate", value, default: 1 }];
  const change = (revision: number, more: object) => ({ graph_id: "g", revision, by: "ben", ...more });
  /** The node as the server had it. */
  const answered = (value: number) =>
    node(1, [attribute("rate", "RECEIVER_FIELD", { value, control: { type: "number" } })]);
  const rateOf = (view: { nodes: Readonly<Record<string, Node>> }) =>
    view.nodes["1"]?.api.attributes.find(({ name }) => name === "rate")?.value;

  it("keeps another person's newer value when an older copy of the node is read", async () => {
    const { receive, view } = await opened();
    const slow = Promise.withResolvers<Response>();
    fetched.mockReturnValueOnce(slow.promise).mockImplementation(() => answer(answered(4)));
    // Two changes made at once arrive swapped, and a third while the node is read.
    receive("update[GRAPH]", change(3, { attributes: rate(3) }));
    receive("update[VIEW]", { metadata_id: 1, revision: 3 });
    receive("update[GRAPH]", change(2, { attributes: rate(2) }));
    receive("update[GRAPH]", change(4, { attributes: rate(4) }));
    slow.resolve(await answer(answered(3)));
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(2));
    await new Promise((resolve) => setTimeout(resolve));
    expect(rateOf(view())).toBe(4);
  });

  it("keeps a node deleted that is deleted while it is read", async () => {
    const { receive, view } = await opened();
    const slow = Promise.withResolvers<Response>();
    fetched.mockReturnValue(slow.promise);
    receive("update[VIEW]", { metadata_id: 1 });
    receive("update[GRAPH]", change(2, { deleted_nodes: [1] }));
    slow.resolve(await answer(answered(3)));
    await new Promise((resolve) => setTimeout(resolve));
    expect(Object.keys(view().nodes)).toEqual(["2"]);
  });

  it("keeps another person's newer values when an older graph is read, and reads it only once", async () => {
    const { session, receive, view } = await opened();
    const whole = (revision: number, value: number): GraphResponse => {
      return { nodes: nodesByKey(answered(value)), edges: [], groups: [], viewOnly: false, revision };
    };
    const slow = Promise.withResolvers<GraphResponse>();
    load.mockReturnValueOnce(slow.promise);
    const reloaded = session.reload();
    for (const value of [2, 3, 4]) receive("update[GRAPH]", change(value, { attributes: rate(value) }));
    slow.resolve(whole(2, 2));
    await reloaded;
    expect(rateOf(view())).toBe(4);
    expect(session.store.revision()).toBe(4);
    expect(load).toHaveBeenCalledTimes(1);
  });
});

it("asks only once for a graph that may no longer be read", async () => {
  vi.useFakeTimers();
  const { receive } = await opened();
  load.mockRejectedValue(new HttpError(404, "There is no such workflow."));
  receive("update[GRAPH]", { graph_id: "g", revision: 3, by: "ben" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(load).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

describe("what this person does", () => {
  it("S4-019 reaches the server and the others, and can be undone", async () => {
    const { session, view, emitted } = await opened();
    fetched.mockImplementation(() => answer({ ...node(1, []), revision: 2 }));
    await session.run({ type: "change", changes: { "1": { disabled: true } } });
    expect(fetched.mock.calls[0]?.[0]).toBe("/api/v3/objects/1/api");
    expect(emitted).toContainEqual(["broadcast", "setNodeDisabled", { metadata_id: 1, disabled: true }]);
    expect(view().nodes["1"]?.api.disabled).toBe(true);
    expect(session.history.counts()).toEqual({ undo: 1, redo: 0 });
    await session.undo();
    expect(view().nodes["1"]?.api.disabled).toBe(false);
    expect(session.history.counts()).toEqual({ undo: 0, redo: 1 });
  });

  it("S8-008 keeps the previous data when the server refuses, logs it and shows why", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { session, view, notify } = await opened();
    fetched.mockReturnValue(answer("That value does not fit.", 400));
    expect(await session.run({ type: "set", id: 1, name: "rate", value: 9 })).toBe(false);
    expect(view().nodes["1"]?.api.attributes[2]?.value).toBe(1);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(notify).toHaveBeenCalledWith("That value does not fit.");
    expect(session.history.counts()).toEqual({ undo: 0, redo: 0 });
  });

  it("sends changes in the order they were made", async () => {
    const { session } = await opened();
    const first = Promise.withResolvers<Response>();
    fetched.mockReturnValueOnce(first.promise).mockImplementation(() => answer({ revision: 3 }));
    const both = Promise.all([
      session.run({ type: "set", id: 1, name: "rate", value: 2 }),
      session.run({ type: "set", id: 1, name: "rate", value: 3 }),
    ]);
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1));
    first.resolve(await answer({ revision: 2 }));
    await both;
    expect(fetched).toHaveBeenCalledTimes(2);
    expect(session.history.counts().undo).toBe(1);
  });

  it("refuses everything in a graph that is view-only", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { session, notify } = await opened();
    session.store.setViewOnly(true);
    expect(await session.run({ type: "patch", id: 1, changes: { name: "x" } })).toBe(false);
    expect(fetched).not.toHaveBeenCalled();
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it("S7-052 joins a cloned prefab first and places it then, and deletes it on undo", async () => {
    const { session } = await opened();
    const made = node(9, [attribute("in", "RECEIVER")]);
    const calls: string[] = [];
    fetched.mockImplementation((url, options) => {
      calls.push(`${options?.method} ${url}`);
      return answer(url.includes("edges") ? { ...edge("1.out", "9.in"), revision: 3 } : { ...made, revision: 2 });
    });
    await session.addPrefab("p", { x: 1, y: 2 }, "linked", () => edge("1.out", "9.in"));
    expect(calls).toEqual([
      "POST /api/v3/objects/clone/p",
      "POST /api/v3/objects/edges",
      "PUT /api/v3/designer/g/nodes/9",
    ]);
    await session.undo();
    expect(calls.at(-1)).toBe("DELETE /api/v3/objects/9");
  });
});
