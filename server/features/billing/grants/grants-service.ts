import { getCredits } from "@miranda/contract/billing/credits.ts";
import { spending as limits } from "@miranda/contract/limits.ts";
import type { Grant, GrantBody } from "@miranda/contract/schemas/billing/grants.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { purseQueries } from "../purses/purses-queries.ts";
import { grantQueries as queries, type GrantRow } from "./grants-queries.ts";

export type Grants = ReturnType<typeof createGrants>;

const balanceMax = BigInt(limits.balanceMax) * 1_000_000_000n;

/** Credits that administrators give. A payment system may do it with an administrator's token. */
export function createGrants({ db, sendsMails }: { db: Db; sendsMails: boolean }) {
  /** Where mails can be sent, an address counts once it is confirmed. */
  const lockAccount = (trx: Db, name: string) => queries.lockAccount(trx, name, sendsMails);

  /** The same key with another amount or for somebody else is a mistake, not a repetition. */
  async function repeated(body: GrantBody, earlier: GrantRow): Promise<Grant> {
    const isSame =
      earlier.amount === body.amount &&
      earlier.purse_id === (body.project_id ?? null) &&
      (body.project_id !== undefined || (await lockAccount(db, body.account ?? ""))?.id === earlier.account_id);
    if (!isSame) throw new AppError("grant_key_reused");
    return toGrant(body.key, earlier, await queries.balance(db, earlier), true);
  }

  return {
    async grant(caller: Caller, body: GrantBody): Promise<Grant> {
      if (!caller.isAdmin) throw new AppError("not_admin");
      const { key, amount, note, account = "", project_id: projectId } = body;
      if ((account === "") === (projectId === undefined)) throw new AppError("grant_target");
      const earlier = await queries.findByKey(db, key);
      if (earlier) return repeated(body, earlier);
      const made = await db.transaction().execute(async (trx) => {
        const found = projectId === undefined ? await lockAccount(trx, account) : { id: caller.accountId };
        if (!found || (projectId !== undefined && !(await queries.isProject(trx, projectId))))
          throw new AppError("grant_unknown");
        const target = { accountId: found.id, projectId: projectId ?? null };
        const row = await queries.insert(trx, { key, ...target, by: caller.accountId, amount, note });
        if (!row) return undefined;
        if (projectId === undefined) await queries.addToAccount(trx, found.id, amount);
        else await purseQueries.add(trx, projectId, amount);
        const balance = await queries.balance(trx, row);
        if (getCredits(balance) > balanceMax) throw new AppError("grant_too_much");
        const project = { kind: "project", id: row.purse_id ?? "", name: row.project_name };
        const person = { kind: "account", id: row.account_id, name: row.username ?? "" };
        await recordAuditEvent(trx, {
          ...{ ...actorOf(caller), kind: "admin.grant", projectId: row.purse_id, details: { amount, note } },
          subject: row.purse_id === null ? person : project,
        });
        return toGrant(key, row, balance, false);
      });
      if (made) return made;
      // Another request with the same key was faster.
      const twin = await queries.findByKey(db, key);
      if (!twin) throw new AppError("grant_key_reused");
      return repeated(body, twin);
    },
  };
}

function toGrant(key: string, row: GrantRow, balance: string, isRepeated: boolean): Grant {
  const { amount, note, purse_id: project_id, username } = row;
  const account = project_id === null ? username : null;
  return {
    key,
    amount,
    note,
    account,
    project_id,
    balance,
    repeated: isRepeated,
    time_granted: row.created_at.toISOString(),
  };
}
