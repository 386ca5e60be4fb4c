import type { RunUsage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Some points of a metric, as they are added to it. */
export interface MetricPoints {
  name: string;
  node: number | null;
  steps: number[];
  values: (number | null)[];
  times: number[];
}

export const runMetricQueries = {
  /** How many points each row has, without reading the points. */
  listRows(db: Db, runId: string) {
    return db
      .selectFrom("run_metrics")
      .select(["name", "node_id", "number", "points"])
      .where("run_id", "=", runId)
      .orderBy("number")
      .execute();
  },

  /** Adds rows, and points to rows that exist. */
  async addPoints(db: Db, runId: string, rows: readonly (MetricPoints & { number: number })[]): Promise<void> {
    await db
      .insertInto("run_metrics")
      .values(rows.map(({ node, ...row }) => ({ run_id: runId, node_id: node, points: row.values.length, ...row })))
      .onConflict((conflict) =>
        conflict.columns(["run_id", "name", "number"]).doUpdateSet({
          points: sql`run_metrics.points + excluded.points`,
          steps: sql`run_metrics.steps || excluded.steps`,
          values: sql`run_metrics.values || excluded.values`,
          times: sql`run_metrics.times || excluded.times`,
        }),
      )
      .execute();
  },

  /** What was measured, once the run has ended. */
  async findUsage(db: Db, runId: string): Promise<RunUsage | null> {
    const row = await db.selectFrom("runs").select("usage").where("id", "=", runId).executeTakeFirst();
    return row?.usage ?? null;
  },

  read(db: Db, runId: string) {
    return db
      .selectFrom("run_metrics")
      .select(["name", "node_id", "steps", "values", "times"])
      .where("run_id", "=", runId)
      .orderBy("number")
      .execute();
  },
};
