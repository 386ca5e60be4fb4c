import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import type { Edge, NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import { describe, expect, it } from "vitest";

import { contentOf } from "@miranda/contract/graph/content.ts";
import { fromClipboard, toClipboard } from "./clipboard.ts";

const one = node(1, [attribute("out", "TRANSMITTER")]);
const two = node(2, [attribute("in", "RECEIVER")]);
const content = (edges: Edge[], groups: NodeGroup[] = []) => contentOf({ nodes: {}, edges, groups });
const group = (name: string, metadata_ids: number[]): NodeGroup => {
  return { id: name, name, colour: "#112233", collapsed: true, metadata_ids };
};

describe("the clipboard", () => {
  it("contains nodes and the edges between them, as text", () => {
    const text = toClipboard([one, two], content([edge("1.out", "2.in"), edge("2.out", "3.in")]));
    const part = fromClipboard(text);
    expect(part?.nodes).toEqual([one, two]);
    expect(part?.edges).toEqual([edge("1.out", "2.in")]);
  });

  it("contains groups of which several or all nodes are copied, and links to templates", () => {
    const template = { id: "t", ref: "0", version: 3 };
    const linked = { ...one, template, update_policy: "linked" as const };
    const groups = [group("both", [1, 2]), group("most", [1, 2, 3]), group("alone", [2]), group("part", [2, 9])];
    const part = fromClipboard(toClipboard([linked, two], content([], groups)));
    expect(part?.nodes[0]).toMatchObject({ template, update_policy: "linked" });
    expect(part?.groups).toEqual([
      { name: "both", colour: "#112233", collapsed: true, metadata_ids: [1, 2] },
      { name: "most", colour: "#112233", collapsed: true, metadata_ids: [1, 2] },
      { name: "alone", colour: "#112233", collapsed: true, metadata_ids: [2] },
    ]);
  });

  it("leaves out implied edges and values of secret controls", () => {
    const secret = attribute("key", "RECEIVER_FIELD", { control: { type: "secret" }, value: "hunter2", default: null });
    const text = toClipboard([node(3, [secret]), two], content([edge("3.key", "2.in", { implied: true })]));
    expect(text).not.toContain("hunter2");
    expect(fromClipboard(text)?.edges).toEqual([]);
  });

  it("also reads a graph response", () => {
    expect(fromClipboard(JSON.stringify({ nodes: { "1": one }, edges: [] }))?.nodes).toEqual([one]);
  });

  it.each(["", "hello", "[]", "{}", "null", '{"nodes":[]}', '{"nodes":[1]}', '{"nodes":[{"class":"x"}]}'])(
    "finds no nodes in %j",
    (text) => expect(fromClipboard(text)).toBeUndefined(),
  );
});
