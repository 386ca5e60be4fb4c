import { sql, type SqlBool } from "kysely";

import { runHistory as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";
import { removeTracked } from "../tracking/old-tracked-runs-queries.ts";
import { firstIdAt } from "./run-lists-queries.ts";

interface OldRun {
  id: string;
  job_id: string;
  number: number;
}

const contents = ["run_nodes", "run_exceptions"] as const;

export function createOldRunQueries(db: Db) {
  return {
    /** Ended runs that began so many days ago, the oldest first. A version of a model leads back to its run, so both stay. */
    find: (days: number): Promise<OldRun[]> =>
      db
        .selectFrom("runs")
        .select(["id", "job_id", "number"])
        .where("began_at", "<", sql<Date>`now() - make_interval(days => ${days})`)
        .where("ended_at", "is not", null)
        .where(sql<SqlBool>`not exists (select from model_versions where run_id = runs.id)`)
        .orderBy("began_at")
        .limit(limits.removedAtOnce)
        .execute(),

    /** What belongs to runs. Deleted with them, a few large ones would be a hundred thousand rows in one transaction. */
    async *removeContents(runs: readonly OldRun[]): AsyncGenerator<void> {
      const ids = runs.map(({ id }) => id);
      for (const table of contents) yield* deleteInBatches(db, table, sql<SqlBool>`run_id = any(${ids}::uuid[])`);
      yield* removeTracked(db, ids);
      for (const { job_id, number } of runs)
        yield* deleteInBatches(db, "job_outputs", sql<SqlBool>`job_id = ${job_id} and run = ${number}`);
    },

    remove: async (runs: readonly OldRun[]): Promise<void> => {
      const ids = runs.map(({ id }) => id);
      await db
        .deleteFrom("runs")
        .where("id", "=", sql<string>`any(${ids})`)
        .execute();
    },

    /** Calls of deployments are kept as long as runs. Their ids begin with the time. */
    removeCalls: (days: number): AsyncGenerator<void> => {
      const first = firstIdAt(new Date(Date.now() - days * 86_400_000).toISOString());
      return deleteInBatches(db, "calls", sql<SqlBool>`id < ${first}::uuid and ended_at is not null`);
    },

    /** Projects whose runs have more outputs than this. */
    findCrowded: async (bytes: number): Promise<string[]> => {
      const { rows } = await sql<{ project_id: string }>`
        select project_id from runs where output_bytes > 0 and project_id is not null
        group by project_id having sum(output_bytes) > ${bytes}`.execute(db);
      return rows.map(({ project_id }) => project_id);
    },

    /** The oldest runs of a project whose outputs do not fit any more. The newest keeps its outputs whatever they take. */
    findExcess: async (projectId: string, bytes: number): Promise<OldRun[]> => {
      const { rows } = await sql<OldRun>`
        select id, job_id, number from (
          select id, job_id, number, sum(output_bytes) over (order by id desc) - output_bytes as newer
          from runs where project_id = ${projectId} and output_bytes > 0 and ended_at is not null
        ) as runs where newer >= ${bytes} order by id limit ${limits.removedAtOnce}`.execute(db);
      return rows;
    },

    removeOutputs: ({ id, job_id, number }: OldRun): Promise<void> =>
      db.transaction().execute(async (trx) => {
        // The session first, as reports of its agent lock it: otherwise the two could wait for each other.
        await trx.selectFrom("jobs").select("id").where("id", "=", job_id).forUpdate().execute();
        await trx.deleteFrom("job_outputs").where("job_id", "=", job_id).where("run", "=", number).execute();
        await sql`
          with before as (select output_bytes from runs where id = ${id}),
            marked as (update runs set outputs_removed = true, output_bytes = 0 where id = ${id})
          update jobs set output_bytes = greatest(0, jobs.output_bytes - before.output_bytes) from before
          where jobs.id = ${job_id}`.execute(trx);
      }),
  };
}
