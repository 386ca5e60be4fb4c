import type { Db } from "./database.ts";

/** In the transaction that is under way, or in one of its own. */
export function inTransaction<Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
