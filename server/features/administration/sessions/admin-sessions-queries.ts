import type { WorkflowState } from "@miranda/contract/processor.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { processorsInAllSql } from "../../../platform/limits/account-limits-queries.ts";

export interface AliveRow {
  id: string;
  workflow: string;
  project_id: string | null;
  project_name: string | null;
  is_private: boolean | null;
  account_id: string;
  person: string | null;
  purse_id: string | null;
  deployment_id: string | null;
  engine: string;
  machine: string | null;
  state: WorkflowState;
  state_at: Date;
  created_at: Date;
  waiting_reason: string | null;
  engine_away_since: Date | null;
  current_cpu: number;
  cpu_capacity: number;
  current_ram_gb: number;
  ram_gb_capacity: number;
  cost: string;
}

interface Counts {
  running: number;
  queued: number;
  slots: number;
}

/** Not the description, the code or the log: administrators see names and figures here. */
const chosen = sql`jobs.id, jobs.name as workflow, jobs.project_id, projects.name as project_name,
  projects.visibility = 'private' as is_private, jobs.account_id, accounts.username as person, jobs.purse_id,
  jobs.deployment_id, jobs.engine, jobs.state, jobs.state_at, jobs.created_at, jobs.waiting_reason, jobs.engine_away_since,
  jobs.current_cpu, jobs.cpu_capacity, jobs.current_ram_gb, jobs.ram_gb_capacity,
  coalesce(jobs.total_cost, 0)::numeric(18, 9)::text as cost,
  (select name from machines where jobs.id = any(machines.jobs) order by seen_at desc limit 1) as machine`;
const from = sql`jobs left join projects on projects.id = jobs.project_id left join accounts on accounts.id = jobs.account_id`;
const isAlive = isAliveSql("jobs.state");
const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export function createAdminSessionQueries(db: Db) {
  return {
    /** Those that have started, newest first. One more than `limit` when there are more. */
    list: async (words: string, { after = highestId, limit }: { after?: string | undefined; limit: number }) => {
      const matches = sql<SqlBool>`(${words} = '' or position(lower(${words}) in lower(jobs.name)) > 0
        or position(lower(${words}) in lower(coalesce(projects.name, ''))) > 0
        or position(lower(${words}) in lower(coalesce(accounts.username, ''))) > 0)`;
      const { rows } = await sql<AliveRow>`select ${chosen} from ${from}
        where ${isAlive} and jobs.state <> 'QUEUED' and jobs.id < ${after} and ${matches}
        order by jobs.id desc limit ${limit + 1}`.execute(db);
      return rows;
    },

    /** `most`: how many may run at once, unless the settings of the installation say otherwise. */
    count: async (most: number): Promise<Counts> => {
      const { rows } = await sql<Counts>`
        select count(*) filter (where state <> 'QUEUED') as running, count(*) filter (where state = 'QUEUED') as queued,
          ${processorsInAllSql(most)} as slots
        from jobs where ${isAlive}`.execute(db);
      return rows[0] ?? { running: 0, queued: 0, slots: most };
    },

    /** Those that wait: for a place, or for a machine. The longest waiting first. */
    listWaiting: async (most: number): Promise<AliveRow[]> => {
      const { rows } = await sql<AliveRow>`select ${chosen} from ${from} where jobs.state = 'QUEUED'
        order by jobs.id limit ${most}`.execute(db);
      return rows;
    },

    find: async (id: string): Promise<AliveRow | undefined> => {
      const { rows } = await sql<AliveRow>`select ${chosen} from ${from} where jobs.id = ${id}`.execute(db);
      return rows[0];
    },
  };
}
