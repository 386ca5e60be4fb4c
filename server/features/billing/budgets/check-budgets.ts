import { budgetLevels } from "@miranda/contract/limits.ts";
import { getCredits } from "@miranda/contract/billing/credits.ts";

import type { Db } from "../../../platform/database/database.ts";
import { budgetChecks as queries } from "./check-budgets-queries.ts";

/** A budget that is used up: whose it is, and what it was. */
export interface FullBudget {
  accountId: string | null;
  projectId: string | null;
  spent: string;
  amount: string;
}

/**
 * Notes how much of the budgets is used up, in the transaction that charges. Each budget is locked before its sum is read:
 * of two charges at the same time, the second one sees both.
 */
export async function checkBudgets(
  trx: Db,
  accountIds: readonly string[],
  projectId: string | null,
): Promise<{ full: FullBudget[]; isWarned: boolean }> {
  const full: FullBudget[] = [];
  let isWarned = false;
  for (const { id, account_id, project_id, at_full } of await queries.lock(trx, accountIds, projectId)) {
    const { spent, amount, month } = await queries.spent(trx, id);
    const reached = budgetLevels.filter((level) => getCredits(spent) * 100n >= getCredits(amount) * BigInt(level));
    if (reached.length > 0 && (await queries.warn(trx, { id, month, spent, levels: reached }))) isWarned = true;
    if (at_full === "stop" && reached.includes(100))
      full.push({ accountId: account_id, projectId: project_id, spent, amount });
  }
  return { full, isWarned };
}
