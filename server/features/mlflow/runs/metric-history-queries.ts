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

/** Facts about the rows of a metric with steps in this range. It reads no points. */
export function listRowsInRange(db: Db, runId: string, name: string, range?: { from: number; to: number }) {
  return db
    .selectFrom("run_metrics")
    .select([
      ...(["number", "points", "low", "low_step", "low_time"] as const),
      ...(["high", "high_step", "high_time"] as const),
    ])
    .where("run_id", "=", runId)
    .where("name", "=", name)
    .$if(range !== undefined, (query) =>
      query.where("first_step", "<=", range?.to ?? 0).where("last_step", ">=", range?.from ?? 0),
    )
    .orderBy("number")
    .execute();
}
