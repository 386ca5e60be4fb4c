import type { ColumnType } from "kysely";

// The tables of `tables.ts` that hold what sessions leave behind.

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
