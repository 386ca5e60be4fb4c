import type { NodeClass, Position } from "@miranda/contract/schemas/nodes.ts";

// Nodes, edges and groups to be added. They name each other by references, because they have no numbers yet.

/** A node as the database takes many of them at once. `ref` connects edges to nodes that have no number yet. */
export interface NodeInsert {
  ref: string;
  id: string;
  /** Of the node that it is a clone of. Others get one of their own. */
  lineage?: string;
  class: NodeClass;
  name: string;
  description: string;
  order: number;
  x: number;
  y: number;
  colour: string | null;
  api: unknown;
  field_values: unknown;
  body: unknown;
  source_code: string;
  tags: string[];
  locked: boolean;
  git: string | null;
  git_branch: string | null;
  update_policy: string | null;
  template_id?: string | null;
  template_ref?: string | null;
  template_version?: number | null;
}

export interface EdgeInsert {
  source: string;
  transmitter: string;
  target: string;
  receiver: string;
  segments: Position[];
  label: string;
}

export interface GroupInsert {
  id: string;
  lineage?: string;
  name: string;
  colour: string | null;
  collapsed: boolean;
  /** The refs of its nodes. */
  members: readonly string[];
}
