import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { modelEvent, type NamedModel } from "../model-events.ts";
import { moveAlias } from "./aliases-queries.ts";

interface AliasChange {
  alias: string;
  /** Null: the alias is removed. */
  to: number | null;
  reason: string;
}

/** Inside a transaction that has locked the model. Sets, moves or removes an alias, and records it. False when nothing changes. */
export async function changeAlias(
  trx: Db,
  caller: Caller,
  model: NamedModel,
  { alias, to, reason }: AliasChange,
): Promise<boolean> {
  const moved = await moveAlias(trx, model.id, alias, to, { accountId: caller.accountId, reason });
  if (!moved) return false;
  const { from } = moved;
  const kind = to === null ? "model.alias_remove" : from === null ? "model.alias_set" : "model.alias_move";
  await recordAuditEvent(trx, modelEvent(caller, model, kind, { alias, from, to, reason }));
  return true;
}
