import type { Generated, GeneratedAlways } from "kysely";

import type { Timestamp } from "./column-types.ts";

/** Who did what: part of tables.ts. The database refuses every change of a row. */
export interface AuditLogTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  kind: string;
  result: "done" | "refused";
  actor_id: string | null;
  /** The names at that time. */
  actor_name: string;
  address: string;
  user_agent: string;
  project_id: string | null;
  project_name: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string;
  details: unknown;
  /** Everything that a search looks at, in lower case. */
  search: GeneratedAlways<string>;
}

/** Where records are streamed to: one row, or none. */
export interface AuditStreamTable {
  is_one: Generated<boolean>;
  target: string;
  /** The server that writes, until then. */
  holder: string | null;
  held_until: Timestamp;
}

/** Records that the target has not taken yet. Added by the database. */
export interface AuditUnsentTable {
  id: number;
}
