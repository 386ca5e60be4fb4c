import { storedClasses } from "@miranda/contract/graph/node-classes.ts";

/** Plain types between the GraphML text and the rest of Miranda. They know neither the database nor XML. */

export const graphmlLimits = {
  bytes: 64 * 1024 * 1024,
  nodes: 50_000,
  edges: 200_000,
  depth: 256,
  attributesPerNode: 200,
  nameLength: 200,
  textLength: 10_000,
  notes: 100,
  /** Default values are written once and apply to every node: without this a small file expands to gigabytes. */
  unfoldedLength: 64 * 1024 * 1024,
} as const;
export type GraphmlLimits = { readonly [name in keyof typeof graphmlLimits]: number };

export interface Position {
  x: number;
  y: number;
}

export const importedClasses = storedClasses;
export type ImportedClass = (typeof importedClasses)[number];

export type AttributeKind = "string" | "int" | "float" | "boolean";
export type AttributeValue = string | number | boolean;

export interface ImportedAttribute {
  name: string;
  kind: AttributeKind;
  value: AttributeValue;
}

export interface ImportedNode {
  /** The id in the file, made unique when the file holds several graphs that share ids. */
  key: string;
  name: string;
  description: string;
  position: Position;
  /** Always `#rrggbb`. */
  colour?: string;
  class: ImportedClass;
  attributes: ImportedAttribute[];
  /** The names of the file's ports. */
  ports: string[];
  /** Python identifiers of the receivers and transmitters made for those ports, beside the default ones. */
  receivers: string[];
  transmitters: string[];
  /** Names of the groups around this node, the outermost first. */
  groupPath: string[];
  /** Stands for a hyperedge. */
  junction?: true;
  /** The following comes only from a file that Miranda exported. */
  source_code?: string;
  api?: unknown;
  body?: unknown;
  tags?: string[];
  locked?: boolean;
  order?: number;
  git?: string | null;
  git_branch?: string | null;
}

export interface ImportedEdge {
  sourceKey: string;
  targetKey: string;
  transmitter: string;
  receiver: string;
  directed: boolean;
  text?: string;
  segments?: unknown;
  is_field?: boolean;
}

export interface ImportedGroup {
  path: string[];
  /** The node that holds the nested graph; a graph directly inside a graph has none. */
  nodeKey?: string;
}

export interface ImportedGraph {
  name?: string;
  description?: string;
  nodes: ImportedNode[];
  edges: ImportedEdge[];
  groups: ImportedGroup[];
  notes: string[];
}

export interface ExportNode {
  key: number;
  class: ImportedClass;
  name: string;
  description: string;
  position: Position;
  colour?: string;
  source_code: string;
  api: unknown;
  body: unknown;
  tags: string[];
  locked?: boolean;
  order?: number;
  git: string | null;
  git_branch: string | null;
}

export interface ExportEdge {
  source: number;
  transmitter: string;
  target: number;
  receiver: string;
  segments: unknown;
  is_field?: boolean;
  text?: string;
}

/** A graph to write. Its nodes come in parts, because a large graph is not held in memory as objects. */
export interface ExportParts {
  name: string;
  description: string;
  nodes: Iterable<readonly ExportNode[]> | AsyncIterable<readonly ExportNode[]>;
  edges: readonly ExportEdge[];
}
