import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { showNewest } from "../../tracking/shown-version-queries.ts";
import { changeAlias } from "../aliases/change-alias.ts";
import { modelEvent, type NamedModel } from "../model-events.ts";
import { trashQueries } from "./trash-queries.ts";

// Inside a transaction that has locked the model.

/** False when it is in the trash already. Its aliases are taken away: what follows them must not run a version that nobody sees. */
export async function trashVersion(trx: Db, caller: Caller, model: NamedModel, number: number): Promise<boolean> {
  const queries = trashQueries(trx);
  if (!(await queries.deleteVersion(model.id, number, caller.accountId))) return false;
  await recordAuditEvent(trx, modelEvent(caller, model, "model.version_delete", { number }));
  for (const alias of await queries.aliasesOf(model.id, number))
    await changeAlias(trx, caller, model, { alias, to: null, reason: "The version was deleted." });
  await showNewest(trx, model.id);
  return true;
}

/** False when it is not in the trash. It gets back the aliases that it had, except those that were set or removed since. */
export async function takeBackVersion(trx: Db, caller: Caller, model: NamedModel, number: number): Promise<boolean> {
  const queries = trashQueries(trx);
  // Before the time of its deletion is forgotten.
  const aliases = await queries.lostAliases(model.id, number);
  if (!(await queries.restoreVersion(model.id, number))) return false;
  await recordAuditEvent(trx, modelEvent(caller, model, "model.version_restore", { number }));
  for (const alias of aliases)
    await changeAlias(trx, caller, model, { alias, to: number, reason: "The version was restored." });
  await showNewest(trx, model.id);
  return true;
}
