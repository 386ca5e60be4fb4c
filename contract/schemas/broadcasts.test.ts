import { describe, expect, it } from "vitest";

import { broadcastChannels } from "../broadcast-channels.ts";
import { broadcastSamples, node } from "../graph/graph-samples.ts";
import { parseBroadcast, PeerEdge, PeerNode } from "./broadcasts.ts";
import { Edge, Node } from "./nodes.ts";

const attribute = (value: unknown) => ({ metadata_id: 1, name: "a", value });
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe("a broadcast", () => {
  it.each(broadcastChannels)("accepts the data of the channel %s and keeps every field", (channel) => {
    const data = broadcastSamples[channel];
    expect(parseBroadcast(channel, { ...data, smuggled: 1 })).toEqual({ channel, data });
  });

  it("has the same fields as nodes and edges", () => {
    expect(Object.keys(PeerNode.shape)).toEqual(Object.keys(Node.shape));
    const { implied: _derived, ...stored } = Edge.shape;
    expect(Object.keys(PeerEdge.shape)).toEqual(Object.keys(stored));
  });

  it("accepts any JSON up to 64 levels deep as the value of an attribute", () => {
    for (const value of [null, "x", 1.5, true, [], { a: [{ b: null }] }, nested(64)])
      expect(parseBroadcast("update[attribute]", attribute(value))?.data).toEqual(attribute(value));
  });

  it.each([
    ["65 levels", nested(65)],
    ["bytes", new Uint8Array(4)],
    ["a number without end", Number.POSITIVE_INFINITY],
    ["a prototype", JSON.parse('{"__proto__":{"x":1}}') as unknown],
  ])("refuses %s as a value", (_what, value) => {
    expect(parseBroadcast("update[attribute]", attribute(value))).toBeUndefined();
  });

  it.each([
    ["a time that is none", { last_used: "yesterday" }],
    ["a colour that is none", { colour: "url(x)" }],
    ["a ghost", { class: "ghost" }],
    ["a policy whose name is a list", { body: { type: "s3", bucket: ["x"] } }],
    ["a place off the map", { position: { x: 1e9, y: 0 } }],
    ["a name that is too long", { name: "x".repeat(201) }],
    ["too many tags", { tags: { tags: Array.from({ length: 51 }, () => "x"), user_ids: [] } }],
  ])("refuses a node with %s", (what, wrong) => {
    const given = { ...node(1, []), ...wrong };
    // Unknown fields of a policy are left out. A policy without fields is a new one.
    const isEmptied = what.startsWith("a policy");
    expect(parseBroadcast("create[wob]", given)?.data).toEqual(isEmptied ? { ...given, body: {} } : undefined);
  });

  it("accepts a selection of at most 5,000 nodes", () => {
    const select = (count: number) => ({ metadata_ids: Array.from({ length: count }, (_, at) => at) });
    expect(parseBroadcast("selection", select(5_000))).toBeDefined();
    expect(parseBroadcast("selection", select(5_001))).toBeUndefined();
  });
});
