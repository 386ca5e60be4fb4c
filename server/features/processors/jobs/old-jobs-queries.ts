import { sql, type SqlBool } from "kysely";

import { housekeeping } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";
import { hasEndedSql } from "../../../platform/database/job-states-queries.ts";
import { lockUntilCommit } from "../../../platform/limits/quota-lock-queries.ts";

/** As text: a Date has milliseconds, and a session that ended in the same one would be left out. */
export interface OldJob {
  id: string;
  endedAt: string;
}

const contents = ["log_chunks", "job_commands", "job_nodes", "job_packages", "usage_samples"] as const;
/** Outputs of a run that is stored stay as long as the run. */
const hasNoRun = sql<SqlBool>`not exists (
  select from runs where runs.job_id = job_outputs.job_id and runs.number = job_outputs.run)`;

export function createOldJobQueries(db: Db) {
  return {
    /** Sessions that ended so many days ago, the oldest first, after this one. */
    find: (days: number, after: OldJob | undefined): Promise<OldJob[]> =>
      db
        .selectFrom("jobs")
        .select(["id", sql<string>`ended_at::text`.as("endedAt")])
        .where(hasEndedSql)
        .where("ended_at", "<", sql<Date>`now() - make_interval(days => ${days})`)
        .where(
          sql<SqlBool>`(ended_at, id) > (${after?.endedAt ?? "-infinity"}::timestamptz,
            ${after?.id ?? "00000000-0000-0000-0000-000000000000"}::uuid)`,
        )
        .orderBy("ended_at")
        .orderBy("id")
        .limit(housekeeping.sessions)
        .execute(),

    /** What belongs to sessions. Deleted with them, a long log would be a million rows in one transaction. */
    async *removeContents(ids: string[]): AsyncGenerator<void> {
      const isTheirs = sql<SqlBool>`job_id = any(${ids}::uuid[])`;
      for (const table of contents) yield* deleteInBatches(db, table, isTheirs);
      yield* deleteInBatches(db, "job_outputs", sql<SqlBool>`${isTheirs} and ${hasNoRun}`);
    },

    /** Removes sessions, together with what `alongside` does with them. */
    remove: (ids: string[], alongside: (trx: Db, ids: string[]) => Promise<void>): Promise<void> =>
      db.transaction().execute(async (trx) => {
        // Of two servers one at a time: each would wait for a row that the other has changed.
        await lockUntilCommit(trx, "removing old sessions");
        const left = await trx
          .selectFrom("jobs")
          .select("id")
          .where("id", "=", sql<string>`any(${ids})`)
          .forUpdate()
          .execute();
        const leftIds = left.map(({ id }) => id);
        await alongside(trx, leftIds);
        await trx
          .deleteFrom("jobs")
          .where("id", "=", sql<string>`any(${leftIds})`)
          .execute();
      }),

    /** Old samples. Their sum stays with the session and in the ledger. */
    async *removeSamples(days: number): AsyncGenerator<void> {
      // Each batch begins where the last one ended: otherwise it would pass over all deleted rows again.
      let from = "-infinity";
      for (;;) {
        const { rows } = await sql<{ count: number; last: string | null }>`
          with gone as (
            delete from usage_samples where ctid = any(array(
              select ctid from usage_samples
              where created_at >= ${from}::timestamptz and created_at < now() - make_interval(days => ${days})
              order by created_at limit ${housekeeping.samples} for update skip locked))
            returning created_at
          )
          select count(*) as count, max(created_at)::text as last from gone`.execute(db);
        const [{ count, last } = { count: 0, last: null }] = rows;
        yield;
        if (last === null || count < housekeeping.samples) return;
        from = last;
      }
    },
  };
}

export type OldJobQueries = ReturnType<typeof createOldJobQueries>;
