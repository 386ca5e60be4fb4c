import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

interface LockedBudget {
  id: string;
  account_id: string | null;
  project_id: string | null;
  at_full: "warn" | "pause" | "stop";
}

interface SpentBudget {
  spent: string;
  amount: string;
  /** The first day of the month, in the time zone of the budget. */
  month: string;
}

export const budgetChecks = {
  lock: async (trx: Db, accountIds: readonly string[], projectId: string | null): Promise<LockedBudget[]> => {
    const { rows } = await sql<LockedBudget>`
      select id, account_id, project_id, at_full from budgets
      where account_id = any(${accountIds}::uuid[]) or project_id = ${projectId}::uuid
      order by id for no key update`.execute(trx);
    return rows;
  },

  spent: async (trx: Db, id: string): Promise<SpentBudget> => {
    const { rows } = await sql<SpentBudget>`
      select budget_spent(budgets)::numeric(18, 9)::text as spent, amount::text,
        date_trunc('month', now() at time zone zone)::date::text as month
      from budgets where id = ${id}`.execute(trx);
    const [row] = rows;
    if (!row) throw new Error("The budget is locked, so it is there.");
    return row;
  },

  /** True when a new level was reached in this month. Of several levels, people are told the highest. */
  warn: async (
    trx: Db,
    { id, month, spent, levels }: { id: string; month: string; spent: string; levels: readonly number[] },
  ): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      insert into budget_warnings (budget_id, month, level, spent, told_at)
      select ${id}::uuid, ${month}::date, level, ${spent}::numeric, case when level < ${Math.max(...levels)} then now() end
      from unnest(${levels}::integer[]) as level on conflict do nothing`.execute(trx);
    return (numAffectedRows ?? 0n) > 0n;
  },
};
