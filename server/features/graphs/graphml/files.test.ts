import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { nodeBox } from "@miranda/contract/graph/layout/layered-layout.ts";
import type { ImportedGraph } from "./types.ts";
import { describe, expect, test } from "vitest";
import { parseGraphml } from "./import.ts";

const folder = new URL("../../../../../shared/graphml/", import.meta.url);

/** Files whose counts differ from networkx's, with the reason. By the number at the start of the file's name. */
const differences: Record<string, { nodes: number; edges: number; why: string }> = {
  "010": { nodes: 26, edges: 11, why: "networkx refuses keys without a name" },
  "018": { nodes: 9, edges: 9, why: "networkx drops a graph inside a graph; it is a group here" },
  "025": { nodes: 5916, edges: 24_077, why: "networkx does not look for keys inside the graph" },
  "029": { nodes: 6, edges: 7, why: "networkx refuses spaces around a boolean" },
  "031": { nodes: 0, edges: 0, why: "networkx refuses keys without a name" },
  "044": { nodes: 17, edges: 16, why: "networkx drops nested graphs without yEd's mark; they are groups here" },
  "058": { nodes: 2, edges: 3, why: "networkx refuses a number that is none; it is text here" },
  "060": { nodes: 3, edges: 1, why: "networkx refuses data whose key is not declared" },
  "061": { nodes: 4, edges: 3, why: "networkx refuses hyperedges; one is a junction here" },
  "066": { nodes: 10, edges: 10, why: "networkx refuses hyperedges; three are junctions here" },
  "073": { nodes: 11, edges: 6, why: "networkx drops nested graphs without yEd's mark; they are groups here" },
  "074": { nodes: 14, edges: 13, why: "networkx drops nested graphs without yEd's mark; they are groups here" },
};

/** Files that are refused, and the place that the message must name. */
const refused: Record<string, RegExp> = {
  "032": /not well-formed XML.*line 30, column 6/,
  "033": /ends in the middle/,
  "038": /^This file is compressed\. Unpack it first\.$/,
  "053": /not well-formed XML: disallowed character.*line 5, column 16/,
};

interface Expected {
  nodes: string;
  edges: string;
  kind: string;
}

function readOracle(): Map<string, Expected> {
  const [, ...rows] = readFileSync(new URL("networkx-oracle.tsv", folder), "utf8").split("\n");
  return new Map(
    rows.map((row) => {
      const [file = "", kind = "", nodes = "", edges = ""] = row.split("\t");
      return [file, { kind, nodes, edges }];
    }),
  );
}

function expectNoOverlap({ nodes }: ImportedGraph): void {
  const [width, height] = [nodeBox.width + nodeBox.gap, nodeBox.height + nodeBox.gap];
  const cells = new Map<string, { x: number; y: number }>();
  for (const { position, name } of nodes) {
    const [column, row] = [Math.floor(position.x / width), Math.floor(position.y / height)];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        const other = cells.get(`${column + dx} ${row + dy}`);
        const touches = other && Math.abs(other.x - position.x) < width && Math.abs(other.y - position.y) < height;
        if (touches) throw new Error(`${name} is on top of another node at ${position.x}, ${position.y}`);
      }
    }
    cells.set(`${column} ${row}`, position);
  }
}

function expectSoundEdges({ nodes, edges }: ImportedGraph): void {
  const keys = new Set(nodes.map(({ key }) => key));
  expect(keys.size).toBe(nodes.length);
  const ends = edges.map((edge) => JSON.stringify([edge.sourceKey, edge.transmitter, edge.targetKey, edge.receiver]));
  expect(new Set(ends).size).toBe(edges.length);
  expect(edges.filter(({ sourceKey, targetKey }) => !keys.has(sourceKey) || !keys.has(targetKey))).toEqual([]);
}

const isHere = existsSync(folder);

// Skipped in a clone without that folder.
describe.runIf(isHere)("the real files of ../shared/graphml", () => {
  const oracle = isHere ? readOracle() : new Map<string, Expected>();
  const files = isHere ? readdirSync(folder).filter((name) => /^\d{3}-/.test(name)) : [];

  const imported = files.filter((name) => !refused[name.slice(0, 3)]);
  const read = (name: string) => readFileSync(new URL(encodeURIComponent(name), folder));
  const named = (number: string) => files.find((file) => file.startsWith(number)) ?? "";

  test("are all there", () => {
    expect(files.length).toBeGreaterThanOrEqual(75);
    expect(files.filter((name) => !oracle.has(name))).toEqual([]);
  });

  test.each(Object.entries(refused))("refuses file %s", async (number, message) => {
    await expect(parseGraphml([read(named(number))])).rejects.toThrow(message);
  });

  test.each(imported)("%s", async (name) => {
    const graph = await parseGraphml([read(name)]);
    const expected = differences[name.slice(0, 3)] ?? oracle.get(name);
    expect({ nodes: graph.nodes.length, edges: graph.edges.length }).toEqual({
      nodes: Number(expected?.nodes),
      edges: Number(expected?.edges),
    });
    expectNoOverlap(graph);
    expectSoundEdges(graph);
    for (const { name: label, position } of graph.nodes) {
      expect(label.trim()).not.toBe("");
      expect(Number.isSafeInteger(position.x) && Number.isSafeInteger(position.y)).toBe(true);
    }
  });

  test("imports the compressed file with networkx's counts once it is unpacked", async () => {
    const graph = await parseGraphml([gunzipSync(read(named("038")))]);
    expect({ nodes: String(graph.nodes.length), edges: String(graph.edges.length) }).toEqual({
      nodes: "34",
      edges: "78",
    });
  });

  const short = imported.filter((name) => statSync(new URL(encodeURIComponent(name), folder)).size < 200_000);
  test.each(short)("imports %s the same from chunks of any size", async (name) => {
    const bytes = read(name);
    const pieces = function* (): Generator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    };
    expect(await parseGraphml(pieces())).toEqual(await parseGraphml([bytes]));
  });

  test.each([
    ["001", "hello world", "#ffcc00"],
    ["014", "marko", undefined],
    ["026", "Valjean", "#f55b5b"],
    ["030", "Star", "#ff8c00"],
    ["049", "Bush vs. the Beltway", undefined],
    ["074", "Group", "#9dc6d0"],
  ])("file %s has a node %s", async (number, label, colour) => {
    const { nodes } = await parseGraphml([read(named(number))]);
    expect(nodes.find((node) => node.name === label)).toMatchObject({ name: label, ...(colour ? { colour } : {}) });
  });
});
