import { getCredits } from "@miranda/contract/billing/credits.ts";
import type { Correction, CorrectionBody, GivenGrant } from "@miranda/contract/schemas/billing/grants.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/transactions.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { correctionQueries as queries } from "./corrections-queries.ts";
import { grantQueries } from "./grants-queries.ts";

export type Corrections = ReturnType<typeof createCorrections>;

const shown = 20;

/** Takes grants back, all or in part, with entries of their own. Like grants, the same key does it once. */
export function createCorrections({ db }: { db: Db }) {
  /** The key was used: for this very correction, or by mistake for something else. */
  async function repeated({ key, grant, amount }: CorrectionBody): Promise<Correction> {
    const earlier = await queries.findByKey(db, key);
    if (!earlier || earlier.grant_key !== grant || (amount !== undefined && amount !== earlier.amount))
      throw new AppError("correction_key_reused");
    return {
      ...{ key, grant, amount: earlier.amount, reason: earlier.note, project_id: earlier.purse_id, repeated: true },
      account: earlier.purse_id === null ? earlier.username : null,
      balance: await grantQueries.balance(db, earlier),
      time_corrected: earlier.created_at.toISOString(),
    };
  }

  return {
    async correct(caller: Caller, body: CorrectionBody): Promise<Correction> {
      const { key, grant, reason } = body;
      if (await queries.isKeyUsed(db, key)) return repeated(body);
      const made = await inTransaction(db, async (trx) => {
        const given = await queries.lockGrant(trx, grant);
        if (!given) throw new AppError("correction_unknown");
        const amount = body.amount ?? given.left;
        if (getCredits(given.left) <= 0n || getCredits(amount) > getCredits(given.left))
          throw new AppError("correction_too_much");
        if (!(await queries.insert(trx, given, { key, amount, reason, by: caller.accountId }))) return false;
        if (given.purse_id === null) await queries.takeFromAccount(trx, given.account_id, amount);
        else if (!(await queries.takeFromPurse(trx, given.purse_id, amount))) throw new AppError("correction_spent");
        const project = { kind: "project", id: given.purse_id ?? "", name: given.project_name };
        const person = { kind: "account", id: given.account_id, name: given.username ?? "" };
        await recordAuditEvent(trx, {
          ...{ ...actorOf(caller), kind: "admin.correction", projectId: given.purse_id },
          subject: given.purse_id === null ? person : project,
          details: { amount, reason, grant },
        });
        return true;
      });
      const correction = await repeated(body);
      return { ...correction, repeated: !made };
    },

    /** The newest ones that an account got. */
    async list(accountId: string): Promise<GivenGrant[]> {
      const rows = await queries.ofAccount(db, accountId, shown);
      return rows.map(({ key, amount, left, note, by, created_at }) => ({
        ...{ key, amount, left, note, by },
        time_granted: created_at.toISOString(),
      }));
    },
  };
}
