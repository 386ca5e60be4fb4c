import { messages } from "@miranda/contract/words/messages.ts";
import type { NodeType } from "@miranda/contract/graph/node-classes.ts";
import { newNode } from "@miranda/contract/limits.ts";
import type { ChangedNode } from "@miranda/contract/schemas/changes.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import type { Node, Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";

import { call } from "./http.ts";

// Calls about one node that are not commands.

const object = (metadataId: number) => `/api/v3/objects/${metadataId}`;

export function readNode(metadataId: number, nodeClass: string): Promise<Node> {
  return call<Node>(`${object(metadataId)}?wob_type=${encodeURIComponent(nodeClass)}`);
}

/** Stores a file for a node. The answer becomes the value of one of the node's attributes. */
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

/** Updates the node to the newest code of its template. */
export function updateFromTemplate(metadataId: number, version: number): Promise<ChangedNode> {
  return call(`${object(metadataId)}/update`, { method: "POST", fields: { version } });
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
