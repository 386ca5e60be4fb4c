import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { edgeBetween } from "@miranda/contract/graph/content.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { Edge, Node, NodeTags } from "@miranda/contract/schemas/nodes.ts";

import type { EdgeRow as StoredEdge, NodeRow } from "../tables/tables.ts";
import { mapInSlices } from "../platform/time-slicing.ts";

export type { NodeRow };
export type EdgeRow = Pick<StoredEdge, "source_id" | "transmitter" | "target_id" | "receiver" | "segments" | "label">;

/** A node as answers carry it. Readers do not get the values of secret controls. */
export function toNode(row: NodeRow, reader: boolean): Node {
  return {
    ...nodeFields({
      ...row,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      last_used_at: row.last_used_at?.toISOString() ?? null,
    }),
    api: withValues(parseNodeApi(row.api), row.field_values, reader),
    body: row.body ?? null,
  };
}

/** The columns of a node that are the same to everybody, with times as text. */
type FieldsRow = Omit<
  NodeRow,
  "lineage" | "api" | "field_values" | "body" | "created_at" | "updated_at" | "last_used_at"
> & {
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
};

export function nodeFields(row: FieldsRow): Omit<Node, "api" | "body"> {
  return {
    id: row.id,
    metadata_id: row.metadata_id,
    key: row.metadata_id,
    class: row.class,
    name: row.name,
    description: row.description,
    order: row.order,
    position: { x: row.x, y: row.y },
    colour: row.colour,
    source_code: row.source_code,
    locked: row.locked,
    git: row.git && withoutCredentials(row.git),
    git_branch: row.git_branch,
    time_created: row.created_at,
    last_updated: row.updated_at,
    last_used: row.last_used_at,
    status: row.status,
    update_policy: row.update_policy,
    tags: toTags(row),
    ...(row.template_id && {
      template: { id: row.template_id, ref: row.template_ref ?? "", version: row.template_version ?? 0 },
    }),
  };
}

export function toTags({ tags, tag_users }: Pick<NodeRow, "tags" | "tag_users">): NodeTags {
  return { tags, user_ids: [...new Set(Object.values(tag_users))] };
}

/** The code declares the default. The graph holds the override. */
export function withValues(api: NodeApi, values: Record<string, unknown>, reader: boolean): NodeApi {
  const attributes = api.attributes.map((attribute) => {
    if (reader && attribute.control?.type === "secret") return { ...attribute, value: null, default: null };
    if (!Object.hasOwn(values, attribute.name)) return attribute;
    return { ...attribute, default: attribute.value, value: values[attribute.name] };
  });
  return { ...api, attributes };
}

/** The values of a node that may leave its project: all but those of secret controls. */
export function copiedValues(row: Pick<NodeRow, "api" | "field_values">): Record<string, unknown> {
  const secret = new Set(
    parseNodeApi(row.api)
      .attributes.filter((attribute) => attribute.control?.type === "secret")
      .map((attribute) => attribute.name),
  );
  return Object.fromEntries(Object.entries(row.field_values).filter(([name]) => !secret.has(name)));
}

export function toContent(
  nodes: NodeRow[],
  edges: EdgeRow[],
  reader: boolean,
): { nodes: Record<string, Node>; edges: Edge[] } {
  const shown = new Map(nodes.map((row) => [row.metadata_id, toNode(row, reader)]));
  return { nodes: Object.fromEntries(shown), edges: edges.map((row) => toEdge(row, shown)) };
}

/** The same for thousands of nodes, in slices so that other requests are served in between. */
export async function toContentInSlices(
  nodes: NodeRow[],
  edges: EdgeRow[],
  reader: boolean,
): Promise<{ nodes: Record<string, Node>; edges: Edge[] }> {
  const shown = new Map(await mapInSlices(nodes, (row) => [row.metadata_id, toNode(row, reader)] as const));
  return { nodes: Object.fromEntries(shown), edges: await mapInSlices(edges, (row) => toEdge(row, shown)) };
}

export function toEdge(row: EdgeRow, nodes: ReadonlyMap<number, Pick<Node, "api">>): Edge {
  const ends = {
    source_wob_key: row.source_id,
    source_transmitter_key: row.transmitter,
    destination_wob_key: row.target_id,
    destination_receiver_key: row.receiver,
  };
  const drawing = { segments: row.segments, label: row.label };
  return edgeBetween(ends, (metadataId) => nodes.get(metadataId), drawing);
}
