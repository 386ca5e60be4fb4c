import { spentOf } from "@miranda/contract/words/budget-words.ts";

import { runNews as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { createPolledWork } from "../../../platform/polled-work.ts";
import type { NotificationsFeature } from "../../notifications/notifications-service.ts";
import { monthBudgetQueries as queries, type Warning } from "./month-budgets-queries.ts";

interface Dependencies {
  db: Db;
  notifications: Pick<NotificationsFeature, "add">;
  /** The currency sign. */
  currency: string;
  report: (error: unknown) => void;
}

/**
 * Tells people how much of a budget for the month is used up. The row of a warning says whether they were told: so nothing
 * is lost when a server is killed, and only one of several servers tells them.
 */
export function createBudgetNews({ db, notifications, currency, report }: Dependencies) {
  async function notifySome(): Promise<boolean> {
    const publishes: (() => Promise<void>)[] = [];
    const count = await db.transaction().execute(async (trx) => {
      const warnings = await queries.takeUntold(trx, limits.batch);
      for (const warning of warnings) {
        const { account_id: accountId, project_id: projectId } = warning;
        const notification = {
          kind: "budget_reached",
          ...wordsOf(warning, currency),
          ...(projectId && { projectId }),
        } as const;
        const publish = accountId === null ? undefined : await notifications.add(trx, { ...notification, accountId });
        if (publish) publishes.push(publish);
        await queries.markTold(trx, warning);
      }
      return warnings.length;
    });
    for (const publish of publishes) await publish().catch(report);
    return count === limits.batch;
  }

  return createPolledWork({ work: notifySome, every: limits.every, report });
}

const thenWords = {
  warn: "Runs go on.",
  pause: "No new runs can start until the month ends or the budget is raised.",
  stop: "Running sessions are stopped, and no new runs can start until the month ends or the budget is raised.",
} as const;

function wordsOf(
  { level, spent, amount, at_full, project_name }: Warning,
  currency: string,
): { title: string; body: string } {
  const whose = project_name === null ? "your budget" : `the budget of ${project_name}`;
  const amounts = `${spentOf(spent, amount, currency)} are spent this month.`;
  return level >= 100
    ? { title: `${upperFirst(whose)} is used up`, body: `${amounts} ${thenWords[at_full]}` }
    : { title: `${level} % of ${whose} is used up`, body: amounts };
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
