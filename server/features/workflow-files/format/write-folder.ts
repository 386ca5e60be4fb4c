import { isRecord } from "@miranda/contract/json.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { mapInSlices } from "../../../platform/time-slicing.ts";
import type { VersionContent } from "../../versions/version-content.ts";
import { createFileNames, nodeStem, uploadedName } from "./file-names.ts";
import { tomlKey, tomlText, tomlValue } from "./toml-text.ts";
import { folderFormat, tomlName } from "./workflow-toml.ts";

/** What a folder says of the workflow beside its content. */
export interface FolderOrigin {
  name: string;
  description: string;
  graphId: string;
  /** The version that the folder holds: what a later import is compared with. */
  versionId: string;
  sdk: string;
}

export interface WrittenFolder {
  /** By path. */
  texts: ReadonlyMap<string, string>;
  /** The path of each uploaded file, by its hash. */
  uploads: ReadonlyMap<string, string>;
}

/**
 * A version as files. Everything is in a stable order and every entry is a line of its own, so that two versions differ
 * only where somebody changed something. `stored` are the hashes of uploaded files whose content is there.
 */
export async function writeFolder(
  content: VersionContent,
  origin: FolderOrigin,
  stored: ReadonlySet<string>,
): Promise<WrittenFolder> {
  const keys = keysOf(content.nodes.values(), ({ name }) => nodeStem(name));
  const nodes = inOrder(content.nodes.values(), keys);
  const uploads = uploadPaths(nodes, stored);
  const texts = new Map<string, string>();
  texts.set(
    tomlName,
    [
      header(origin),
      ...(await mapInSlices(nodes, (node) => nodeTable(keyOf(keys, node), node))),
      ...(await mapInSlices(nodes, (node) => valueTable(keyOf(keys, node), node, uploads))),
      ...nodes.map((node) => settingsTable(keyOf(keys, node), node)),
      layoutTable(nodes, keys),
      edgeTable([...content.edges.values()], keys),
      ...groupTables([...content.groups.values()], keys),
    ]
      .filter((part) => part !== "")
      .join("\n"),
  );
  for (const node of nodes)
    if (node.class === "Code_block") texts.set(`nodes/${keyOf(keys, node)}.py`, node.source_code);
  return { texts, uploads };
}

type Keyed = Pick<VersionNode, "lineage">;
type Keys = ReadonlyMap<string, string>;

const keyOf = (keys: Keys, { lineage }: Keyed): string => keys.get(lineage) ?? "";

/** Of several with the same name, the oldest has the name without a number. It stays so when others are added. */
function keysOf(nodes: Iterable<VersionNode>, stemOf: (node: VersionNode) => string): Keys {
  const names = createFileNames();
  const oldestFirst = [...nodes].sort(
    (one, other) => one.metadata_id - other.metadata_id || compare(one.lineage, other.lineage),
  );
  return new Map(oldestFirst.map((node) => [node.lineage, names.take(stemOf(node))]));
}

function inOrder(nodes: Iterable<VersionNode>, keys: Keys): VersionNode[] {
  return [...nodes].sort((one, other) => compare(keyOf(keys, one), keyOf(keys, other)));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function header({ name, description, graphId, versionId, sdk }: FolderOrigin): string {
  return [
    "# A Miranda workflow. The code of each node is in nodes/, uploaded files are in files/.",
    `format = ${folderFormat}`,
    `sdk = ${tomlText(sdk)}`,
    "",
    "[workflow]",
    `name = ${tomlText(name)}`,
    ...(description === "" ? [] : [`description = ${tomlText(description)}`]),
    `id = ${tomlText(graphId)}`,
    `version = ${tomlText(versionId)}`,
    "",
  ].join("\n");
}

function nodeTable(key: string, node: VersionNode): string {
  const lines = [
    `[nodes.${tomlKey(key)}]`,
    `name = ${tomlText(node.name)}`,
    ...(node.class === "Code_block" ? [] : [`class = ${tomlText(node.class)}`]),
    ...(node.description === "" ? [] : [`description = ${tomlText(node.description)}`]),
    ...(node.order === 0 ? [] : [`order = ${node.order}`]),
    ...(node.colour === null ? [] : [`colour = ${tomlText(node.colour)}`]),
    ...(node.tags.length === 0 ? [] : [`tags = ${tomlValue(node.tags) ?? "[]"}`]),
    ...(node.api.disabled ? ["disabled = true"] : []),
    ...(node.locked ? ["locked = true"] : []),
    ...(node.git === null ? [] : [`git = ${tomlText(node.git)}`]),
    ...(node.git_branch === null ? [] : [`git_branch = ${tomlText(node.git_branch)}`]),
    `lineage = ${tomlText(node.lineage)}`,
    "",
  ];
  return lines.join("\n");
}

function valueTable(key: string, { values }: VersionNode, uploads: Keys): string {
  return table(`values.${tomlKey(key)}`, values, (value) => {
    const file = FileValue.safeParse(value);
    const path = file.success ? uploads.get(file.data.file) : undefined;
    if (!file.success || path === undefined) return entryValue(value);
    const { name, type } = file.data;
    const isNamed = path === `files/${name}`;
    return tomlValue({ file: path, ...(!isNamed && { name }), ...(type !== "" && { type }) });
  });
}

function settingsTable(key: string, { body }: VersionNode): string {
  return isRecord(body) ? table(`settings.${tomlKey(key)}`, body, entryValue) : "";
}

function table(name: string, entries: Record<string, unknown>, textOf: (value: unknown) => string | undefined): string {
  const lines = Object.keys(entries)
    .sort(compare)
    .map((key) => `${tomlKey(key)} = ${textOf(entries[key]) ?? jsonText(entries[key])}`);
  return lines.length === 0 ? "" : [`[${name}]`, ...lines, ""].join("\n");
}

/** What TOML cannot hold, or what would be taken for one of our own marks, is JSON in a text. */
function entryValue(value: unknown): string | undefined {
  if (typeof value === "string") return tomlText(value);
  return isRecord(value) && ("file" in value || "json" in value) ? undefined : tomlValue(value);
}

function jsonText(value: unknown): string {
  return `{ json = ${tomlValue(JSON.stringify(value) ?? "null") ?? '"null"'} }`;
}

function uploadPaths(nodes: readonly VersionNode[], stored: ReadonlySet<string>): Keys {
  const names = createFileNames();
  const paths = new Map<string, string>();
  for (const { values } of nodes)
    for (const key of Object.keys(values).sort(compare)) {
      const file = FileValue.safeParse(values[key]);
      if (!file.success || paths.has(file.data.file) || !stored.has(file.data.file)) continue;
      const { stem, ending } = uploadedName(file.data.name);
      paths.set(file.data.file, `files/${names.take(stem, ending)}`);
    }
  return paths;
}

function layoutTable(nodes: readonly VersionNode[], keys: Keys): string {
  if (nodes.length === 0) return "";
  const lines = nodes.map(({ position: { x, y }, ...node }) => {
    return `${tomlKey(keyOf(keys, node))} = [${x}, ${y}]`;
  });
  return ["[layout]", ...lines, ""].join("\n");
}

function edgeTable(edges: readonly VersionEdge[], keys: Keys): string {
  if (edges.length === 0) return "";
  const lines = edges.map((edge) => {
    const from = `${keys.get(edge.source) ?? ""}.${edge.transmitter}`;
    const to = `${keys.get(edge.target) ?? ""}.${edge.receiver}`;
    return `  ${
      tomlValue({
        from,
        to,
        ...(edge.label !== "" && { label: edge.label }),
        ...(edge.segments.length > 0 && { via: edge.segments.map(({ x, y }) => [x, y]) }),
      }) ?? ""
    },`;
  });
  return ["[graph]", "edges = [", ...lines.sort(compare), "]", ""].join("\n");
}

function groupTables(groups: readonly VersionGroup[], keys: Keys): string[] {
  const names = createFileNames();
  const sorted = groups.toSorted((one, other) => compare(one.name, other.name) || compare(one.lineage, other.lineage));
  return sorted.map((group) => {
    const members = group.members.flatMap((lineage) => keys.get(lineage) ?? []).sort(compare);
    return [
      `[groups.${tomlKey(names.take(nodeStem(group.name)))}]`,
      `name = ${tomlText(group.name)}`,
      ...(group.colour === null ? [] : [`colour = ${tomlText(group.colour)}`]),
      ...(group.collapsed ? ["collapsed = true"] : []),
      `lineage = ${tomlText(group.lineage)}`,
      "members = [",
      ...members.map((member) => `  ${tomlText(member)},`),
      "]",
      "",
    ].join("\n");
  });
}
