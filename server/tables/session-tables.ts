import type { ColumnType, Generated } from "kysely";

import type { Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold what sessions leave behind.

export interface JobCommandsTable {
  job_id: string;
  number: number;
  command: ColumnType<Record<string, unknown>, string, string>;
  account_id: string | null;
  created_at: Timestamp;
  secrets: Generated<"lent" | "withheld" | null>;
}

export interface JobOutputsTable {
  job_id: string;
  node_id: number;
  run: number;
  number: number;
  data: ColumnType<Record<string, unknown>, string, string>;
  metadata: ColumnType<Record<string, unknown>, string | undefined, string>;
  show_id: string | null;
  bytes: Generated<number>;
  created_at: Timestamp;
}

export interface JobNodesTable {
  job_id: string;
  node_id: number;
  run: number;
  status: string;
  seconds: number;
  fires: number;
}

export interface JobPackagesTable {
  job_id: string;
  run: number;
  packages: ColumnType<Record<string, string>, string, string>;
}

export interface LogChunksTable {
  job_id: string;
  first_line: number;
  lines: number;
  bytes: number;
  entries: string;
}
