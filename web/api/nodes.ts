import { messages } from "@miranda/contract/errors.ts";
import type { NodeType } from "@miranda/contract/graph/node-classes.ts";
import { newNode } from "@miranda/contract/limits.ts";
import type { Changed, ChangedAttribute, ChangedEdge, ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import type { EdgeEnds, Node, Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";

import { call, type FormFields } from "./http.ts";

// The calls of the specification's table "Nodes and edges".

const object = (metadataId: number) => `/api/v3/objects/${metadataId}`;

export function readNode(metadataId: number, nodeClass: string): Promise<Node> {
  return call<Node>(`${object(metadataId)}?wob_type=${encodeURIComponent(nodeClass)}`);
}

/** Keeps a file for a node. What it answers becomes the value of one of the node's attributes. */
export function uploadFile(metadataId: number, file: File): Promise<FileValue> {
  return call<FileValue>(`${object(metadataId)}/files`, { method: "POST", fields: { file } });
}

export function fileAddress(metadataId: number, attribute: string): string {
  return `${object(metadataId)}/attributes/${encodeURIComponent(attribute)}/file`;
}

export interface NewNode {
  type?: NodeType;
  name?: string;
  description?: string;
  position?: Position;
}

export async function createNode(
  graphId: string | undefined,
  { type = newNode.type, name = newNode.name, description = "", position }: NewNode = {},
): Promise<ChangedNode> {
  if (!graphId) throw new Error(messages.noProjectForNode);
  return call<ChangedNode>(`/api/v3/objects?wob_type=${type}`, {
    method: "POST",
    fields: { name, description, project_id: graphId, position: position && JSON.stringify(position) },
  });
}

export function putPosition(graphId: string, metadataId: number, position: Position): Promise<Changed> {
  return call(`/api/v3/designer/${graphId}/nodes/${metadataId}`, {
    method: "PUT",
    fields: { position: JSON.stringify(position) },
  });
}

/** The fields of a node that are changed in place. */
export type NodeChanges = Partial<
  Pick<Node, "name" | "description" | "colour" | "body" | "locked" | "git" | "git_branch" | "update_policy">
>;

/** Compute policies have an address of their own, by their id; everything else is named by its metadata_id. */
export function patchNode(
  node: Pick<Node, "id" | "metadata_id" | "class">,
  changes: NodeChanges,
): Promise<ChangedNode> {
  const { body, colour, git, git_branch, ...rest } = changes;
  const fields: FormFields = {
    ...rest,
    ...(colour !== undefined && { colour: colour ?? "" }),
    ...(git !== undefined && { git: git ?? "" }),
    ...(git_branch !== undefined && { git_branch: git_branch ?? "" }),
  };
  if (node.class === "compute_policy")
    return call(`/api/v3/compute_policies/${node.id}`, { method: "PATCH", fields: { ...fields, ...(body as object) } });
  return call(object(node.metadata_id), {
    method: "PATCH",
    fields: { ...fields, ...(body !== undefined && { body: JSON.stringify(body) }) },
  });
}

export function deleteNode(metadataId: number): Promise<Changed> {
  return call(object(metadataId), { method: "DELETE" });
}

export function edgeFields(ends: EdgeEnds) {
  return {
    from_id: ends.source_wob_key,
    to_id: ends.destination_wob_key,
    transmitter_key: ends.source_transmitter_key,
    receiver_key: ends.destination_receiver_key,
  };
}

export function createEdge(ends: EdgeEnds): Promise<ChangedEdge> {
  return call("/api/v3/objects/edges", { method: "POST", fields: edgeFields(ends) });
}

export function deleteEdge(ends: EdgeEnds): Promise<Changed> {
  return call("/api/v3/objects/edges", { method: "DELETE", fields: edgeFields(ends) });
}

export interface EdgeDrawing {
  segments?: readonly Position[];
  label?: string;
}

export function putEdge(ends: EdgeEnds, { segments, label }: EdgeDrawing): Promise<ChangedEdge> {
  return call("/api/v3/objects/edges", {
    method: "PUT",
    fields: { ...edgeFields(ends), segments: segments && JSON.stringify(segments), label },
  });
}

export function setDisabled(metadataId: number, disabled: boolean): Promise<ChangedNode> {
  return call(`${object(metadataId)}/api`, { method: "PATCH", fields: { api: JSON.stringify({ disabled }) } });
}

export function setAttribute(metadataId: number, name: string, value: unknown): Promise<ChangedAttribute> {
  return call(`${object(metadataId)}/attributes/${encodeURIComponent(name)}`, {
    method: "PATCH",
    fields: { attribute_value: typeof value === "string" ? value : JSON.stringify(value) },
  });
}

export function unsetAttribute(metadataId: number, name: string): Promise<ChangedAttribute> {
  return call(`${object(metadataId)}/attributes/${encodeURIComponent(name)}`, {
    method: "PATCH",
    fields: { unset: true },
  });
}

export function setTag(metadataId: number, tag: string, isSet: boolean): Promise<Changed> {
  return call(`${object(metadataId)}/tags`, { method: isSet ? "POST" : "DELETE", fields: { tag } });
}

/** Takes the newest code of the template the node was made from. */
export function updateFromTemplate(metadataId: number): Promise<ChangedNode> {
  return call(`${object(metadataId)}/update`, { method: "POST" });
}

export async function clonePrefab(
  graphId: string | undefined,
  prefabId: string,
  position: Position,
  update_policy: UpdatePolicy = "linked",
): Promise<ChangedNode> {
  if (!graphId) throw new Error(messages.noProjectForTemplate);
  const node = await call<ChangedNode | undefined | null>(`/api/v3/objects/clone/${prefabId}`, {
    method: "POST",
    fields: { project_id: graphId, update_policy, position: JSON.stringify(position) },
  });
  if (!node?.metadata_id) throw new Error(messages.prefabFailed);
  return node;
}
