import { importedNodeSource, type SourceAttribute } from "@miranda/contract/graph/graphml-source.ts";
import type { ImportedEdge, ImportedGraph, ImportedNode } from "@miranda/contract/graph/graphml-types.ts";
import { parseNodeApi } from "@miranda/contract/graph/node-api.ts";
import { policyTransmitter } from "@miranda/contract/graph/policy-fields.ts";
import type { Attribute, Control, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";
import { ComputePolicy, StoragePolicy } from "@miranda/contract/schemas/policies.ts";

import { newId } from "../../platform/crypto.ts";
import type { EdgeInsert, NodeInsert } from "./graphs-queries.ts";

export interface ImportedRows {
  nodes: string[];
  edges: string[];
  report: ImportReport;
}

const rowsAtOnce = 500;

/** The rows of an imported graph as JSON parts, moved down by `top` so that they do not lie on what is there. */
export function toRows(graph: ImportedGraph, top: number): ImportedRows {
  const notes = [...graph.notes];
  const edges = separateParallels(graph, notes);
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

/** Two edges may not join the same two ports, so a second one between the same nodes gets a receiver of its own. */
function separateParallels(graph: ImportedGraph, notes: string[]): ImportedEdge[] {
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  const taken = new Set<string>();
  const kept: ImportedEdge[] = [];
  for (const edge of graph.edges) {
    const target = nodes.get(edge.targetKey);
    let receiver = edge.receiver;
    for (let copy = 2; taken.has(join(edge, receiver)); copy++) receiver = `${edge.receiver}_${copy}`;
    if (receiver !== edge.receiver) {
      if (!target || target.source_code !== undefined) {
        notes.push("An edge that stood twice in the file was kept once.");
        continue;
      }
      if (!target.receivers.includes(receiver)) target.receivers.push(receiver);
    }
    taken.add(join(edge, receiver));
    kept.push({ ...edge, receiver });
  }
  return kept;
}

function join(edge: ImportedEdge, receiver: string): string {
  return JSON.stringify([edge.sourceKey, edge.transmitter, edge.targetKey, receiver]);
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
    git: node.git ?? null,
    git_branch: node.git_branch ?? null,
    update_policy: null,
  };
}

function foreignCode(node: ImportedNode): { api: NodeApi; field_values: object; source_code: string } {
  if (node.class !== "Code_block") {
    return { api: { ...emptyApi, attributes: [policyTransmitter(node.class)] }, field_values: {}, source_code: "" };
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

/** What our own export wrote: the declared api and, beside it, what people had set. */
function ownCode(node: ImportedNode): { api: NodeApi; field_values: object; source_code: string } {
  const given = (node.api ?? {}) as { declared?: unknown; values?: unknown };
  const values = given.values;
  return {
    api: parseNodeApi(given.declared ?? given),
    field_values: typeof values === "object" && values !== null && !Array.isArray(values) ? values : {},
    source_code: node.source_code ?? "",
  };
}

/** A policy's body decides what a processor gets, so a file's word for it is checked like a person's. */
function policyBody(node: ImportedNode, notes: string[]): unknown {
  if (node.class === "Code_block") return null;
  const parsed = (node.class === "compute_policy" ? ComputePolicy : StoragePolicy).safeParse(node.body);
  if (parsed.success) return parsed.data;
  if (node.body) notes.push(`The settings of the policy ${node.name} could not be used.`);
  return null;
}

function toEdgeInsert(edge: ImportedEdge): EdgeInsert {
  return {
    source: edge.sourceKey,
    transmitter: edge.transmitter,
    target: edge.targetKey,
    receiver: edge.receiver,
    segments: Array.isArray(edge.segments) ? edge.segments : [],
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

/** PostgreSQL stores neither null characters nor halves of surrogate pairs. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\u0000", "\ufffd");
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]));
}
