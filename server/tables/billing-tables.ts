import type { Generated } from "kysely";

import type { Timestamp } from "./column-types.ts";

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
  kind: "usage" | "grant";
  job_id: string | null;
  project_id: string | null;
  /** Of a session that serves calls. */
  deployment_id: string | null;
  day: Generated<Date>;
  amount: number;
  note: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
