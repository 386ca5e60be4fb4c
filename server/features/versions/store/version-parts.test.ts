import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { sampleContent, sampleEdge, sampleGroup, sampleNode } from "../../../testing/versions/version-samples.ts";
import { contentOfParts } from "../version-content.ts";
import { compressPart, packParts, unpackPart } from "./version-parts.ts";

const numbers = Array.from({ length: 640 }, (_, at) => at + 64);
const nodes = numbers.map((number) => sampleNode(number));
const edges = numbers.slice(1).map((number) => sampleEdge(number - 1, number));
const hashes = async (...given: Parameters<typeof sampleContent>) =>
  (await packParts(sampleContent(...given))).map(({ hash }) => hash.toString("hex"));

describe("the parts of a version", () => {
  it("hold 64 numbers each, and a changed node changes one of them", async () => {
    const before = await hashes(nodes, edges);
    expect(before.length).toBe(10);
    const changed = nodes.map((node) => (node.metadata_id === 100 ? { ...node, name: "Other" } : node));
    const after = await hashes(changed, edges);
    expect(after.filter((hash) => !before.includes(hash)).length).toBe(1);
  });

  it("are split where nodes are large, and a changed node changes only its part", async () => {
    const large = numbers
      .slice(0, 8)
      .map((number) => sampleNode(number, { source_code: `# ${number} ${"x".repeat(600_000)}` }));
    const links = numbers.slice(1, 8).map((number) => sampleEdge(number - 1, number));
    const parts = await packParts(sampleContent(large, links));
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThan(1_100_000);
    const read = await Promise.all(parts.map(async (part) => unpackPart(await compressPart(part), new Map())));
    expect(contentOfParts(read)).toEqual(sampleContent(large, links));
    const changed = large.map((node, at) => (at === 3 ? { ...node, name: "Other" } : node));
    const [before, after] = [await hashes(large, links), await hashes(changed, links)];
    expect(after.filter((hash) => !before.includes(hash))).toHaveLength(1);
  });

  it("are the same whatever the order of nodes, edges, members and keys", async () => {
    const values = { b: { y: 1, x: [{ d: 1, c: 2 }] }, a: 1 };
    const turned = { a: 1, b: { x: [{ c: 2, d: 1 }], y: 1 } };
    const [one, two] = [sampleNode(1, { values, body: values }), sampleNode(2)];
    const before = await hashes([one, two], [sampleEdge(1, 2), sampleEdge(2, 1)], [sampleGroup(9, [1, 2])]);
    const again = sampleNode(1, { body: turned, values: turned });
    const after = await hashes([two, again], [sampleEdge(2, 1), sampleEdge(1, 2)], [sampleGroup(9, [2, 1])]);
    expect(after).toEqual(before);
  });

  it("are read back as they were, and name the files of values", async () => {
    const file = "a".repeat(64);
    const given = sampleContent(
      [sampleNode(1, { values: { data: { file, name: "a.csv" } } })],
      [],
      [sampleGroup(9, [1])],
    );
    const parts = await packParts(given);
    expect(parts.map(({ files }) => files)).toEqual([[file], []]);
    const read = await Promise.all(parts.map(async (part) => unpackPart(await compressPart(part), new Map())));
    expect(contentOfParts(read)).toEqual(given);
  });

  it("have an api once that many nodes declare, and all nodes that are read share it", async () => {
    const given = sampleContent(nodes, edges);
    const parts = await packParts(given);
    for (const { text } of parts) expect(text.split("compiled").length).toBe(2);
    const apis = new Map();
    const read = await Promise.all(parts.map(async (part) => unpackPart(await compressPart(part), apis)));
    expect(new Set(read.flatMap((part) => part.nodes.map(({ api }) => api))).size).toBe(1);
    expect(contentOfParts(read)).toEqual(given);
  });

  it("are also read when each node has its api, as they were stored before", async () => {
    const part = { nodes: [sampleNode(1)], edges: [], groups: [] };
    const stored = zstdCompressSync(JSON.stringify(part));
    expect(await unpackPart(stored, new Map())).toEqual(part);
  });

  it("are refused when a node names an api that is not there", async () => {
    const part = { apis: [], nodes: [{ ...sampleNode(1), api: 0 }], edges: [], groups: [] };
    const stored = zstdCompressSync(JSON.stringify(part));
    await expect(unpackPart(stored, new Map())).rejects.toMatchObject({ code: "version_damaged" });
  });
});
