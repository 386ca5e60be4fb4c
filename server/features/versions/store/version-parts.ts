import type { Attribute, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { VersionEdge, VersionGroup, VersionNode, VersionPart } from "@miranda/contract/schemas/versions.ts";
import { isRecord } from "@miranda/contract/json.ts";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";

import { AppError } from "../../../platform/errors/app-error.ts";
import { mapInSlices } from "../../../platform/time-slicing.ts";
import { filesIn } from "../../../model/graph-files-queries.ts";
import { type VersionContent, versionEdgeKey } from "../version-content.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
// The fastest one. Higher levels take three times as long and save a tenth.
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const numbersPerPart = 64;
/** Characters of nodes in one part. Writing or reading a larger one would keep others waiting. */
const textPerPart = 1_000_000;

/** A part as it is stored. The same content has the same text, and so the same hash. */
export interface PackedPart {
  hash: Buffer;
  text: string;
  /** What is stored, when it was compressed ahead of time. */
  compressed?: Buffer;
  /** The hashes of the files that values name. */
  files: string[];
}

/** Some nodes as JSON, with the edges that leave them. */
interface Block {
  /** The numbers of its nodes share all but their last bits. */
  number: number;
  /** What its nodes declare, as text, each once, and its place in the list. */
  apis: Map<string, number>;
  nodes: string[];
  length: number;
  edges: VersionEdge[];
}

const emptyBlock = (number: number): Block => ({ number, apis: new Map(), nodes: [], length: 0, edges: [] });

/** Splits a version by the numbers of its nodes. A change of one node changes one part, or few when they are large. */
export async function packParts(content: VersionContent): Promise<PackedPart[]> {
  const apis = new Map<NodeApi, string>();
  const nodes = [...content.nodes.values()].toSorted(
    (one, other) => one.metadata_id - other.metadata_id || compareText(one.lineage, other.lineage),
  );
  const blocks: Block[] = [];
  const blockOf = new Map<string, Block>();
  await mapInSlices(nodes, (node) => {
    const api = apis.get(node.api) ?? JSON.stringify(orderedApi(node.api));
    apis.set(node.api, api);
    const text = nodeText(node);
    const number = Math.floor(node.metadata_id / numbersPerPart);
    let block = blocks.at(-1);
    if (block?.number !== number || block.length + text.length + api.length > textPerPart)
      blocks.push((block = emptyBlock(number)));
    addNode(block, text, api);
    blockOf.set(node.lineage, block);
  });
  for (const edge of content.edges.values())
    if (content.nodes.has(edge.target)) blockOf.get(edge.source)?.edges.push(edge);
  const parts: PackedPart[] = await mapInSlices(blocks, (block) => packed(partText(block, [])));
  if (content.groups.size > 0) parts.push(packed(partText(emptyBlock(0), [...content.groups.values()])));
  return parts;
}

/** `text` is the node without its api, which is named by its place. */
function addNode(block: Block, text: string, api: string): void {
  const place = block.apis.get(api) ?? block.apis.size;
  if (place === block.apis.size) block.length += api.length;
  block.apis.set(api, place);
  block.nodes.push(`${text.slice(0, -1)},"api":${place}}`);
  block.length += text.length;
}

export async function compressPart({ text, compressed }: PackedPart): Promise<Buffer> {
  return compressed ?? compress(text, options);
}

/**
 * Refuses a part that storage has damaged. Nothing else is checked: only we write parts. `apis` are those that were read
 * already, by their text: the nodes of a whole version share them.
 */
export async function unpackPart(stored: Buffer, apis: Map<string, NodeApi>): Promise<VersionPart> {
  try {
    const part: unknown = JSON.parse((await decompress(stored)).toString("utf8"));
    if (isPart(part)) return { ...part, nodes: withApis(part, apis) };
  } catch {
    // Refused below.
  }
  throw new AppError("version_damaged");
}

/**
 * Most nodes of a workflow declare what others declare too, so a part has each api once, as text, and its nodes name it by
 * its place in the list. Parts of before have the api in each node.
 */
type StoredPart = Omit<VersionPart, "nodes"> & {
  apis?: readonly string[];
  nodes: (Omit<VersionNode, "api"> & { api: number | NodeApi })[];
};

function isPart(part: unknown): part is StoredPart {
  return isRecord(part) && [part["nodes"], part["edges"], part["groups"]].every(Array.isArray);
}

function withApis({ apis: texts = [], nodes }: StoredPart, known: Map<string, NodeApi>): VersionNode[] {
  const apis = texts.map((text) => {
    const api = known.get(text) ?? readApi(text);
    known.set(text, api);
    return api;
  });
  return nodes.map((node) => {
    const api = typeof node.api === "number" ? apis[node.api] : node.api;
    if (!api) throw new AppError("version_damaged");
    return { ...node, api };
  });
}

function readApi(text: string): NodeApi {
  const api: unknown = JSON.parse(text);
  if (!isApi(api)) throw new AppError("version_damaged");
  return api;
}

function isApi(api: unknown): api is NodeApi {
  return isRecord(api) && Array.isArray(api["attributes"]);
}

function packed(text: string): PackedPart {
  const files = text.includes('"file":"') ? [...new Set(filesIn(text))] : [];
  return { hash: createHash("sha256").update(text).digest(), text, files };
}

function partText({ apis, nodes, edges }: Block, groups: VersionGroup[]): string {
  const lines = edges
    .map((edge) => [versionEdgeKey(edge), edge] as const)
    .toSorted(([one], [other]) => compareText(one, other));
  const frames = groups.toSorted((one, other) => compareText(one.lineage, other.lineage));
  return (
    `{"apis":${JSON.stringify([...apis.keys()])},"nodes":[${nodes.join(",")}],` +
    `"edges":[${lines.map(([, edge]) => edgeText(edge)).join(",")}],` +
    `"groups":[${frames.map(groupText).join(",")}]}`
  );
}

// The order of keys is fixed here, whatever order an object has: another order would be another part.

function nodeText(node: VersionNode): string {
  const { template } = node;
  return JSON.stringify({
    lineage: node.lineage,
    metadata_id: node.metadata_id,
    class: node.class,
    name: node.name,
    description: node.description,
    order: node.order,
    position: { x: node.position.x, y: node.position.y },
    colour: node.colour,
    tags: node.tags,
    locked: node.locked,
    values: ordered(node.values),
    body: ordered(node.body ?? null),
    source_code: node.source_code,
    git: node.git,
    git_branch: node.git_branch,
    update_policy: node.update_policy,
    template: template && { id: template.id, ref: template.ref, version: template.version },
  });
}

function orderedApi({ compiled, error, disabled, attributes }: NodeApi): object {
  return { compiled, error, disabled, attributes: attributes.map(orderedAttribute) };
}

function orderedAttribute(attribute: Attribute): object {
  return {
    name: attribute.name,
    kind: attribute.kind,
    direction: attribute.direction,
    value: ordered(attribute.value ?? null),
    default: ordered(attribute.default),
    is_connected: attribute.is_connected,
    control: ordered(attribute.control),
    edge_text: attribute.edge_text,
    shown_when: ordered(attribute.shown_when),
    optional: attribute.optional,
  };
}

function edgeText({ source, transmitter, target, receiver, segments, label }: VersionEdge): string {
  const bends = segments.map(({ x, y }) => ({ x, y }));
  return JSON.stringify({ source, transmitter, target, receiver, segments: bends, label });
}

function groupText({ lineage, name, colour, collapsed, members }: VersionGroup): string {
  return JSON.stringify({ lineage, name, colour, collapsed, members: members.toSorted(compareText) });
}

/** The same JSON value with the keys of its objects in one order. */
function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => compareText(one, other))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
