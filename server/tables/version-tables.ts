import type { VersionReason } from "@miranda/contract/schemas/versions.ts";

import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold versions of workflows.

export interface VersionPartsTable {
  hash: Buffer;
  /** JSON of a `VersionPart`, compressed. */
  content: Buffer;
  /** The hashes of the files that values of its nodes name. */
  files: Generated<string[]>;
  /** When it was stored, or used again by a later version. */
  created_at: Timestamp;
}

/** Parts of removed versions. Some are still used by others. */
export interface LoosePartsTable {
  hash: Buffer;
  since: Timestamp;
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
  /** For each lineage that was left out, the revision of the workflow that it is from. */
  left_out: ColumnType<Record<string, number>, string | undefined, never>;
  runs: Generated<number>;
  last_run_at: OptionalTimestamp;
  published_at: OptionalTimestamp;
  created_at: Timestamp;
  /** Of an automatic one: 0 when it is new, 1 when it stands for an hour, 2 for a day, 3 for a week. */
  thinned: Generated<number>;
}

/** Where a clone came from. `base_parts` is what both had in common when they were cloned or merged last. */
export interface GraphOriginsTable {
  graph_id: string;
  origin_id: string | null;
  base_parts: Buffer[];
  based_at: Timestamp;
}

/** What a clone and its origin had in common before a merge. */
export interface EarlierBasesTable {
  id: string;
  /** The clone. */
  graph_id: string;
  /** The workflow that the merge changed: the clone or its origin. */
  into_id: string;
  base_parts: Buffer[];
  based_at: Timestamp;
  replaced_at: Timestamp;
}

/** The parts that the versions of a workflow use. The database fills it. */
export interface GraphPartsTable {
  graph_id: string;
  hash: Buffer;
  bytes: number;
  versions: number;
  /** How many of these versions have a number. */
  named: number;
}

/** Who changed which node, and when last. The database fills it. */
export interface NodeEditsTable {
  graph_id: string;
  metadata_id: number;
  account_id: string;
  edited_at: OptionalTimestamp;
  edited_revision: number | null;
  moved_at: OptionalTimestamp;
  moved_revision: number | null;
}
