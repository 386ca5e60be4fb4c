import { usableBranch, usableRepository } from "@miranda/contract/graph/git-address.ts";
import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { bodyAttributes, newBody } from "@miranda/contract/graph/new-node.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { Attribute, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { BodyClass } from "@miranda/contract/schemas/node-bodies.ts";
import type { PasteBody, PastedEdge, PastedNode } from "@miranda/contract/schemas/changes.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { shiftTo, within } from "../../model/positions.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { newId } from "../../platform/crypto.ts";
import { storable } from "../../platform/database/storable-json.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import type { EdgeInsert, GroupInsert, NodeInsert } from "../../model/graph-inserts.ts";
import { changedBody } from "./node-patch.ts";

/** A template that a pasted node may stay linked to. */
export interface LinkedTemplate {
  version: number;
  /** The nodes that the template creates. */
  refs: ReadonlySet<string>;
}

interface PastedRows {
  nodes: NodeInsert[];
  edges: EdgeInsert[];
  groups: GroupInsert[];
  /** The keys of nodes that lost their link. */
  detached: string[];
}

/** The rows of copied nodes, edges and groups. `templates` are those that the caller may read. */
export async function pastedRows(
  { nodes, edges, groups, position }: PasteBody,
  templates: ReadonlyMap<string, LinkedTemplate>,
): Promise<PastedRows> {
  const shift = shiftTo(nodes, position);
  const rows = await mapInSlices(nodes, (node) =>
    storable({ ...toNodeInsert(node, shift), ...linkOf(node, templates) }),
  );
  const byRef = new Map(nodes.map(({ key }, at) => [key, { key: at, attributes: rows[at]?.api.attributes ?? [] }]));
  if (byRef.size < rows.length) throw new AppError("bad_request", "Two pasted nodes have the same key.");
  const joined = new Map<string, EdgeInsert>();
  await mapInSlices(edges, (edge) => {
    const [source, target] = [byRef.get(edge.source_wob_key), byRef.get(edge.destination_wob_key)];
    if (!source || !target) throw new AppError("edge_unknown_node");
    const refusal = edgeRefusal(source, target, {
      ...edge,
      source_wob_key: source.key,
      destination_wob_key: target.key,
    });
    // A broken edge may be copied. Any other refused edge was never valid.
    if (refusal && refusal !== "attribute_not_found") throw new AppError(refusal);
    const row = storable(toEdgeInsert(edge, shift));
    joined.set(JSON.stringify([row.source, row.transmitter, row.target, row.receiver]), row);
  });
  const detached = nodes.filter(({ template, update_policy }, at) => {
    return template && update_policy === "linked" && !rows[at]?.template_id;
  });
  const grouped = groups.flatMap(({ metadata_ids, ...group }) => {
    const members = [...new Set(metadata_ids)].filter((ref) => byRef.has(ref));
    return members.length > 0 ? [{ id: newId(), ...group, members }] : [];
  });
  return {
    nodes: rows,
    edges: [...joined.values()],
    groups: storable(grouped),
    detached: detached.map(({ key }) => storable(key)),
  };
}

/** The link of a copy. Dropped when the template may not be read, or does not create such a node. */
function linkOf({ template, update_policy }: PastedNode, templates: ReadonlyMap<string, LinkedTemplate>) {
  const found = template && templates.get(template.id);
  if (!found?.refs.has(template?.ref ?? "") || !template || !update_policy) return { update_policy: null };
  return {
    update_policy,
    template_id: template.id,
    template_ref: template.ref,
    template_version: Math.min(template.version, found.version),
  };
}

function toNodeInsert(node: PastedNode, shift: Position): Omit<NodeInsert, "update_policy"> & { api: NodeApi } {
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
    git: usableRepository(node.git),
    git_branch: usableBranch(node.git_branch),
  };
}

/** Splits an api into what the code declares and what people set. Values of secret controls are left out. */
function splitApi({ class: kind, api }: PastedNode): { api: NodeApi; values: Record<string, unknown> } {
  const base = { compiled: api.compiled ?? true, error: api.error ?? null, disabled: api.disabled ?? false };
  if (kind !== "Code_block") return { api: { ...base, attributes: bodyAttributes(kind) }, values: {} };
  const values: Record<string, unknown> = {};
  const attributes = (api.attributes ?? []).map((given): Attribute => {
    const { default: declared, ...attribute } = given;
    if (declared === undefined) return { ...attribute, is_connected: false };
    if (attribute.control?.type !== "secret") values[attribute.name] = attribute.value;
    return { ...attribute, is_connected: false, value: declared };
  });
  return { api: { ...base, attributes: withPolicyReceivers(attributes) }, values };
}

function bodyOf(kind: BodyClass, given: unknown): object {
  return given === undefined || given === null ? newBody[kind] : changedBody(kind, newBody[kind], given);
}

/** The bends of edges move with the copy. */
function toEdgeInsert(edge: PastedEdge, shift: Position): EdgeInsert {
  return {
    source: edge.source_wob_key,
    transmitter: edge.source_transmitter_key,
    target: edge.destination_wob_key,
    receiver: edge.destination_receiver_key,
    segments: edge.segments.map(({ x, y }) => ({ x: within(x + shift.x), y: within(y + shift.y) })),
    label: edge.label,
  };
}
