import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { newPolicyBody } from "@miranda/contract/graph/new-node.ts";
import { policyTransmitter, withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { Attribute, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { PasteBody, PastedEdge, PastedNode } from "@miranda/contract/schemas/changes.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";
import { node as limits } from "@miranda/contract/limits.ts";

import { AppError } from "../../platform/app-error.ts";
import { newId } from "../../platform/crypto.ts";
import { withoutCredentials } from "../graphs/graph-content.ts";
import type { EdgeInsert, NodeInsert } from "../graphs/graphs-service.ts";
import { policyBody } from "./node-patch.ts";

/** The rows of copied nodes and edges. */
export function pastedRows({ nodes, edges, position }: PasteBody): { nodes: NodeInsert[]; edges: EdgeInsert[] } {
  const shift = shiftTo(nodes, position);
  const rows = nodes.map((node) => toNodeInsert(node, shift));
  const byRef = new Map(rows.map((row, at) => [row.ref, { key: at, attributes: (row.api as NodeApi).attributes }]));
  if (byRef.size < rows.length) throw new AppError("bad_request", "Two pasted nodes have the same key.");
  const joined = new Map<string, EdgeInsert>();
  for (const edge of edges) {
    const [source, target] = [byRef.get(edge.source_wob_key), byRef.get(edge.destination_wob_key)];
    if (!source || !target) throw new AppError("edge_unknown_node");
    const refusal = edgeRefusal(source, target, {
      ...edge,
      source_wob_key: source.key,
      destination_wob_key: target.key,
    });
    // A copy of a broken edge is a broken edge; everything else that is wrong was never an edge.
    if (refusal && refusal !== "attribute_not_found") throw new AppError(refusal);
    const row = toEdgeInsert(edge);
    joined.set(JSON.stringify([row.source, row.transmitter, row.target, row.receiver]), row);
  }
  return { nodes: rows, edges: [...joined.values()] };
}

function toNodeInsert(node: PastedNode, shift: Position): NodeInsert {
  const { api, values } = splitApi(node);
  return {
    ref: node.key,
    id: newId(),
    class: node.class,
    name: node.name,
    description: node.description,
    order: node.order,
    x: within(node.position.x + shift.x),
    y: within(node.position.y + shift.y),
    colour: node.colour,
    api,
    field_values: values,
    body: node.class === "Code_block" ? null : bodyOf(node.class, node.body),
    source_code: node.class === "Code_block" ? node.source_code : "",
    tags: [...new Set(node.tags.tags)],
    locked: node.locked,
    git: node.git ? withoutCredentials(node.git) : null,
    git_branch: node.git_branch || null,
    update_policy: null,
  };
}

/** What the code says and what people set, apart again. What was typed into secret controls stays behind. */
function splitApi({ class: kind, api }: PastedNode): { api: NodeApi; values: Record<string, unknown> } {
  const base = { compiled: api.compiled ?? true, error: api.error ?? null, disabled: api.disabled ?? false };
  if (kind !== "Code_block") return { api: { ...base, attributes: [policyTransmitter(kind)] }, values: {} };
  const values: Record<string, unknown> = {};
  const attributes = (api.attributes ?? []).map((given): Attribute => {
    const { default: declared, ...attribute } = given;
    if (declared === undefined) return { ...attribute, is_connected: false };
    if (attribute.control?.type !== "secret") values[attribute.name] = attribute.value;
    return { ...attribute, is_connected: false, value: declared };
  });
  return { api: { ...base, attributes: withPolicyReceivers(attributes) }, values };
}

function bodyOf(kind: "compute_policy" | "storage_policy", given: unknown): object {
  return given === undefined || given === null ? newPolicyBody[kind] : policyBody(kind, newPolicyBody[kind], given);
}

function toEdgeInsert(edge: PastedEdge): EdgeInsert {
  return {
    source: edge.source_wob_key,
    transmitter: edge.source_transmitter_key,
    target: edge.destination_wob_key,
    receiver: edge.destination_receiver_key,
    segments: edge.segments,
    label: edge.label,
  };
}

/** How far everything moves so that its upper left corner comes to lie at `position`. */
export function shiftTo(nodes: readonly { position: Position }[], position: Position | undefined): Position {
  if (!position || nodes.length === 0) return { x: 0, y: 0 };
  const left = nodes.reduce((least, node) => Math.min(least, node.position.x), Number.POSITIVE_INFINITY);
  const top = nodes.reduce((least, node) => Math.min(least, node.position.y), Number.POSITIVE_INFINITY);
  return { x: position.x - left, y: position.y - top };
}

export function within(coordinate: number): number {
  return Math.max(-limits.positionMax, Math.min(limits.positionMax, coordinate));
}
