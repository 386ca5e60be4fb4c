import { execFileSync } from "node:child_process";
import { exportGraphml } from "./export.ts";
import type { ExportNode, ExportParts, ImportedGraph } from "./types.ts";
import { importedClasses } from "./types.ts";
import { describe, expect, test } from "vitest";
import { parseGraphml } from "./import.ts";
import { createRandom, hostileTexts } from "./hostile-text.ts";

type Random = ReturnType<typeof createRandom>;
type ExportGraph = Omit<ExportParts, "nodes"> & { nodes: ExportNode[] };

async function write({ nodes, ...graph }: ExportGraph): Promise<string> {
  let text = "";
  for await (const part of exportGraphml({ ...graph, nodes: [nodes] })) text += part;
  return text;
}

function randomJson(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 4 : 6);
  if (kind === 0) return null;
  if (kind === 1) return random.next() < 0.5;
  if (kind === 2) return random.pick([0, -1.5, 1e21, 5e-324, 123_456_789.123, random.next()]);
  if (kind === 3) return random.text();
  const parts = Array.from({ length: random.below(4) }, () => randomJson(random, depth + 1));
  return kind === 4 ? parts : Object.fromEntries(parts.map((part, index) => [`${random.text()}${index}`, part]));
}

function randomNode(random: Random, key: number): ExportNode {
  return {
    key,
    class: random.pick(importedClasses),
    name: random.text(),
    description: random.text(),
    position: { x: (random.next() - 0.5) * 1e6, y: random.below(1000) - 500 },
    ...(random.next() < 0.5
      ? {
          colour: `#${random
            .below(2 ** 24)
            .toString(16)
            .padStart(6, "0")}`,
        }
      : {}),
    source_code: random.text(),
    api: randomJson(random),
    body: randomJson(random),
    tags: Array.from({ length: random.below(4) }, () => random.text()),
    ...(random.next() < 0.5 ? { locked: random.next() < 0.5 } : {}),
    ...(random.next() < 0.5 ? { order: random.below(1000) } : {}),
    git: random.pick([null, random.text()]),
    git_branch: random.pick([null, random.text()]),
  };
}

function randomGraph(random: Random): ExportGraph {
  const keys = Array.from({ length: random.below(9) }, (_, index) => 1000 + index * 3);
  const ends = new Set<string>();
  const edges = Array.from({ length: keys.length === 0 ? 0 : random.below(15) }, () => ({
    source: random.pick(keys),
    transmitter: random.text(),
    target: random.pick(keys),
    receiver: random.text(),
    segments: randomJson(random),
    ...(random.next() < 0.5 ? { is_field: random.next() < 0.5 } : {}),
    ...(random.next() < 0.5 ? { text: random.text() } : {}),
  })).filter(({ source, transmitter, target, receiver }) => {
    const key = JSON.stringify([source, transmitter, target, receiver]);
    return ends.has(key) ? false : ends.add(key);
  });
  return { name: random.text(), description: random.text(), nodes: keys.map((key) => randomNode(random, key)), edges };
}

/** The imported graph in the form of an export, with only what an export contains. */
function asExport(graph: ImportedGraph): ExportGraph {
  return {
    name: graph.name ?? "",
    description: graph.description ?? "",
    nodes: graph.nodes.map(({ key, attributes, ports, receivers, transmitters, groupPath, ...node }) => {
      expect([...attributes, ...ports, ...receivers, ...transmitters, ...groupPath]).toEqual([]);
      return { ...node, key: Number(key.slice(1)) } as ExportNode;
    }),
    edges: graph.edges.map(({ sourceKey, targetKey, directed, ...edge }) => {
      expect(directed).toBe(true);
      return {
        ...edge,
        source: Number(sourceKey.slice(1)),
        target: Number(targetKey.slice(1)),
      } as ExportGraph["edges"][number];
    }),
  };
}

async function roundTrip(graph: ExportGraph): Promise<ImportedGraph> {
  const bytes = new TextEncoder().encode(await write(graph));
  return parseGraphml([bytes]);
}

describe("a file that Miranda exported", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))("is imported identically (seed %i)", async (seed) => {
    const graph = randomGraph(createRandom(seed));
    const imported = await roundTrip(graph);
    expect(imported.notes).toEqual([]);
    expect(asExport(imported)).toEqual(graph);
  });

  test("keeps every hostile text in every place", async () => {
    const nodes = hostileTexts.map((text, key): ExportNode => {
      return {
        ...randomNode(createRandom(key), key),
        name: text,
        description: text,
        source_code: text,
        tags: [text],
        git: text,
      };
    });
    const graph: ExportGraph = { name: hostileTexts.join("|"), description: "", nodes, edges: [] };
    expect(asExport(await roundTrip(graph))).toEqual(graph);
  });

  test("is XML that another parser reads, with plain keys for label, description and position", async () => {
    const text = await write(randomGraph(createRandom(3)));
    const script = `
import sys, json, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
ns = {"g": "http://graphml.graphdrawing.org/xmlns"}
print(json.dumps([[key.get("for"), key.get("attr.name")] for key in root.findall("g:key", ns)]))`;
    const keys = JSON.parse(execFileSync("python3", ["-c", script], { input: text }).toString()) as string[][];
    for (const name of ["label", "description", "class", "x", "y", "color", "miranda.source_code"])
      expect(keys).toContainEqual(["node", name]);
    const ids = Array.from(text.matchAll(/<key id="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("rewritten by another program keeps its code, takes the new label and reports what was added", async () => {
    const graph = randomGraph(createRandom(5));
    const node = { ...randomNode(createRandom(8), 1), name: "old" };
    const written = await write({ ...graph, nodes: [node], edges: [] });
    // Programs such as networkx give the keys new ids and keep their names.
    const renamed = written.replaceAll(
      /(key id|key)="(?:graph\.)?([^"]+)"/g,
      (whole, attribute: string, name: string) => {
        return whole.includes("graph.") ? whole : `${attribute}="k_${name}"`;
      },
    );
    const edited = renamed.replace(">old<", ">new<").replace("</node>", '<data key="pagerank">0.5</data></node>');
    const imported = await parseGraphml(edited);
    expect(imported.nodes[0]).toMatchObject({ name: "new", source_code: node.source_code, api: node.api });
    expect(imported.notes.join("\n")).toContain('is not kept: "pagerank"');
  });

  test("with positions beyond the canvas gets a new layout", async () => {
    const node = { ...randomNode(createRandom(8), 1), position: { x: 5, y: 6 } };
    const written = await write({ name: "", description: "", nodes: [node], edges: [] });
    const far = written.replace(/(<data key="miranda.position">)[^<]*/, '$1{"x":1e999,"y":0}');
    expect((await parseGraphml(far)).nodes[0]?.position).toEqual({ x: 0, y: 0 });
  });

  test("with a broken part is imported without that part, with a note", async () => {
    const node = { ...randomNode(createRandom(8), 1), api: { attributes: [] } };
    const written = await write({ name: "", description: "", nodes: [node], edges: [] });
    const broken = written.replace(/(<data key="miranda.api">)[^<]*/, "$1{broken");
    const deep = written.replace(/(<data key="miranda.api">)[^<]*/, `$1${"[".repeat(5000)}${"]".repeat(5000)}`);
    for (const text of [broken, deep]) {
      const imported = await parseGraphml(text);
      expect(imported.nodes[0]?.api).toBeNull();
      expect(imported.notes).toEqual([expect.stringContaining("miranda.api")]);
    }
  });
});
