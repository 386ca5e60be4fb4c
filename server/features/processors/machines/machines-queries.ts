import { sql } from "kysely";

import type { MachineReport } from "../../../engines/engine.ts";
import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { limitSql, processorsInAllSql } from "../../../platform/limits/account-limits-queries.ts";

export interface MachineRow {
  id: string;
  engine: string;
  name: string;
  version: string;
  cores: number;
  memory_bytes: number;
  free_memory_bytes: number | null;
  load: number | null;
  disk_bytes: number | null;
  free_disk_bytes: number | null;
  state: "ready" | "silent" | "down";
  closed_at: Date | null;
  closer: string | null;
  close_note: string;
  seen_at: Date;
  sessions: number;
  sessions_cpu: number;
  sessions_ram_gb: number;
}

interface Slots {
  running: number;
  slots: number;
  slots_per_account: number;
}

/** In seconds: a machine that was not heard of for so long is shown as silent. */
const silentAfter = 45;
/** In days: then it is forgotten. */
const forgottenAfter = 30;

export function createMachineQueries(db: Db) {
  return {
    /** What is true of a machine now. Where the engine knows whether it is closed, its word counts. */
    save: async (engine: string, report: MachineReport): Promise<void> => {
      const { id, name, version, cores, memoryBytes, freeMemoryBytes, load, diskBytes, freeDiskBytes, state, jobs } =
        report;
      const closed = report.isClosed ?? null;
      await sql`
        insert into machines (id, engine, name, version, cores, memory_bytes, free_memory_bytes, load, disk_bytes,
          free_disk_bytes, state, jobs, closed_at)
        values (${id}, ${engine}, ${name}, ${version}, ${cores}, ${memoryBytes}, ${freeMemoryBytes}, ${load}, ${diskBytes},
          ${freeDiskBytes}, ${state}, ${jobs}::uuid[], case when ${closed}::boolean then now() end)
        on conflict (id) do update set engine = excluded.engine, name = excluded.name, version = excluded.version,
          cores = excluded.cores, memory_bytes = excluded.memory_bytes, free_memory_bytes = excluded.free_memory_bytes,
          load = excluded.load, disk_bytes = excluded.disk_bytes, free_disk_bytes = excluded.free_disk_bytes,
          state = excluded.state, jobs = excluded.jobs, seen_at = now(),
          closed_at = case when ${closed}::boolean is null then machines.closed_at
            when ${closed}::boolean then coalesce(machines.closed_at, now()) end`.execute(db);
    },

    forgetOld: async (): Promise<void> => {
      await sql`delete from machines where seen_at < now() - make_interval(days => ${forgottenAfter})`.execute(db);
    },

    list: async (): Promise<MachineRow[]> => {
      const { rows } = await sql<MachineRow>`
        select machines.id, machines.engine, machines.name, version, cores, memory_bytes, free_memory_bytes, load, disk_bytes,
          free_disk_bytes, closed_at, close_note, machines.seen_at,
          case when machines.seen_at < now() - make_interval(secs => ${silentAfter}) then 'silent' else machines.state end as state,
          (select username from accounts where accounts.id = closed_by and deleted_at is null) as closer,
          used.sessions, used.sessions_cpu, used.sessions_ram_gb
        from machines cross join lateral (
          select count(*) as sessions, coalesce(sum(current_cpu), 0) as sessions_cpu,
            coalesce(sum(current_ram_gb), 0) as sessions_ram_gb
          from jobs where jobs.id = any(machines.jobs) and ${isAliveSql("jobs.state")}) as used
        order by machines.name, machines.id`.execute(db);
      return rows;
    },

    /** Locks it. */
    lock: async (trx: Db, id: string): Promise<{ name: string; isClosed: boolean } | undefined> => {
      const { rows } = await sql<{ name: string; isClosed: boolean }>`
        select name, closed_at is not null as "isClosed" from machines where id = ${id} for update`.execute(trx);
      return rows[0];
    },

    setClosed: async (trx: Db, id: string, closing: { by: string; note: string } | null): Promise<void> => {
      await sql`update machines set closed_at = case when ${closing !== null} then now() end,
        closed_by = ${closing?.by ?? null}::uuid, close_note = ${closing?.note ?? ""} where id = ${id}`.execute(trx);
    },

    /** Sessions that have a slot, and how many there may be: in all, and of one account without limits of its own. */
    countSlots: async ({ most, mostPerAccount }: { most: number; mostPerAccount: number }): Promise<Slots> => {
      const { rows } = await sql<Slots>`select count(*) as running, ${processorsInAllSql(most)} as slots,
          ${limitSql("processors", sql`null::uuid`, mostPerAccount)} as slots_per_account
        from jobs where ${isAliveSql("jobs.state")} and state <> 'QUEUED'`.execute(db);
      return rows[0] ?? { running: 0, slots: most, slots_per_account: mostPerAccount };
    },
  };
}
