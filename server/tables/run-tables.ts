import type { ExceptionFrame, ResultReads } from "@miranda/contract/protocol/worker.ts";
import type { RunSource, RunState, RunUsage } from "@miranda/contract/schemas/runs.ts";

import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold runs, what they leave behind, and what people are told about them.

/** What people are asked when a run has reached a limit. */
export interface BudgetQuestion {
  limit: "run" | "day";
  spent: number;
  of: number;
  /** Whether the session was told to pause. It was paused already at a breakpoint, else. */
  paused: boolean;
  /** Whether the run was interrupted, because it did not pause. */
  interrupted: boolean;
  /** How long it waits for an answer. */
  seconds: number;
}

/** Code that a run tries in one node: a newer version of the node's template. */
export interface Trial {
  node: number;
  version: number;
  source_code: string;
}

export interface RunsTable {
  id: string;
  graph_id: string;
  /** Set by the database. */
  project_id: ColumnType<string | null, never, string>;
  account_id: string | null;
  /** Who pays, when it is not the account that started the session. */
  payer_id: string | null;
  job_id: string;
  session_tag: number;
  session_name: string;
  /** Set by the database. */
  session_number: ColumnType<number | null, never, never>;
  number: number;
  command: number;
  mode: string;
  target: number | null;
  source: Generated<RunSource>;
  version_id: string | null;
  graph_revision: number;
  repeats: string | null;
  /** Newer code of a template that it tries in one node. */
  trial: ColumnType<Trial | null, string | null | undefined, never>;
  state: Generated<RunState>;
  reason: Generated<string>;
  failed_node: number | null;
  nodes_run: Generated<number>;
  nodes_skipped: Generated<number>;
  nodes_failed: Generated<number>;
  nodes_kept: Generated<number>;
  cost: Generated<number>;
  cpu_seconds: Generated<number>;
  ram_gb_seconds: Generated<number>;
  budget: number | null;
  budget_allowed: number | null;
  budget_question: ColumnType<BudgetQuestion | null, string | null | undefined, string | null>;
  budget_resumes: Generated<boolean>;
  budget_asked_at: OptionalTimestamp;
  first_sample: Generated<number>;
  last_sample: number | null;
  first_line: number;
  last_line: number | null;
  packages: ColumnType<Record<string, string>, string | undefined, string>;
  python: Generated<string>;
  usage: ColumnType<RunUsage | null, string | null | undefined, string | null>;
  output_bytes: Generated<number>;
  outputs_removed: Generated<boolean>;
  /** Set by the database. */
  words: ColumnType<string, never, never>;
  /** From when it was asked for until it began. */
  waited_seconds: Generated<number>;
  installing_seconds: Generated<number>;
  installing_since: OptionalTimestamp;
  began_at: Timestamp;
  ended_at: OptionalTimestamp;
  budget_told_at: OptionalTimestamp;
  told_at: OptionalTimestamp;
  revision: Generated<number>;
}

export interface RunNodesTable {
  run_id: string;
  node_id: number;
  name: string;
  planned: boolean;
  reason: Generated<string>;
  status: Generated<string>;
  seconds: Generated<number>;
  fires: Generated<number>;
  spans: ColumnType<[number, number, number][], string | undefined, string>;
  result: string | null;
  seed: number | null;
  /** While it runs. Set when the server hears that it began. */
  running_since: OptionalTimestamp;
}

export interface RunExceptionsTable {
  run_id: string;
  number: number;
  node_id: number | null;
  line: number;
  function: string;
  traceback: string;
  frames: ColumnType<ExceptionFrame[], string | undefined, string>;
  raised_at: Timestamp;
}

export interface ResultsTable {
  project_id: string;
  key: string;
  bytes: number;
  sha256: Buffer;
  seconds: number;
  reads: ColumnType<ResultReads | null, string | null, string | null>;
  graph_id: string | null;
  node_id: number;
  run_id: string | null;
  created_at: Timestamp;
  used_at: Timestamp;
}

export interface NotificationsTable {
  id: string;
  account_id: string;
  kind: string;
  run_id: string | null;
  project_id: string | null;
  model_id: string | null;
  thread_id: string | null;
  title: string;
  body: Generated<string>;
  read_at: OptionalTimestamp;
  created_at: Timestamp;
}

export interface WebhooksTable {
  id: string;
  project_id: string;
  url: string;
  secret: Buffer;
  events: string[];
  enabled: Generated<boolean>;
  failing_since: OptionalTimestamp;
  failure_told: Generated<boolean>;
  disabled_reason: Generated<string>;
  created_by: string | null;
  created_at: Timestamp;
}

export interface WebhookCallsTable {
  id: string;
  webhook_id: string;
  run_id: string | null;
  event: string;
  body: string;
  tries: Generated<number>;
  next_at: OptionalTimestamp;
  status: number | null;
  answer: Generated<string>;
  seconds: number | null;
  created_at: Timestamp;
  answered_at: OptionalTimestamp;
}
