import { model as limits } from "@miranda/contract/limits.ts";
import type { Lineage, LineageNode } from "@miranda/contract/schemas/models/lineage.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import { fileSize } from "@miranda/contract/words/file-size.ts";

/** Nodes and edges of a lineage while they are collected. Of each kind only so many are drawn. */
export interface Picture {
  nodes: Map<string, LineageNode>;
  edges: Map<string, { from: string; to: string }>;
  cut: boolean;
}

export const emptyPicture = (): Picture => ({ nodes: new Map(), edges: new Map(), cut: false });

type Given = Pick<LineageNode, "id" | "kind" | "label"> & Partial<LineageNode>;

/** False when there are too many of its kind. */
export function draw(picture: Picture, node: Given): boolean {
  if (picture.nodes.has(node.id)) return true;
  const count = [...picture.nodes.values()].filter(({ kind }) => kind === node.kind).length;
  if (count >= limits.lineageMax) {
    picture.cut = true;
    return false;
  }
  picture.nodes.set(node.id, { detail: "", facts: [], address: null, gone: false, cost: null, ...node });
  return true;
}

/** Only between nodes that are drawn. */
export function join(picture: Picture, from: string, to: string): void {
  if (picture.nodes.has(from) && picture.nodes.has(to)) picture.edges.set(`${from} ${to}`, { from, to });
}

export function drawn({ nodes, edges, cut }: Picture): Pick<Lineage, "nodes" | "edges" | "cut"> {
  return { nodes: [...nodes.values()], edges: [...edges.values()], cut };
}

export function fact(label: string, value: string | number | null | undefined): LineageNode["facts"] {
  return value === null || value === undefined || value === "" ? [] : [{ label, value: String(value) }];
}

export function drawFile(picture: Picture, file: FileValue, address: string | null, user: string): void {
  const id = `file ${file.file}`;
  const facts = [...fact("SHA-256", file.file), ...fact("Size", fileSize(file.size)), ...fact("Type", file.type)];
  draw(picture, { id, kind: "file", label: file.name, detail: file.file.slice(0, 12), facts, address });
  join(picture, id, user);
}
