import type { Resolution, VersionNode } from "@miranda/contract/schemas/versions.ts";
import { Conflict } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import {
  lineageOf,
  sampleContent,
  sampleEdge,
  sampleGroup,
  sampleNode,
} from "../../testing/versions/version-samples.ts";
import { versionEdgeKey } from "../versions/version-content.ts";
import { mergeContents, type MergeSides } from "./merge-contents.ts";

type Fields = Partial<VersionNode>;

/** Merges one node that all three sides have, and returns it with the fields of its conflicts. */
function mergeFields(base: Fields | null, theirs: Fields, mine: Fields, resolutions: Record<string, Resolution> = {}) {
  const content = (fields: Fields) => sampleContent([sampleNode(1, fields)]);
  const sides = { base: base && content(base), theirs: content(theirs), mine: content(mine) };
  const { merged, conflicts } = mergeContents(sides, resolutions);
  return { node: merged.nodes.get(lineageOf(1)), fields: conflicts.map(({ kind, field }) => `${kind} ${field}`) };
}

const policy = (body: object): Fields => ({ class: "compute_policy", source_code: "", body });
const named = (kind: string, field: string, number = 1): string => `${kind}:${lineageOf(number)}:${field}`;

describe("fields of a node", () => {
  it("merge without a conflict when the sides changed different ones", () => {
    const { node, fields } = mergeFields(
      { values: { a: 1, b: 1 }, tags: ["x", "y"] },
      { values: { a: 2, b: 1 }, tags: ["x", "y", "theirs"], name: "New" },
      { values: { a: 1, b: 3 }, tags: ["y", "mine"], colour: "#112233", position: { x: 5, y: 5 } },
    );
    expect(fields).toEqual([]);
    expect(node).toMatchObject({ values: { a: 2, b: 3 }, name: "New", colour: "#112233", position: { x: 5, y: 5 } });
    expect(node?.tags).toEqual(["y", "mine", "theirs"]);
  });

  it("are no conflict when both sides changed them in the same way", () => {
    const change = { values: { a: { deep: [1, 2] } }, name: "Same", description: "Same" };
    expect(mergeFields({ values: { a: 1 } }, change, change).fields).toEqual([]);
  });

  it("conflict one by one, and are decided one by one", () => {
    const sides = [
      { values: { a: 1, b: 1 } },
      { values: { a: 2, b: 2 }, name: "Theirs" },
      { values: { a: 3, b: 3 }, name: "Mine" },
    ] as const;
    expect(mergeFields(...sides).fields).toEqual(["value a", "value b", "setting name"]);
    const { node } = mergeFields(...sides, {
      [named("value", "a")]: "theirs",
      [named("setting", "name")]: { value: "Both" },
    });
    expect(node).toMatchObject({ values: { a: 2, b: 3 }, name: "Both" });
  });

  it("show the settled lines around a conflict in code", () => {
    const lines = (changed: string) => ["a", "b", "c", "d", changed, "e", "f"].map((line) => `${line}\n`).join("");
    const content = (changed: string) => sampleContent([sampleNode(1, { source_code: lines(changed) })]);
    const sides = { base: content("old"), theirs: content("theirs"), mine: content("mine") };
    expect(mergeContents(sides, {}).conflicts).toMatchObject([
      { kind: "code", theirs: "theirs\n", mine: "mine\n", around: { before: "b\nc\nd\n", after: "e\nf\n" } },
    ]);
  });

  it("conflict when one side unset a value that the other changed", () => {
    const sides = [{ values: { a: 1 } }, { values: {} }, { values: { a: 3 } }] as const;
    expect(mergeFields(...sides).fields).toEqual(["value a"]);
    expect(mergeFields(...sides, { [named("value", "a")]: "theirs" }).node?.values).toEqual({});
  });

  it("keep my position when both sides moved the node", () => {
    const { node, fields } = mergeFields({}, { position: { x: 1, y: 1 } }, { position: { x: 2, y: 2 } });
    expect([fields, node?.position]).toEqual([[], { x: 2, y: 2 }]);
  });

  it("of a policy conflict one by one, unless its storage is of another kind", () => {
    const sides = [
      policy({ cpu: 1, ram_gb: 2 }),
      policy({ cpu: 2, ram_gb: 4 }),
      policy({ cpu: 3, ram_gb: 2 }),
    ] as const;
    expect(mergeFields(...sides)).toMatchObject({
      fields: ["setting body.cpu"],
      node: { body: { cpu: 3, ram_gb: 4 } },
    });
    const bucket = { type: "s3", bucket: "data" };
    const kinds = [{ type: "volume", name: "a" }, bucket, { type: "volume", name: "b" }] as const;
    const [old, there, here] = kinds.map((body) => ({ body }));
    expect(mergeFields(old ?? null, there ?? {}, here ?? {}).fields).toEqual(["setting body"]);
  });

  it("all conflict without a common version, except tags and position", () => {
    const { fields, node } = mergeFields(
      null,
      { values: { a: 1 }, name: "Theirs", tags: ["t"], position: { x: 1, y: 1 } },
      { values: {}, name: "Mine", tags: ["m"] },
    );
    expect(fields).toEqual(["value a", "setting name"]);
    expect(node).toMatchObject({ values: {}, name: "Mine", tags: ["m", "t"] });
  });

  it("ignore a link to a template that one side lacks, and take the newer one", () => {
    const link = (version: number) => ({ template: { id: "t", ref: "1", version }, update_policy: "linked" as const });
    expect(mergeFields(link(1), {}, link(2))).toMatchObject({ fields: [], node: link(2) });
    expect(mergeFields(link(1), link(2), {}).node).toMatchObject({ template: null, update_policy: null });
    expect(mergeFields(link(1), link(3), link(2)).node).toMatchObject(link(3));
  });

  it("refuse what a person wrote when it is no such value", () => {
    const sides = [
      { name: "Old", colour: null },
      { name: "T", colour: "#111111" },
      { name: "M", colour: "#222222" },
    ] as const;
    const write = (field: string, value: unknown) => () =>
      mergeFields(...sides, { [named("setting", field)]: { value } });
    expect(write("name", " ")).toThrow("Name is required.");
    expect(write("colour", "red")).toThrow("A colour is written #rrggbb.");
    const policies = [policy({ cpu: 1 }), policy({ cpu: 2 }), policy({ cpu: 3 })] as const;
    expect(() => mergeFields(...policies, { [named("setting", "body.cpu")]: { value: -1 } })).toThrow("CPU");
  });
});

describe("objects that one side deleted", () => {
  const nodes = [sampleNode(1), sampleNode(2)];
  const base = sampleContent(nodes, [sampleEdge(1, 2)], [sampleGroup(7, [1, 2])]);
  /** What is left after node 2 is deleted. */
  const without = sampleContent([sampleNode(1)], [], [sampleGroup(7, [1])]);
  const changed = (fields: Fields) =>
    sampleContent([sampleNode(1), sampleNode(2, fields)], [sampleEdge(1, 2)], [sampleGroup(7, [1, 2])]);
  const id = named("deleted", "", 2);

  it("are deleted when the other side left or only moved them", () => {
    for (const mine of [base, changed({ position: { x: 9, y: 9 } })]) {
      const { merged, conflicts } = mergeContents({ base, theirs: without, mine }, {});
      expect([conflicts, merged.nodes.size, merged.edges.size]).toEqual([[], 1, 0]);
      expect(merged.groups.get(lineageOf(7))?.members).toEqual([lineageOf(1)]);
    }
  });

  it("are a conflict when the other side edited them, whichever side did", () => {
    const edited = changed({ values: { a: 1 } });
    const there = mergeContents({ base, theirs: without, mine: edited }, {}).conflicts;
    const here = mergeContents({ base, theirs: edited, mine: without }, {}).conflicts;
    expect([there, here].map((list) => list.map((one) => [one.id, one.theirs === null]))).toEqual([
      [[id, true]],
      [[id, false]],
    ]);
    expect(Conflict.array().parse(there)).toEqual(there);
  });

  it("keep their edges and their groups when the deletion loses", () => {
    const sides = { base, theirs: changed({ name: "Edited" }), mine: without };
    const kept = mergeContents(sides, { [id]: "theirs" }).merged;
    expect([kept.nodes.size, kept.edges.size, kept.groups.get(lineageOf(7))?.members.length]).toEqual([2, 1, 2]);
    const deleted = mergeContents(sides, { [id]: "mine" }).merged;
    expect([deleted.nodes.size, deleted.edges.size]).toEqual([1, 0]);
  });

  it("can only be kept or deleted", () => {
    const sides = { base, theirs: without, mine: changed({ name: "Edited" }) };
    expect(() => mergeContents(sides, { [id]: { value: "x" } })).toThrow(
      "Here you can only choose one of the two sides.",
    );
  });

  it("take the other side's new edges with them", () => {
    const mine = sampleContent([...nodes, sampleNode(3)], [sampleEdge(1, 2), sampleEdge(3, 2)]);
    const { merged, conflicts } = mergeContents({ base, theirs: without, mine }, {});
    expect([conflicts, [...merged.nodes.keys()], merged.edges.size]).toEqual([[], [lineageOf(1), lineageOf(3)], 0]);
  });

  it("are a conflict when a group was renamed or got members, not when its members were deleted", () => {
    const ungrouped = sampleContent(nodes, [sampleEdge(1, 2)]);
    const ids = (mine: MergeSides["mine"]) =>
      mergeContents({ base, theirs: ungrouped, mine }, {}).conflicts.map((conflict) => conflict.id);
    expect(ids(without)).toEqual([]);
    expect(ids(sampleContent(nodes, [], [sampleGroup(7, [1, 2], { name: "New" })]))).toEqual([named("group", "", 7)]);
    expect(ids(sampleContent(nodes, [], [sampleGroup(7, [1])]))).toEqual([named("group", "", 7)]);
  });
});

describe("edges", () => {
  const nodes = [sampleNode(1), sampleNode(2), sampleNode(3)];
  const content = (...edges: ReturnType<typeof sampleEdge>[]) => sampleContent(nodes, edges);
  const labelled = (label: string) => content(sampleEdge(1, 2, { label }));
  const key = versionEdgeKey(sampleEdge(1, 2));

  it("that both sides drew are one edge", () => {
    const both = content(sampleEdge(1, 2));
    const { merged, conflicts } = mergeContents({ base: content(), theirs: both, mine: both }, {});
    expect([conflicts, merged.edges.size]).toEqual([[], 1]);
  });

  it("into the same receiver are all kept, because a receiver may have several", () => {
    const sides = { base: content(), theirs: content(sampleEdge(1, 3)), mine: content(sampleEdge(2, 3)) };
    const { merged, conflicts } = mergeContents(sides, {});
    expect([conflicts, merged.edges.size]).toEqual([[], 2]);
  });

  it("that one side removed are gone, unless the other side labelled them", () => {
    const removed = mergeContents({ base: labelled(""), theirs: content(), mine: labelled("") }, {});
    expect([removed.conflicts, removed.merged.edges.size]).toEqual([[], 0]);
    const { conflicts } = mergeContents({ base: labelled(""), theirs: content(), mine: labelled("rows") }, {});
    expect(conflicts).toMatchObject([{ id: `edge:${key}:`, name: "Node 1.output → Node 2.input", theirs: null }]);
  });

  it("have labels that conflict, and bends of which mine stay", () => {
    const bent = (label: string, x: number) => content(sampleEdge(1, 2, { label, segments: [{ x, y: 0 }] }));
    const sides = { base: labelled("old"), theirs: bent("theirs", 1), mine: bent("mine", 2) };
    const { merged, conflicts } = mergeContents(sides, { [`edge:${key}:label`]: { value: "both" } });
    expect(conflicts).toMatchObject([{ kind: "edge", field: "label", base: "old", theirs: "theirs", mine: "mine" }]);
    expect(merged.edges.get(key)).toMatchObject({ label: "both", segments: [{ x: 2, y: 0 }] });
  });
});

describe("groups", () => {
  it("merge their members as sets, and ask about names that both sides gave", () => {
    const nodes = [1, 2, 3, 4].map((number) => sampleNode(number));
    const content = (members: number[], name: string) => sampleContent(nodes, [], [sampleGroup(7, members, { name })]);
    const sides = { base: content([1, 2], "Old"), theirs: content([1, 2, 3], "Theirs"), mine: content([2, 4], "Mine") };
    const { merged, conflicts } = mergeContents(sides, { [named("group", "name", 7)]: "theirs" });
    expect(conflicts.map(({ kind, field }) => [kind, field])).toEqual([["group", "name"]]);
    expect(merged.groups.get(lineageOf(7))).toEqual(sampleGroup(7, [2, 4, 3], { name: "Theirs" }));
  });
});
