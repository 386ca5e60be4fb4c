import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { type Scope, within } from "./spending-queries.ts";

export interface SessionRow {
  id: string;
  name: string;
  graph_id: string | null;
  project_name: string;
  started_at: Date | null;
  ended_at: Date | null;
  /** What the whole session cost. When others paid for some of it: only what this account or project paid. */
  cost: string;
  paid: string;
  /** Whether this account or project paid for all of it. */
  is_whole: boolean;
  has_samples: boolean;
}

export interface RunRow {
  id: string;
  number: number;
  person: string | null;
  state: string;
  began_at: Date;
  ended_at: Date | null;
  cost: string;
  installing_seconds: number;
}

export interface RunNodeRow {
  run_id: string;
  name: string;
  seconds: number;
}

export interface SampleRow {
  number: number;
  created_at: Date;
  seconds: number;
  cpu_seconds: number;
  ram_gb: number;
  cost: string;
  run: number | null;
}

export interface RunSums {
  count: number;
  cost: string;
}

const most = 1_000;

/** Runs that nobody else pays for are paid by the account of their session. */
const paidBy = (payerId: string | undefined) =>
  payerId === undefined
    ? sql`true`
    : sql`coalesce(runs.payer_id, (select jobs.account_id from jobs where jobs.id = runs.job_id)) = ${payerId}::uuid`;

export function createSessionSpendingQueries(db: Db) {
  return {
    /**
     * Undefined when the account or project paid nothing for it. Who paid for a call sees the call, also before anything
     * else of the session is booked.
     */
    find: async (scope: Scope, jobId: string): Promise<SessionRow | undefined> => {
      const isOwn = "accountId" in scope ? sql`jobs.account_id = ${scope.accountId}::uuid` : sql`true`;
      const { rows } = await sql<SessionRow>`
        with booked as (
          select coalesce(bool_and(${within(scope)}), false)
              and (select ${isOwn} from jobs where jobs.id = ${jobId}) as is_whole,
            coalesce(max(project_name) filter (where ${within(scope)}), '') as project_name,
            count(*) filter (where ${within(scope)}) as own,
            coalesce(-sum(amount) filter (where ${within(scope)}), 0)::numeric(18, 9)::text as paid
          from ledger where job_id = ${jobId} and kind = 'usage'
        )
        select jobs.id, jobs.name, jobs.graph_id, booked.project_name, jobs.started_at, jobs.ended_at,
          case when booked.is_whole then coalesce(jobs.total_cost, 0)::numeric(18, 9)::text else booked.paid end as cost,
          booked.paid, booked.is_whole,
          exists (select from usage_samples where job_id = jobs.id) as has_samples
        from jobs, booked where jobs.id = ${jobId} and booked.own > 0`.execute(db);
      return rows[0];
    },

    /** The newest 1,000, newest first. `payerId`: only the runs that this account paid for. */
    runs: async (jobId: string, payerId: string | undefined): Promise<RunRow[]> => {
      const { rows } = await sql<RunRow>`
        select runs.id, runs.number, case when accounts.deleted_at is null then accounts.username else 'Deleted account' end
            as person, runs.state, runs.began_at, runs.ended_at, runs.cost::text as cost,
          runs.installing_seconds
        from runs left join accounts on accounts.id = runs.account_id
        where runs.job_id = ${jobId} and ${paidBy(payerId)} order by runs.number desc limit ${most}`.execute(db);
      return rows;
    },

    /** How many runs there are, and what all of them cost. */
    runSums: async (jobId: string, payerId: string | undefined): Promise<RunSums> => {
      const { rows } = await sql<RunSums>`
        select count(*)::integer as count, coalesce(sum(runs.cost), 0)::numeric(18, 9)::text as cost
        from runs where runs.job_id = ${jobId} and ${paidBy(payerId)}`.execute(db);
      return rows[0] ?? { count: 0, cost: "0.000000000" };
    },

    nodes: async (runIds: readonly string[]): Promise<RunNodeRow[]> => {
      const { rows } = await sql<RunNodeRow>`
        select run_id, name, seconds from run_nodes where run_id = any(${runIds}::uuid[]) and seconds > 0
        order by run_id, seconds desc, node_id`.execute(db);
      return rows;
    },

    samples: async (jobId: string, { after, limit }: { after: number; limit: number }): Promise<SampleRow[]> => {
      const { rows } = await sql<SampleRow>`
        select sample.number, sample.created_at, sample.seconds, sample.cpu_seconds, sample.ram_gb, sample.cost::text as cost,
          (select max(runs.number) from runs where runs.job_id = sample.job_id and runs.first_sample < sample.number
            and (runs.last_sample is null or runs.last_sample + 1 >= sample.number)) as run
        from usage_samples as sample where sample.job_id = ${jobId} and sample.number > ${after}
        order by sample.number limit ${limit}`.execute(db);
      return rows;
    },
  };
}
