import { bodyAttributes, newBody } from "@miranda/contract/graph/new-node.ts";
import { bodySchemas } from "@miranda/contract/schemas/node-bodies.ts";
import { usableBranch, usableRepository } from "@miranda/contract/graph/git-address.ts";
import { importedNodeSource, type SourceAttribute } from "./graphml/map/node-source.ts";
import type { ImportedEdge, ImportedGraph, ImportedNode } from "./graphml/types.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { isRecord } from "@miranda/contract/json.ts";
import type { Attribute, Control, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";

import { Position } from "@miranda/contract/schemas/nodes.ts";
import { z } from "zod";

import { newId } from "../../platform/crypto.ts";
import { storable } from "../../platform/database/storable-json.ts";
import type { EdgeInsert, NodeInsert } from "../../model/graph-inserts.ts";

export interface ImportedRows {
  nodes: string[];
  edges: string[];
  report: ImportReport;
}

const rowsAtOnce = 500;

/** The rows of an imported graph as JSON parts, moved down by `top` so that they do not cover existing nodes. */
export function toRows(graph: ImportedGraph, top: number): ImportedRows {
  const notes = [...graph.notes];
  const edges = withoutDoubles(graph.edges, notes);
  const nodes = graph.nodes.map((node) => toNodeInsert(node, top, notes));
  return {
    nodes: inParts(nodes),
    edges: inParts(edges.map(toEdgeInsert)),
    report: {
      nodes: nodes.length,
      edges: edges.length,
      groups: graph.groups.length,
      notes: [...new Set(notes)],
    },
  };
}

/** Parallel edges have separate receivers by now. Remaining duplicates were written by hand into our own format. */
function withoutDoubles(edges: ImportedEdge[], notes: string[]): ImportedEdge[] {
  const seen = new Set<string>();
  return edges.filter(({ sourceKey, transmitter, targetKey, receiver }) => {
    const ends = JSON.stringify([sourceKey, transmitter, targetKey, receiver]);
    if (seen.has(ends)) notes.push("An edge that stood twice in the file was kept once.");
    const isNew = !seen.has(ends);
    seen.add(ends);
    return isNew;
  });
}

function toNodeInsert(node: ImportedNode, top: number, notes: string[]): NodeInsert {
  const { api, field_values, source_code } = node.source_code === undefined ? foreignCode(node) : ownCode(node);
  return {
    ref: node.key,
    id: newId(),
    class: node.class,
    name: node.name,
    description: node.description,
    order: node.order ?? 0,
    x: node.position.x,
    y: node.position.y + top,
    colour: node.colour ?? null,
    api,
    field_values,
    body: policyBody(node, notes),
    source_code,
    tags: node.tags ?? [...new Set(node.groupPath)],
    locked: node.locked ?? false,
    git: repository(node, notes),
    git_branch: usableBranch(node.git_branch),
    update_policy: null,
  };
}

function foreignCode(node: ImportedNode): { api: NodeApi; field_values: object; source_code: string } {
  if (node.class !== "Code_block") {
    return { api: { ...emptyApi, attributes: bodyAttributes(node.class) }, field_values: {}, source_code: "" };
  }
  const { source_code, attributes } = importedNodeSource(node);
  return { api: { ...emptyApi, attributes: attributes.map(toAttribute) }, field_values: {}, source_code };
}

const emptyApi = { compiled: true, error: null, disabled: false } as const;

function toAttribute({ name, kind, direction, value }: SourceAttribute): Attribute {
  const control = direction === "RECEIVER_FIELD" ? (controls[kind] ?? { type: "text" }) : null;
  return { name, kind, direction, value, is_connected: false, control, edge_text: "", shown_when: null };
}

const controls: Record<string, Control> = {
  int: { type: "number", step: 1 },
  float: { type: "number" },
  boolean: { type: "toggle" },
};

/** The declared api and the set values, as our own export wrote them. */
function ownCode(node: ImportedNode): { api: NodeApi; field_values: object; source_code: string } {
  const given = node.api ?? {};
  const { declared, values } = isRecord(given) ? given : {};
  return {
    api: parseNodeApi(declared ?? given),
    field_values: isRecord(values) ? values : {},
    source_code: node.source_code ?? "",
  };
}

/** A policy's body decides what a processor gets, so a file's values are checked like a person's. */
function policyBody(node: ImportedNode, notes: string[]): unknown {
  if (node.class === "Code_block") return null;
  const parsed = bodySchemas[node.class].safeParse(node.body);
  if (parsed.success) return parsed.data;
  if (node.body) notes.push(`The settings of ${node.name} could not be used.`);
  return node.class === "note" ? newBody.note : null;
}

/** Only addresses that git reaches over the network: a path or a helper program would run on the server. */
function repository(node: ImportedNode, notes: string[]): string | null {
  if (!node.git) return null;
  const git = usableRepository(node.git);
  if (git !== null) return git;
  notes.push(`The git repository of ${node.name} could not be used.`);
  return null;
}

const Segments = z.array(Position);

function toEdgeInsert(edge: ImportedEdge): EdgeInsert {
  return {
    source: edge.sourceKey,
    transmitter: edge.transmitter,
    target: edge.targetKey,
    receiver: edge.receiver,
    segments: Segments.safeParse(edge.segments).data ?? [],
    label: edge.text ?? "",
  };
}

function inParts(rows: object[]): string[] {
  const parts: string[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    parts.push(JSON.stringify(rows.slice(at, at + rowsAtOnce).map(storable)));
  }
  return parts;
}
