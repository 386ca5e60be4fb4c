import type { Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// What operators do with an installation: part of tables.ts.

export interface BackupsTable {
  id: string;
  state: "RUNNING" | "DONE" | "FAILED";
  made_by: "command" | "schedule" | "person";
  account_id: string | null;
  started_at: Timestamp;
  ended_at: OptionalTimestamp;
  file: string;
  bytes: number | null;
  has_key: boolean;
  step: Generated<"files" | "database" | "check">;
  done: Generated<number>;
  total: Generated<number>;
  missing: Generated<number>;
  problem: string | null;
  removed_at: OptionalTimestamp;
}
