import { isRecord, readJson } from "@miranda/contract/json.ts";
import { node as limits, nodeFile, version as versionLimits, workflowFiles } from "@miranda/contract/limits.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import { jsonLength } from "@miranda/contract/schemas/forms.ts";
import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";
import { createHash } from "node:crypto";
import { parse, TomlDate, TomlError } from "smol-toml";

import { AppError } from "../../../platform/errors/app-error.ts";
import { storable } from "../../../platform/database/storable-json.ts";
import { versionEdgeKey } from "../../versions/version-content.ts";
import { sameNameKey } from "./file-names.ts";
import { FolderFile, type FolderEdge, tomlName, WorkflowToml } from "./workflow-toml.ts";

/** A node as its folder describes it. What its code declares, and its template, are not in the folder. */
export type FolderContentNode = Omit<VersionNode, "api" | "metadata_id" | "template" | "update_policy"> & {
  key: string;
  disabled: boolean;
  /** It has a place in `[layout]`. */
  isPlaced: boolean;
};

export interface ReadFolder {
  name: string | undefined;
  description: string;
  /** The version that the folder was exported from. */
  origin: { graphId: string; versionId: string } | undefined;
  nodes: readonly FolderContentNode[];
  edges: ReadonlyMap<string, VersionEdge>;
  groups: ReadonlyMap<string, VersionGroup>;
  /** The content of uploaded files, by hash. */
  uploads: ReadonlyMap<string, Buffer>;
}

type Files = ReadonlyMap<string, Buffer>;

/** What a folder says, or a refusal that names the file and the entry. `sdk` is the version of this server. */
export function readFolder(files: Files, sdk: string): ReadFolder {
  const toml = parseToml(textOf(files, tomlName));
  refuseNewerSdk(toml, sdk);
  refuseSameNames(toml);
  refuseStrangeCode(files, toml);
  const uploads = new Map<string, Buffer>();
  const seed = toml.workflow.id ?? toml.workflow.name ?? "";
  const lineages = lineagesOf(toml, seed);
  const nodes = Object.keys(toml.nodes).map((key) => readNode(files, toml, key, lineages, uploads));
  return {
    name: toml.workflow.name,
    description: toml.workflow.description,
    origin:
      toml.workflow.id && toml.workflow.version
        ? { graphId: toml.workflow.id, versionId: toml.workflow.version }
        : undefined,
    nodes,
    edges: readEdges(toml.graph.edges, lineages),
    groups: readGroups(toml, lineages, seed),
    uploads,
  };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function refuse(words: string): never {
  throw new AppError("workflow_files_invalid", `${words} Nothing was imported.`);
}

function textOf(files: Files, path: string): string {
  const file = files.get(path);
  if (!file) refuse(`The file ${path} is missing.`);
  try {
    return decoder.decode(file);
  } catch {
    return refuse(`The file ${path} is not UTF-8 text.`);
  }
}

function parseToml(text: string): WorkflowToml {
  if (text.length > workflowFiles.tomlMax) throw new AppError("workflow_files_too_large");
  const parsed = WorkflowToml.safeParse(tableIn(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.map(String).join(".");
  const unknown = issue?.code === "unrecognized_keys" ? `There is no entry ${issue.keys.join(", ")} here.` : undefined;
  return refuse(`${tomlName}${place ? `, ${place}` : ""}: ${unknown ?? issue?.message ?? "It cannot be read."}`);
}

function tableIn(text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ""), { maxDepth: 200 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const words = error.message.split("\n")[0]?.replace("Invalid TOML document: ", "") ?? "";
    return refuse(`${tomlName}, line ${error.line}: ${words}.`);
  }
}

/** A folder of an older version can always be read. */
function refuseNewerSdk(toml: WorkflowToml, own: string): void {
  const needed = [
    { sdk: toml.sdk, what: "This workflow" },
    ...Object.entries(toml.nodes).flatMap(([key, { sdk }]) => (sdk ? [{ sdk, what: `The node ${key}` }] : [])),
  ];
  for (const { sdk, what } of needed) {
    const [major, minor] = versionParts(sdk) ?? refuse(`${tomlName}: ${sdk} is not a version of the SDK.`);
    const [ownMajor, ownMinor] = versionParts(own) ?? [0, 0];
    if (major > ownMajor || (major === ownMajor && minor > ownMinor))
      throw new AppError(
        "sdk_differs",
        `${what} needs version ${sdk} of the SDK. This server has ${own}. Nothing was imported.`,
      );
  }
}

function versionParts(text: string): [number, number] | undefined {
  const found = /^(\d{1,6})\.(\d{1,6})(?:\.[\w.+-]*)?$/.exec(text);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/** On many laptops two such files would be one. */
function refuseSameNames({ nodes }: WorkflowToml): void {
  if (Object.keys(nodes).length > versionLimits.nodesMax) throw new AppError("too_many_nodes");
  const seen = new Map<string, string>();
  for (const key of Object.keys(nodes)) {
    const other = seen.get(sameNameKey(key));
    if (other !== undefined) refuse(`${tomlName}: The nodes ${other} and ${key} have the same name.`);
    seen.set(sameNameKey(key), key);
  }
}

/** Code that no node uses would be lost without a word. */
function refuseStrangeCode(files: Files, { nodes, values, settings, layout }: WorkflowToml): void {
  for (const path of files.keys()) {
    const key = /^nodes\/([^/]+)\.py$/.exec(path)?.[1];
    if (key === undefined) continue;
    const node = Object.hasOwn(nodes, key) ? nodes[key] : undefined;
    if (!node) refuse(`The file ${path} belongs to no node. Add [nodes.${key}] to ${tomlName}, or remove the file.`);
    if (node.class !== "Code_block")
      refuse(`The node ${key} is a ${node.class === "note" ? "note" : "policy"} and has no code. Remove ${path}.`);
  }
  for (const [table, entries] of Object.entries({ values, settings, layout }))
    for (const key of Object.keys(entries))
      if (!Object.hasOwn(nodes, key)) refuse(`${tomlName}, ${table}.${key}: There is no node ${key}.`);
}

/** A new node's lineage comes from its name, so that the same folder sent twice does not make two nodes. */
function lineagesOf({ nodes }: WorkflowToml, seed: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const lineages = new Map<string, string>();
  for (const [key, { lineage }] of Object.entries(nodes)) {
    const own = lineage?.toLowerCase() ?? derivedId(`${seed}/nodes/${sameNameKey(key)}`);
    const other = owners.get(own);
    if (other !== undefined)
      refuse(`${tomlName}: The nodes ${other} and ${key} have the same lineage. Remove it from the copy.`);
    owners.set(own, key);
    lineages.set(key, own);
  }
  return lineages;
}

function derivedId(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function readNode(
  files: Files,
  toml: WorkflowToml,
  key: string,
  lineages: ReadonlyMap<string, string>,
  uploads: Map<string, Buffer>,
): FolderContentNode {
  const node = toml.nodes[key] ?? refuse(`There is no node ${key}.`);
  const place = toml.layout[key];
  const isCode = node.class === "Code_block";
  const source_code = isCode ? textOf(files, `nodes/${key}.py`) : "";
  if (source_code.length > limits.sourceCodeMax) throw new AppError("code_too_long");
  if (source_code.includes("\u0000")) refuse(`The file nodes/${key}.py contains a character that cannot be stored.`);
  const values = toml.values[key] ?? {};
  if (!isCode && Object.keys(values).length > 0) refuse(`The node ${key} has settings, not values.`);
  if (isCode && toml.settings[key]) refuse(`The node ${key} has code: it has values, not settings.`);
  if (Object.keys(values).length > limits.attributesMax) refuse(`The node ${key} has too many values.`);
  const { disabled, name, git, git_branch, lineage: _lineage, sdk: _sdk, ...fields } = node;
  return {
    ...fields,
    key,
    disabled,
    name: name ?? key,
    git: git || null,
    git_branch: git_branch || null,
    tags: [...new Set(node.tags)],
    lineage: lineages.get(key) ?? "",
    position: { x: place?.[0] ?? 0, y: place?.[1] ?? 0 },
    isPlaced: place !== undefined,
    values: storable(readEntries(values, `values.${key}`, { files, uploads })),
    body: toml.settings[key] ? storable(readEntries(toml.settings[key], `settings.${key}`)) : null,
    source_code,
  };
}

interface Uploading {
  files: Files;
  uploads: Map<string, Buffer>;
}

function readEntries(entries: Record<string, unknown>, place: string, uploading?: Uploading): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, given]) => {
      const value = readEntry(given, `${place}.${name}`, uploading);
      if (jsonLength(value) > limits.attributeValueMax)
        refuse(`${tomlName}, ${place}.${name}: A value can have at most ${limits.attributeValueMax} characters.`);
      return [name, value];
    }),
  );
}

/** A value as it stands, JSON in a text, or an uploaded file. */
function readEntry(given: unknown, place: string, uploading: Uploading | undefined): unknown {
  if (!isRecord(given)) return plainValue(given, place);
  if (typeof given["json"] === "string" && Object.keys(given).length === 1) {
    const value = readJson(given["json"]);
    return value === undefined ? refuse(`${tomlName}, ${place}: This is not JSON.`) : value;
  }
  if (uploading === undefined || !("file" in given)) return plainValue(given, place);
  const file = FolderFile.safeParse(given);
  if (!file.success) return refuse(`${tomlName}, ${place}: A file has a path, and may have a name and a type.`);
  return uploadedFile(file.data, uploading);
}

function uploadedFile({ file: path, name, type = "" }: FolderFile, { files, uploads }: Uploading): FileValue {
  const data = files.get(path) ?? refuse(`The file ${path} is missing.`);
  if (data.length > nodeFile.sizeMax) throw new AppError("file_too_large");
  const file = createHash("sha256").update(data).digest("hex");
  uploads.set(file, data);
  return { file, name: name ?? path.split("/").at(-1) ?? "file", size: data.length, type };
}

/** TOML has dates and infinities; values of nodes do not. */
function plainValue(value: unknown, place: string): unknown {
  if (value instanceof TomlDate) return refuse(`${tomlName}, ${place}: Write a date as text, in quotes.`);
  if (typeof value === "number" && !Number.isFinite(value))
    return refuse(`${tomlName}, ${place}: Write this number as text, in quotes.`);
  if (Array.isArray(value)) return value.map((inner) => plainValue(inner, place));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner, place)]));
}

function readEdges(edges: readonly FolderEdge[], lineages: ReadonlyMap<string, string>): Map<string, VersionEdge> {
  const found = new Map<string, VersionEdge>();
  for (const { from, to, label, via } of edges) {
    const [source, transmitter] = endOf(from, lineages, `${from} → ${to}`);
    const [target, receiver] = endOf(to, lineages, `${from} → ${to}`);
    const segments = via.map(([x, y]) => ({ x, y }));
    const edge: VersionEdge = { source, transmitter, target, receiver, segments, label };
    if (found.has(versionEdgeKey(edge))) refuse(`${tomlName}: The edge ${from} → ${to} stands there twice.`);
    found.set(versionEdgeKey(edge), edge);
  }
  return found;
}

function endOf(end: string, lineages: ReadonlyMap<string, string>, edge: string): [string, string] {
  const dot = end.indexOf(".");
  const [key, attribute] = [end.slice(0, Math.max(dot, 0)), end.slice(dot + 1)];
  if (dot < 1 || attribute === "") refuse(`${tomlName}: The end ${end} of an edge is not written as node.attribute.`);
  const lineage = lineages.get(key);
  if (lineage === undefined) refuse(`${tomlName}: The edge ${edge} leads to nowhere: there is no node ${key}.`);
  return [lineage, attribute];
}

function readGroups(
  { groups }: WorkflowToml,
  lineages: ReadonlyMap<string, string>,
  seed: string,
): Map<string, VersionGroup> {
  const found = new Map<string, VersionGroup>();
  for (const [key, { name, colour, collapsed, members, lineage: given }] of Object.entries(groups)) {
    const lineage = given?.toLowerCase() ?? derivedId(`${seed}/groups/${sameNameKey(key)}`);
    if (found.has(lineage)) refuse(`${tomlName}: Two groups have the lineage ${lineage}.`);
    const known = [...new Set(members)].map(
      (member) =>
        lineages.get(member) ?? refuse(`${tomlName}, groups.${key}: There is no node ${member} for this group.`),
    );
    found.set(lineage, { lineage, name: name ?? key, colour, collapsed, members: known });
  }
  return found;
}
