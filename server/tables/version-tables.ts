import type { VersionReason } from "@miranda/contract/schemas/versions.ts";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold versions of workflows.

export interface VersionPartsTable {
  hash: Buffer;
  /** JSON of a `VersionPart`, compressed. */
  content: Buffer;
  created_at: Timestamp;
}

export interface GraphVersionsTable {
  id: string;
  graph_id: string;
  /** Only named versions have one. */
  number: number | null;
  reason: VersionReason;
  name: string;
  message: string;
  author_id: string | null;
  revision: number;
  node_count: number;
  edge_count: number;
  /** Hashes of its parts. */
  parts: Buffer[];
  published_at: OptionalTimestamp;
  created_at: Timestamp;
}

/** Where a clone came from. `base_parts` is what both had in common when they were cloned or merged last. */
export interface GraphOriginsTable {
  graph_id: string;
  origin_id: string | null;
  base_parts: Buffer[];
  based_at: Timestamp;
}

/** Who changed which node, and when last. The database fills it. */
export interface NodeEditsTable {
  graph_id: string;
  metadata_id: number;
  account_id: string;
  edited_at: OptionalTimestamp;
  moved_at: OptionalTimestamp;
}
