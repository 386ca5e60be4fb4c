import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import { fromClipboard, toClipboard } from "./clipboard.ts";

const one = node(1, [attribute("out", "TRANSMITTER")]);
const two = node(2, [attribute("in", "RECEIVER")]);

describe("the clipboard", () => {
  it("carries nodes and the edges between them, as text", () => {
    const text = toClipboard([one, two], [edge("1.out", "2.in"), edge("2.out", "3.in")]);
    const part = fromClipboard(text);
    expect(part?.nodes).toEqual([one, two]);
    expect(part?.edges).toEqual([edge("1.out", "2.in")]);
  });

  it("leaves implied edges and what was typed into secret controls behind", () => {
    const secret = attribute("key", "RECEIVER_FIELD", { control: { type: "secret" }, value: "hunter2", default: null });
    const text = toClipboard([node(3, [secret]), two], [edge("3.key", "2.in", { implied: true })]);
    expect(text).not.toContain("hunter2");
    expect(fromClipboard(text)?.edges).toEqual([]);
  });

  it("takes a graph response as well", () => {
    expect(fromClipboard(JSON.stringify({ nodes: { "1": one }, edges: [] }))?.nodes).toEqual([one]);
  });

  it.each(["", "hello", "[]", "{}", "null", '{"nodes":[]}', '{"nodes":[1]}', '{"nodes":[{"class":"x"}]}'])(
    "is not mistaken in %j",
    (text) => expect(fromClipboard(text)).toBeUndefined(),
  );
});
