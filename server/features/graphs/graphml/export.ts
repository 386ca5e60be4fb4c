import { own, ownFormat, shared } from "./map/own-format.ts";
import { encodeJson, encodeText, escapeXml, isReadable, readableText } from "./parse/text.ts";
import { inSlices } from "../../../platform/time-slicing.ts";
import type { ExportEdge, ExportNode, ExportParts } from "./types.ts";

type Entry = readonly [key: string, text: string];

/**
 * Writes GraphML that other programs read (label, description, class, x, y, color) and that imports as the same
 * workflow (keys beginning with `miranda.`). In parts, with a pause after every few milliseconds: others would wait for
 * seconds while a large graph is written.
 */
export async function* exportGraphml({ nodes, edges, ...graph }: ExportParts): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n${opening}\n${[...keyLines()].join("")}`;
  yield `  <graph id="G" edgedefault="directed">\n${lines(graphEntries(graph), "    ")}`;
  for await (const some of nodes) for await (const texts of inSlices(some, nodeText)) yield texts.join("");
  for await (const texts of inSlices(edges, edgeText)) yield texts.join("");
  yield "  </graph>\n</graphml>\n";
}

function nodeText(node: ExportNode): string {
  return `    <node id="n${node.key}">\n${lines(nodeEntries(node), "      ")}    </node>\n`;
}

function edgeText(edge: ExportEdge, index: number): string {
  const tag = `<edge id="e${index}" source="n${edge.source}" target="n${edge.target}">`;
  return `    ${tag}\n${lines(edgeEntries(edge), "      ")}    </edge>\n`;
}

const opening = `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">`;

const keys = {
  graph: ["name", shared.description, own.format, own.name, own.description],
  node: [
    ...Object.values(shared),
    own.name,
    own.description,
    own.sourceCode,
    own.api,
    own.body,
    own.tags,
    own.position,
    own.locked,
    own.order,
    own.git,
    own.gitBranch,
  ],
  edge: [shared.label, own.text, own.transmitter, own.receiver, own.segments, own.isField],
};
type Domain = keyof typeof keys;
const domains: readonly Domain[] = ["graph", "node", "edge"];
const numbers = new Set<string>([shared.x, shared.y]);

function* keyLines(): Generator<string> {
  for (const domain of domains) {
    for (const name of keys[domain]) {
      const type = numbers.has(name) ? "double" : "string";
      yield `  <key id="${keyId(domain, name)}" for="${domain}" attr.name="${name}" attr.type="${type}"/>\n`;
    }
  }
}

// Nodes, edges and the graph share key names, but an id may be declared only once.
function keyId(domain: Domain, name: string): string {
  return domain === "graph" || name === shared.label ? `${domain}.${name}` : name;
}

function lines(entries: { domain: Domain; data: Entry[] }, indent: string): string {
  return entries.data
    .map(([key, text]) => `${indent}<data key="${keyId(entries.domain, key)}">${escapeXml(text)}</data>\n`)
    .join("");
}

function graphEntries({ name, description }: Pick<ExportParts, "name" | "description">) {
  const data: Entry[] = [[own.format, ownFormat], ...readable("name", own.name, name)];
  data.push(...readable(shared.description, own.description, description));
  return { domain: "graph" as const, data };
}

function nodeEntries(node: ExportNode) {
  const data: Entry[] = [
    ...readable(shared.label, own.name, node.name),
    ...readable(shared.description, own.description, node.description),
    [shared.class, node.class],
    [shared.x, String(node.position.x)],
    [shared.y, String(node.position.y)],
    ...optional(shared.colour, node.colour),
    [own.position, encodeJson(node.position)],
    [own.sourceCode, encodeText(node.source_code)],
    [own.api, encodeJson(node.api)],
    [own.body, encodeJson(node.body)],
    [own.tags, encodeJson(node.tags)],
    ...optional(own.locked, node.locked?.toString()),
    ...optional(own.order, node.order?.toString()),
    ...optional(own.git, node.git),
    ...optional(own.gitBranch, node.git_branch),
  ];
  return { domain: "node" as const, data };
}

function edgeEntries({ transmitter, receiver, segments, is_field, text }: ExportEdge) {
  const data: Entry[] = [
    ...(text === undefined ? [] : readable(shared.label, own.text, text)),
    [own.transmitter, encodeText(transmitter)],
    [own.receiver, encodeText(receiver)],
    [own.segments, encodeJson(segments)],
    ...optional(own.isField, is_field?.toString()),
  ];
  return { domain: "edge" as const, data };
}

/** Writes the plain key for other programs, and ours too where the plain one loses something. */
function readable(key: string, ownKey: string, text: string): Entry[] {
  return isReadable(text)
    ? [[key, text]]
    : [
        [key, readableText(text)],
        [ownKey, encodeText(text)],
      ];
}

function optional(key: string, text: string | null | undefined): Entry[] {
  return text === null || text === undefined ? [] : [[key, encodeText(text)]];
}
