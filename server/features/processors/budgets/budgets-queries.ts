import type { ProjectBudgets, PutProjectBudgetsBody } from "@miranda/contract/schemas/news/budgets.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import type { BudgetQuestion } from "../../../tables/run-tables.ts";

/** A run that waits for an answer. */
export interface AskedRun {
  id: string;
  job_id: string;
  question: BudgetQuestion;
  /** Seconds. */
  waited: number;
  state: WorkflowState;
}

/** Who would pay for a run. */
export interface Payer {
  /** Null: a purse pays. */
  accountId: string | null;
  /** A session has its payer since it was started. Before that, a purse in use goes before the account. */
  isDecided: boolean;
}

/** What a project has cost since midnight by the clock of the database, which the ledger uses too. */
const spentToday = (projectId: ReturnType<typeof sql.ref>) =>
  sql<number>`(select coalesce(-sum(amount), 0)::double precision from ledger
    where ledger.project_id = ${projectId} and day = current_date and kind = 'usage')`;
const ofProject = sql.ref("projects.id");

const waiting = sql`ended_at is null and budget_asked_at is not null`;

export const budgetQueries = {
  ofProject: (db: Db, projectId: string): Promise<ProjectBudgets> =>
    db
      .selectFrom("projects")
      .select(["run_budget", "day_budget", spentToday(ofProject).as("spent_today")])
      .where("id", "=", projectId)
      .executeTakeFirstOrThrow(),

  save: async (db: Db, projectId: string, budgets: PutProjectBudgetsBody): Promise<void> => {
    await db.updateTable("projects").set(budgets).where("id", "=", projectId).execute();
  },

  /** The limits for a run that is about to begin. What the day has cost is counted only where that matters. */
  forRun: async (db: Db, graphId: string, { accountId, isDecided }: Payer) => {
    const { rows } = await sql<{
      project_id: string;
      payer_id: string | null;
      is_month_spent: boolean;
      run_budget: number | null;
      day_budget: number | null;
      spent_today: number | null;
      owner: string | null;
    }>`
      select projects.id as project_id, payer.id as payer_id,
        is_month_spent(payer.id, projects.id) as is_month_spent,
        projects.run_budget, projects.day_budget,
        case when projects.day_budget is not null then ${spentToday(ofProject)} end as spent_today,
        (select trim(concat_ws(' ', first_name, last_name)) from accounts where accounts.id = projects.owner_id) as owner
      from graphs join projects on projects.id = graphs.project_id
        left join purses on purses.project_id = projects.id and purses.in_use
        cross join lateral (
          select case when ${isDecided} or purses.project_id is null then ${accountId}::uuid end as id
        ) payer
      where graphs.id = ${graphId}`.execute(db);
    return rows[0];
  },

  /** What a living run has cost, when it has a limit and nobody is asked yet. */
  findLimited: async (trx: Db, runId: string) => {
    const { rows } = await sql<{
      cost: number;
      budget: number | null;
      budget_allowed: number | null;
      day_budget: number | null;
      spent_today: number | null;
    }>`
      select runs.cost, runs.budget, runs.budget_allowed, projects.day_budget,
        case when projects.day_budget is not null then ${spentToday(ofProject)} end as spent_today
      from runs join projects on projects.id = runs.project_id
      where runs.id = ${runId} and runs.ended_at is null and runs.budget_asked_at is null
        and (runs.budget is not null or projects.day_budget is not null)`.execute(trx);
    return rows[0];
  },

  ask: async (trx: Db, runId: string, question: BudgetQuestion): Promise<void> => {
    await sql`update runs set budget_asked_at = now(), budget_question = ${JSON.stringify(question)}::jsonb
      where id = ${runId}`.execute(trx);
  },

  findRun: (db: Db, runId: string) =>
    db
      .selectFrom("runs")
      .select(["graph_id", "job_id", "budget_question as question"])
      .where("id", "=", runId)
      .executeTakeFirst(),

  isAsked: async (trx: Db, jobId: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from runs where job_id = ${jobId} and ${waiting}`.execute(trx);
    return rows.length > 0;
  },

  isStillAsked: async (trx: Db, runId: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from runs where id = ${runId} and ${waiting} for update`.execute(trx);
    return rows.length > 0;
  },

  /**
   * Lets a run go past the limit that people are asked about. `resumes`: it has not paused yet, and goes on when it does.
   * False when nobody is asked about this limit any more: who may answer depends on the limit.
   */
  raise: async (
    trx: Db,
    runId: string,
    { limit, by, resumes }: { limit: BudgetQuestion["limit"]; by: number; resumes: boolean },
  ): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      update runs set budget = case when cost >= budget then cost + ${by} else budget end,
        budget_allowed = case when ${limit} = 'day' then cost + ${by} else budget_allowed end,
        budget_asked_at = null, budget_question = null, budget_resumes = ${resumes}
      where id = ${runId} and ${waiting} and budget_question ->> 'limit' = ${limit}
        and not (budget_question -> 'interrupted')::boolean`.execute(trx);
    return numAffectedRows === 1n;
  },

  /** True once for a run that somebody has let go on before it paused. */
  takeResume: async (trx: Db, runId: string): Promise<boolean> => {
    const { numAffectedRows } =
      await sql`update runs set budget_resumes = false where id = ${runId} and budget_resumes`.execute(trx);
    return numAffectedRows === 1n;
  },

  markInterrupted: async (trx: Db, runId: string): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      update runs set budget_question = jsonb_set(budget_question, '{interrupted}', 'true')
      where id = ${runId} and ${waiting} and not (budget_question -> 'interrupted')::boolean`.execute(trx);
    return numAffectedRows === 1n;
  },

  listAsked: async (db: Db): Promise<AskedRun[]> => {
    const { rows } = await sql<AskedRun>`
      select runs.id, runs.job_id, runs.budget_question as question, jobs.state,
        extract(epoch from now() - runs.budget_asked_at)::double precision as waited
      from runs join jobs on jobs.id = runs.job_id
      where runs.budget_asked_at is not null and runs.ended_at is null and jobs.state in ('RUNNING', 'RESUMEREADY')`.execute(
      db,
    );
    return rows;
  },
};
