import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// What administrators decide about what runs: part of tables.ts.

/** What sessions cost, and from when on, in credits per hour. */
interface PricesTable {
  id: Generated<number>;
  effective_from: ColumnType<Date, Date | string, never>;
  core_hour: ColumnType<number, string, never>;
  ram_gb_hour: ColumnType<number, string, never>;
  hour: ColumnType<number, string, never>;
  note: Generated<string>;
  set_by: string | null;
  created_at: Timestamp;
  withdrawn_at: OptionalTimestamp;
}

/** A machine where sessions run, as its server or its Swarm reported it last. */
interface MachinesTable {
  /** The engine and its own name for the machine. */
  id: string;
  engine: string;
  name: string;
  version: string;
  cores: number;
  memory_bytes: number;
  /** What is free now; null where it is not measured. */
  free_memory_bytes: number | null;
  load: number | null;
  disk_bytes: number | null;
  free_disk_bytes: number | null;
  /** The sessions that have anything there. */
  jobs: Generated<string[]>;
  state: Generated<"ready" | "down">;
  /** Since when it takes no new sessions. */
  closed_at: OptionalTimestamp;
  closed_by: string | null;
  close_note: Generated<string>;
  seen_at: Timestamp;
}

export interface RuntimeTables {
  prices: PricesTable;
  machines: MachinesTable;
}
