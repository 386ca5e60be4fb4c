import type { MonthBudget, PutMonthBudgetBody } from "@miranda/contract/schemas/billing/budgets.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** Whose budget it is. */
export type BudgetOwner = { accountId: string } | { projectId: string };

const isOf = (owner: BudgetOwner) =>
  "accountId" in owner ? sql`budgets.account_id = ${owner.accountId}` : sql`budgets.project_id = ${owner.projectId}`;

const columns = sql`amount::text, at_full, zone, budget_spent(budgets)::numeric(18, 9)::text as spent,
  date_trunc('month', now() at time zone zone)::date::text as month`;

export interface UsedUpBudget {
  spent: string;
  amount: string;
  is_project: boolean;
  owner: string | null;
}

/** A warning that people have not been told yet. */
export interface Warning {
  budget_id: string;
  month: string;
  level: number;
  spent: string;
  amount: string;
  at_full: "warn" | "pause" | "stop";
  project_id: string | null;
  project_name: string | null;
  /** The account, or the owner of the project. Null once it is deleted. */
  account_id: string | null;
}

export const monthBudgetQueries = {
  find: async (db: Db, owner: BudgetOwner): Promise<MonthBudget | undefined> => {
    const { rows } = await sql<MonthBudget>`select ${columns} from budgets where ${isOf(owner)}`.execute(db);
    return rows[0];
  },

  save: async (db: Db, id: string, owner: BudgetOwner, budget: PutMonthBudgetBody): Promise<string> => {
    const accountId = "accountId" in owner ? owner.accountId : null;
    const projectId = "projectId" in owner ? owner.projectId : null;
    const { rows } = await sql<{ id: string }>`
      insert into budgets (id, account_id, project_id, amount, at_full, zone)
      values (${id}, ${accountId}, ${projectId}, ${budget.amount}::numeric, ${budget.at_full}, ${budget.zone})
      on conflict (${accountId === null ? sql`project_id` : sql`account_id`})
      do update set amount = excluded.amount, at_full = excluded.at_full, zone = excluded.zone, updated_at = now()
      returning id`.execute(db);
    const [row] = rows;
    if (!row) throw new Error("An upsert always has a row.");
    return row.id;
  },

  /** After a budget was raised: forgets levels that are no longer reached, so that people are told again. */
  forgetUnreached: async (trx: Db, id: string): Promise<void> => {
    await sql`delete from budget_warnings using budgets where budgets.id = ${id} and budget_id = budgets.id
      and level > 100 * budget_spent(budgets) / amount`.execute(trx);
  },

  remove: async (db: Db, owner: BudgetOwner): Promise<boolean> => {
    const { numAffectedRows } = await sql`delete from budgets where ${isOf(owner)}`.execute(db);
    return numAffectedRows === 1n;
  },

  /** A budget of the account or the project that is used up and lets nothing new start. */
  findUsedUp: async (db: Db, accountId: string | null, projectId: string): Promise<UsedUpBudget | undefined> => {
    const { rows } = await sql<UsedUpBudget>`
      select budget_spent(budgets)::numeric(18, 9)::text as spent, amount::text, project_id is not null as is_project,
        (select trim(concat_ws(' ', first_name, last_name)) from projects join accounts on accounts.id = projects.owner_id
          where projects.id = budgets.project_id) as owner
      from budgets where (account_id = ${accountId}::uuid or project_id = ${projectId}::uuid) and at_full <> 'warn'
        and budget_spent(budgets) >= amount order by is_project limit 1`.execute(db);
    return rows[0];
  },

  /** Locks and returns warnings that nobody was told about. */
  takeUntold: async (trx: Db, most: number): Promise<Warning[]> => {
    const { rows } = await sql<Warning>`
      select warning.budget_id, warning.month::text as month, warning.level, warning.spent::text as spent,
        budgets.amount::text as amount, budgets.at_full, budgets.project_id, projects.name as project_name,
        coalesce(budgets.account_id, projects.owner_id) as account_id
      from budget_warnings as warning join budgets on budgets.id = warning.budget_id
        left join projects on projects.id = budgets.project_id
      where warning.told_at is null order by warning.month, warning.budget_id, warning.level limit ${most}
      for update of warning skip locked`.execute(trx);
    return rows;
  },

  markTold: async (trx: Db, { budget_id, month, level }: Warning): Promise<void> => {
    await sql`update budget_warnings set told_at = now()
      where budget_id = ${budget_id} and month = ${month}::date and level = ${level}`.execute(trx);
  },
};
