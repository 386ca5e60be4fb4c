import { getCredits, writeCredits } from "@miranda/contract/billing/credits.ts";

import type { Db } from "../../../platform/database/database.ts";
import { purseQueries as queries } from "./purses-queries.ts";

/**
 * Gives back what is left in a purse. What was paid in first was spent first, so the newest payments go back. What an
 * administrator granted, or a deleted account paid in, goes back to nobody.
 */
export async function returnPurse(trx: Db, projectId: string): Promise<void> {
  await queries.lockPayers(trx, projectId);
  const balance = await queries.lockBalance(trx, projectId);
  if (balance === undefined) return;
  let left = getCredits(balance);
  for (const { account_id: accountId, kind, amount, is_there } of await queries.paidIn(trx, projectId)) {
    if (left <= 0n) break;
    const part = getCredits(amount) < left ? getCredits(amount) : left;
    left -= part;
    const isReturned = kind === "fill" && is_there;
    const note = isReturned ? "" : kind === "grant" ? "Withdrawn: it was granted" : "Withdrawn: the account is gone";
    const entry = { kind: "return", projectId, accountId } as const;
    await queries.book(trx, { ...entry, amount: writeCredits(-part), isPurse: true, note });
    if (!isReturned) continue;
    await queries.book(trx, { ...entry, amount: writeCredits(part), isPurse: false });
    await queries.give(trx, accountId, writeCredits(part));
  }
  await queries.empty(trx, projectId);
}
