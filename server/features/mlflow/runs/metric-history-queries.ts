import type { Db } from "../../../platform/database/database.ts";

/** How many points each row of a metric has, in the order of logging. */
export function listRows(db: Db, runId: string, name: string) {
  return db
    .selectFrom("run_metrics")
    .select(["number", "points"])
    .where("run_id", "=", runId)
    .where("name", "=", name)
    .orderBy("number")
    .execute();
}

/** The points of these rows. */
export function readRows(db: Db, runId: string, name: string, { from, to }: { from: number; to: number }) {
  return db
    .selectFrom("run_metrics")
    .select(["number", "steps", "values", "times"])
    .where("run_id", "=", runId)
    .where("name", "=", name)
    .where("number", ">=", from)
    .where("number", "<=", to)
    .orderBy("number")
    .execute();
}
