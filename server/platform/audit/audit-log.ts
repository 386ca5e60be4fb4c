import type { Db } from "../database/database.ts";
import { inTransaction } from "../database/transactions.ts";
import type { Caller } from "../http/caller.ts";
import type { AuditEvent } from "./audit-event.ts";
import { insertAuditEvent } from "./audit-log-queries.ts";

/** Adds a record. In the transaction of the event, so that there is never one without the other. */
export async function recordAuditEvent(db: Db, event: AuditEvent): Promise<void> {
  await insertAuditEvent(db, event);
}

/** Makes a change and records it, or neither. The change throws when it is refused. */
export function withAuditEvent<Result>(
  db: Db,
  event: AuditEvent,
  change: (trx: Db) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (trx) => {
    const result = await change(trx);
    await recordAuditEvent(trx, event);
    return result;
  });
}

/** Who does it, from where, and with which access token. */
export function actorOf({ accountId, visitor, token }: Caller): Pick<AuditEvent, "actor" | "visitor" | "token"> {
  return { actor: accountId, visitor, token: token?.name };
}
