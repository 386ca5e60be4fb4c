import type { MonthBudget, PutMonthBudgetBody } from "@miranda/contract/schemas/billing/budgets.ts";
import { monthWords } from "@miranda/contract/words/budget-words.ts";

import { actorOf, recordAuditEvent, withAuditEvent } from "../../../platform/audit/audit-log.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Projects, Right } from "../../projects/projects-service.ts";
import { checkBudgets } from "./check-budgets.ts";
import { type BudgetOwner, monthBudgetQueries as queries } from "./month-budgets-queries.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  /** The currency sign. */
  currency: string;
  checkZone: (zone: string) => Promise<void>;
  /** Called when people have to be told. */
  onWarned: () => void;
}

export type MonthBudgets = ReturnType<typeof createMonthBudgets>;

/** What an account or a project may spend in a month. Without a project, it is the caller's account. */
export function createMonthBudgets({ db, projects, currency, checkZone, onWarned }: Dependencies) {
  async function ownerOf(caller: Caller, projectId: string | undefined, right: Right): Promise<BudgetOwner> {
    if (projectId === undefined) return { accountId: caller.accountId };
    await projects.getProject(caller, projectId, right);
    return { projectId };
  }

  const find = async (owner: BudgetOwner): Promise<MonthBudget | null> => (await queries.find(db, owner)) ?? null;

  return {
    find,

    /** Refuses what would start while a budget is used up. `accountId`: who pays, when it is not a purse. */
    async admit(trx: Db, { accountId, projectId }: { accountId: string | null; projectId: string }): Promise<void> {
      const used = await queries.findUsedUp(trx, accountId, projectId);
      if (!used) return;
      const who = used.is_project ? used.owner || "The owner of the project" : "You";
      throw new AppError(
        "month_budget_reached",
        `${monthWords(used, used.is_project, currency)} ${who} can change this limit.`,
      );
    },

    get: async (caller: Caller, projectId: string | undefined) => find(await ownerOf(caller, projectId, "write")),

    async save(caller: Caller, projectId: string | undefined, body: PutMonthBudgetBody): Promise<MonthBudget | null> {
      const owner = await ownerOf(caller, projectId, "own");
      await checkZone(body.zone);
      const isWarned = await db.transaction().execute(async (trx) => {
        await queries.forgetUnreached(trx, await queries.save(trx, newId(), owner, body));
        const details = { amount: body.amount, at_full: body.at_full };
        await recordAuditEvent(trx, { kind: "budget.set", ...actorOf(caller), projectId, details });
        // The new budget may be below what is already spent.
        const accountIds = "accountId" in owner ? [owner.accountId] : [];
        return (await checkBudgets(trx, accountIds, "projectId" in owner ? owner.projectId : null)).isWarned;
      });
      if (isWarned) onWarned();
      return find(owner);
    },

    async remove(caller: Caller, projectId: string | undefined): Promise<void> {
      const owner = await ownerOf(caller, projectId, "own");
      await withAuditEvent(db, { kind: "budget.remove", ...actorOf(caller), projectId }, async (trx) => {
        if (!(await queries.remove(trx, owner))) throw new AppError("budget_none");
      });
    },
  };
}
