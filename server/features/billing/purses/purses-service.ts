import type { FillPurseBody, PayerOfWorkflow, Purse } from "@miranda/contract/schemas/billing/purses.ts";
import { getCredits, writeCredits } from "@miranda/contract/billing/credits.ts";

import { actorOf, recordAuditEvent, withAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { purseQueries as queries } from "./purses-queries.ts";
import { returnPurse } from "./return-purse.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  graphs: Pick<Graphs, "getGraph">;
}

export type Purses = ReturnType<typeof createPurses>;

/** Credits of projects. */
export function createPurses({ db, projects, graphs }: Dependencies) {
  async function get(caller: Caller, projectId: string): Promise<Purse> {
    const { access } = await projects.getProject(caller, projectId, "read");
    const [purse, isMember] = await Promise.all([
      queries.find(db, projectId),
      queries.isMember(db, projectId, caller.accountId),
    ]);
    const maySee = isMember || access === "owner";
    return {
      in_use: purse?.in_use ?? false,
      balance: maySee ? (purse?.balance ?? writeCredits(0n)) : null,
      may_fill: isMember,
      may_manage: access === "owner",
    };
  }

  return {
    get,
    /** For the Run menu, which says who pays. */
    async ofGraph(caller: Caller, graphId: string): Promise<PayerOfWorkflow> {
      const { project_id } = await graphs.getGraph(caller, graphId, "read");
      const purse = await get(caller, project_id);
      return { ...purse, session: purse.balance === null ? null : await queries.payerOfSession(db, graphId) };
    },
    lockInUse: queries.lockInUse,

    /** Applies to new sessions. Running ones are paid to their end by the purse or account that paid at their start. */
    async setInUse(caller: Caller, projectId: string, inUse: boolean): Promise<Purse> {
      await projects.getProject(caller, projectId, "own");
      const details = { pays: inUse ? "pays for new sessions" : "does not pay for new sessions" };
      const event = { kind: "purse.use", ...actorOf(caller), projectId, details } as const;
      await withAuditEvent(db, event, (trx) => queries.setInUse(trx, projectId, inUse));
      return get(caller, projectId);
    },

    async fill(caller: Caller, projectId: string, { amount, key }: FillPurseBody): Promise<Purse> {
      await projects.getProject(caller, projectId, "read");
      const { accountId } = caller;
      if (!(await queries.isMember(db, projectId, accountId))) throw new AppError("purse_members");
      await db.transaction().execute(async (trx) => {
        const entry = { kind: "fill", projectId, accountId } as const;
        const once = key === undefined ? undefined : `fill:${projectId}:${accountId}:${key}`;
        if (!(await queries.book(trx, { ...entry, amount, isPurse: true, key: once }))) return;
        if (!(await queries.take(trx, accountId, amount))) throw new AppError("purse_short");
        await queries.book(trx, { ...entry, amount: writeCredits(-getCredits(amount)), isPurse: false });
        await queries.add(trx, projectId, amount);
        await recordAuditEvent(trx, { kind: "purse.fill", ...actorOf(caller), projectId, details: { amount } });
      });
      return get(caller, projectId);
    },

    /** What is left goes back to those who filled it. */
    async close(caller: Caller, projectId: string): Promise<Purse> {
      await projects.getProject(caller, projectId, "own");
      await db.transaction().execute(async (trx) => {
        // While it is locked, no session can start with it. A running one would leave a debt.
        await queries.lockPayers(trx, projectId);
        await queries.lockBalance(trx, projectId);
        if (await queries.hasSessions(trx, projectId)) throw new AppError("purse_in_use");
        await returnPurse(trx, projectId);
        await recordAuditEvent(trx, { kind: "purse.close", ...actorOf(caller), projectId });
      });
      return get(caller, projectId);
    },
  };
}
