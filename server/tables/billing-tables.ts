import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// What sessions used and what it cost: part of tables.ts.

export interface UsageSamplesTable {
  job_id: string;
  number: number;
  seconds: number;
  cpu_seconds: number;
  ram_gb: number;
  cost: number;
  /** Since the session began; null where the network is not measured. */
  received_bytes: number | null;
  sent_bytes: number | null;
  created_at: Timestamp;
}

export interface LedgerTable {
  id: Generated<number>;
  account_id: string;
  kind: "usage" | "grant" | "trial" | "opening" | "fill" | "return" | "correction";
  job_id: string | null;
  project_id: string | null;
  /** Of a session that serves calls. */
  deployment_id: string | null;
  day: Generated<Date>;
  /** The quarter of an hour that it belongs to. */
  at: Generated<Date>;
  graph_id: string | null;
  /** Who ran it. Null for visitors. */
  person_id: string | null;
  source: Generated<"" | "session" | "call" | "schedule">;
  /** The names at that time. */
  project_name: Generated<string>;
  graph_name: Generated<string>;
  /** The project whose purse it is about. Null: the credits of the account. */
  purse_id: string | null;
  grant_key: string | null;
  granted_by: string | null;
  /** Of a correction: the entry of the grant that it takes back. */
  corrects: number | null;
  amount: ColumnType<number, number | string, never>;
  note: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** What an account or a project may spend in a month. */
export interface BudgetsTable {
  id: string;
  account_id: string | null;
  project_id: string | null;
  amount: ColumnType<number, string, string>;
  at_full: "warn" | "pause" | "stop";
  zone: string;
  updated_at: Timestamp;
}

export interface BudgetWarningsTable {
  budget_id: string;
  month: Date;
  /** In percent. */
  level: number;
  spent: number;
  told_at: OptionalTimestamp;
}

/** What a project has to spend. */
export interface PursesTable {
  project_id: string;
  balance: Generated<number>;
  in_use: Generated<boolean>;
  updated_at: Timestamp;
}
