import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { ComputePolicy } from "@miranda/contract/schemas/policies.ts";
import type { BreakEvent, Installing } from "@miranda/contract/schemas/processors.ts";
import type { RunState } from "@miranda/contract/schemas/runs.ts";
import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold what sessions leave behind.

export interface JobsTable {
  id: string;
  tag: number;
  /** Counts the sessions of a workflow. Set by the database. */
  number: ColumnType<number | null, never, never>;
  graph_id: string | null;
  /** The project of its workflow. Set by the database; null once the workflow is deleted. */
  project_id: ColumnType<string | null, never, string>;
  account_id: string;
  /** Of a session that serves calls. Null for sessions of the editor, and once the deployment is deleted. */
  deployment_id: string | null;
  release_id: string | null;
  name: string;
  description: Generated<string>;
  state: WorkflowState;
  state_at: Timestamp;
  engine: string;
  engine_ref: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  /** Why a launched job is waiting for a machine. */
  waiting_reason: string | null;
  /** Since when the engine has not answered, while the launch is retried. */
  engine_away_since: OptionalTimestamp;
  token_hash: Buffer | null;
  /** Empty without a compute policy. */
  demand: ColumnType<Partial<ComputePolicy>, string | undefined, string>;
  cpu_capacity: Generated<number>;
  ram_gb_capacity: Generated<number>;
  last_event: Generated<number>;
  last_line: Generated<number>;
  last_sample: Generated<number>;
  last_command: Generated<number>;
  state_command: Generated<number>;
  log_bytes: Generated<number>;
  cut_line: Generated<number>;
  output_bytes: Generated<number>;
  told_limits: Generated<string[]>;
  /** Whether it was started to run something at once. */
  for_run: Generated<boolean>;
  /** How many runs it had, and the last one. */
  runs: Generated<number>;
  last_run_id: string | null;
  last_run_state: RunState | null;
  total_cost: number | null;
  /** The project whose purse pays for it. Null: the account pays. */
  purse_id: string | null;
  cpu_seconds: Generated<number>;
  ram_gb_seconds: Generated<number>;
  current_cpu: Generated<number>;
  current_ram_gb: Generated<number>;
  net_rx_gb: Generated<number>;
  net_tx_gb: Generated<number>;
  current_net_rx_gb: Generated<number>;
  current_net_tx_gb: Generated<number>;
  paused: ColumnType<BreakEvent | null, string | null | undefined, string | null>;
  installing: ColumnType<Installing | null, string | null | undefined, string | null>;
  created_at: Timestamp;
  started_at: OptionalTimestamp;
  ended_at: OptionalTimestamp;
  seen_at: OptionalTimestamp;
  /** When somebody last used it, other than by a run. */
  used_at: Timestamp;
  /** When it ends because nobody uses it. */
  ends_at: OptionalTimestamp;
  /** Incremented by the database. */
  revision: ColumnType<number, never, never>;
}

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
