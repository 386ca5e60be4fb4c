import type { ColumnType, Generated } from "kysely";

import type { Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold nodes' code and where it came from.

export interface NodeCommitsTable {
  id: string;
  metadata_id: number;
  graph_id: string;
  number: number;
  author_id: string | null;
  message: Generated<string>;
  source_code: string;
  api: ColumnType<unknown, string, never>;
  restored: number | null;
  written_by: Generated<string[]>;
  created_at: Timestamp;
}

export interface NodeDraftsTable {
  metadata_id: number;
  graph_id: string;
  epoch: string;
  document: Buffer;
  unsaved: boolean;
  updated_by: string | null;
  updated_at: Timestamp;
  followed: Generated<number>;
  /** The node's code that unsaved code started from. Null for code that is saved. */
  base: string | null;
  authors: Generated<string[]>;
}

export interface NodeGitTable {
  metadata_id: number;
  graph_id: string;
  repository: string;
  branch: string;
  commit_hash: string;
  blob_hash: string;
  number: number;
  code_hash: Buffer;
  synced_at: Timestamp;
}
