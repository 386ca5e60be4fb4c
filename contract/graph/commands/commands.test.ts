import { edge, seededRandom } from "@miranda/contract/graph/graph-samples.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { describe, expect, it } from "vitest";

import { applyCommand, inverseOf } from "./registry.ts";
import type { Command } from "./command.ts";
import { commandSamples as commands, contentSample as sample } from "./command-samples.ts";
import { endsOf, type GraphContent } from "../content.ts";

describe("commands and their inverses", () => {
  it.each(Object.entries(commands))("%s changes the graph, and its inverse restores it", (name, command) => {
    const before = sample();
    const inverse = inverseOf(before, command);
    const after = applyCommand(before, command);
    expect(after).not.toEqual(before);
    if (!inverse) throw new Error("there is no inverse");
    const back = applyCommand(after, inverse);
    expect(plain(back, name)).toEqual(plain(before, name));
    // The inverse of the inverse must do what the command did first.
    const redo = inverseOf(after, inverse);
    if (!redo) throw new Error("there is no way forward again");
    expect(plain(applyCommand(back, redo), name)).toEqual(plain(after, name));
  });

  it("unsets a value that was not overridden before, and restores one that was", () => {
    const before = sample();
    const set: Command = { type: "set", id: 1, name: "rate", value: 0.9 };
    expect(inverseOf(before, set)).toEqual({ type: "unset", id: 1, name: "rate" });
    const after = applyCommand(before, set);
    expect(inverseOf(after, { ...set, value: 0.1 })).toEqual({ ...set, value: 0.9 });
    expect(rate(after)).toMatchObject({ value: 0.9, default: 0.5 });
    expect(rate(applyCommand(after, { type: "unset", id: 1, name: "rate" }))).not.toHaveProperty("default");
  });

  it("restores a deleted node together with its edges", () => {
    const before = sample();
    const inverse = inverseOf(before, { type: "delete", ids: [2], edges: [], groups: [] });
    expect(inverse).toMatchObject({ type: "restore", ids: [2] });
    expect(inverse?.type === "restore" ? inverse.edges : []).toHaveLength(2);
  });

  it("ignores nodes, edges and groups that no longer exist", () => {
    const before = sample();
    for (const command of [
      { type: "patch", id: 9, changes: { name: "x" } },
      { type: "set", id: 9, name: "rate", value: 1 },
      { type: "change", changes: { "9": { disabled: true } } },
      { type: "connect", ends: endsOf(edge("9.out", "1.in")) },
    ] satisfies Command[]) {
      expect(applyCommand(before, command)).toEqual(before);
    }
    expect(inverseOf(before, { type: "patch", id: 9, changes: { name: "x" } })).toBeUndefined();
  });

  it("undoes any sequence of changes step by step", () => {
    const random = seededRandom(7);
    const all = Object.values(commands).filter(({ type }) => type !== "delete" && type !== "disconnect");
    const start = sample();
    let content = start;
    const inverses: Command[] = [];
    for (let step = 0; step < 60; step += 1) {
      const command = all[Math.floor(random() * all.length)];
      const inverse = command && inverseOf(content, command);
      if (!command || !inverse) continue;
      inverses.push(inverse);
      content = applyCommand(content, command);
    }
    for (const inverse of inverses.toReversed()) content = applyCommand(content, inverse);
    expect(Object.keys(content.nodes)).toEqual(Object.keys(start.nodes));
    expect(rate(content).value).toBe(0.5);
    expect(content.nodes["1"]?.name).toBe("Node 1");
  });
});

function rate(content: GraphContent): Node["api"]["attributes"][number] {
  const found = content.nodes["1"]?.api.attributes.find(({ name }) => name === "rate");
  if (!found) throw new Error("there is no rate");
  return found;
}

/** Ignore the order of edges and empty labels. The server restores a node's group. */
function plain(content: GraphContent, name: string) {
  const edges = Object.fromEntries(
    Object.entries(content.edges)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, { label, ...rest }]) => [key, { ...rest, label: label || undefined }]),
  );
  return { nodes: content.nodes, edges, groups: name === "delete a node" ? {} : content.groups };
}
