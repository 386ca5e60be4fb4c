import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { showNewest } from "../../tracking/shown-version-queries.ts";
import { moveAlias } from "../aliases/aliases-queries.ts";
import { trashQueries } from "./trash-queries.ts";

// Inside a transaction that has locked the model.

/** False when it is in the trash already. Its aliases are taken away: what follows them must not run a version that nobody sees. */
export async function trashVersion(trx: Db, caller: Caller, modelId: string, number: number): Promise<boolean> {
  const queries = trashQueries(trx);
  if (!(await queries.deleteVersion(modelId, number))) return false;
  const mover = { accountId: caller.accountId, reason: "The version was deleted." };
  for (const alias of await queries.aliasesOf(modelId, number)) await moveAlias(trx, modelId, alias, null, mover);
  await showNewest(trx, modelId);
  return true;
}

/** False when it is not in the trash. It gets back the aliases that it had, except those that were set or removed since. */
export async function takeBackVersion(trx: Db, caller: Caller, modelId: string, number: number): Promise<boolean> {
  const queries = trashQueries(trx);
  // Before the time of its deletion is forgotten.
  const aliases = await queries.lostAliases(modelId, number);
  if (!(await queries.restoreVersion(modelId, number))) return false;
  const mover = { accountId: caller.accountId, reason: "The version was restored." };
  for (const alias of aliases) await moveAlias(trx, modelId, alias, number, mover);
  await showNewest(trx, modelId);
  return true;
}
