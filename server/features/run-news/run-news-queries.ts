import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { RunState } from "@miranda/contract/schemas/runs.ts";
import { type Expression, sql } from "kysely";

import { runNews as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { BudgetQuestion } from "../../tables/run-tables.ts";
import type { TimedRow } from "../runs/run-times.ts";

/** A run that somebody has to be told about. */
export interface NewsRow extends TimedRow {
  id: string;
  graph_id: string;
  graph_name: string;
  project_id: string;
  project_name: string;
  owner_id: string | null;
  /** Who ran it, while the account may read the workflow. */
  account_id: string | null;
  username: string | null;
  number: number;
  session_tag: number;
  mode: string;
  state: RunState;
  reason: string;
  failed_node: string | null;
  nodes_run: number;
  nodes_skipped: number;
  nodes_failed: number;
  cost: number;
  budget: number | null;
  question: BudgetQuestion | null;
}

/** The last sample of a run comes after its end. Before that, people would be told less than it cost. */
const isSettled = sql`(runs.ended_at < now() - interval '${sql.raw(String(limits.settledWithin / 1_000))} seconds'
  or not exists (select from jobs where jobs.id = runs.job_id and jobs.state not in ('ERROR', 'EXITED')
    and jobs.last_sample <= runs.last_sample))`;

/** Takes runs that nobody was told about. Always inside a transaction: of several servers, one tells. */
export function createRunNewsQueries(access: Expression<ProjectAccess | null>) {
  const described = sql`
    select runs.id, runs.graph_id, graphs.name as graph_name, projects.id as project_id, projects.name as project_name,
      projects.owner_id, runner.id as account_id, runner.username, runs.number, runs.session_tag, runs.mode, runs.state,
      runs.reason, runs.nodes_run, runs.nodes_skipped, runs.nodes_failed, runs.cost, runs.budget,
      runs.budget_question as question, runs.began_at, runs.ended_at, runs.waited_seconds, runs.installing_seconds,
      runs.installing_since,
      (select name from run_nodes where run_id = runs.id and node_id = runs.failed_node) as failed_node
    from runs join graphs on graphs.id = runs.graph_id join projects on projects.id = graphs.project_id
      left join lateral (select accounts.id, accounts.username from accounts
        where accounts.id = runs.account_id and accounts.deleted_at is null and ${access} is not null) as runner on true`;

  return {
    takeEnded: async (trx: Db, most: number): Promise<NewsRow[]> => {
      const { rows } = await sql<NewsRow>`${described}
        where runs.ended_at is not null and runs.told_at is null and ${isSettled}
        order by runs.ended_at limit ${most} for update of runs skip locked`.execute(trx);
      return rows;
    },

    takeAsked: async (trx: Db, most: number): Promise<NewsRow[]> => {
      const { rows } = await sql<NewsRow>`${described}
        where runs.budget_asked_at is not null and runs.ended_at is null
          and (runs.budget_told_at is null or runs.budget_told_at < runs.budget_asked_at)
        order by runs.budget_asked_at limit ${most} for update of runs skip locked`.execute(trx);
      return rows;
    },

    markTold: async (trx: Db, ids: readonly string[], what: "told_at" | "budget_told_at"): Promise<void> => {
      await sql`update runs set ${sql.ref(what)} = now() where id = any(${ids}::uuid[])`.execute(trx);
    },
  };
}
