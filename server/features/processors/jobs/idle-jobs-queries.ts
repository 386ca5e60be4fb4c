import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isReadySql } from "../../../platform/database/job-states-queries.ts";

const now = sql<Date>`now()`;
// A run counts as use: it changes the state.
const lastUse = sql<Date>`greatest(jobs.used_at, jobs.state_at)`;
const secondsAgo = (seconds: number) => sql<Date>`now() - make_interval(secs => ${seconds})`;

/** All times are the database's: each server has its own clock. */
export function createIdleQueries(db: Db, accessOfAccounts: Expression<ProjectAccess | null>) {
  return {
    /** READY sessions that nobody has used for this long. */
    unusedFor: (seconds: number) =>
      db
        .selectFrom("jobs")
        .select(["id", "graph_id"])
        .where(isReadySql)
        .where("deployment_id", "is", null)
        .where(lastUse, "<", secondsAgo(seconds))
        .execute(),

    /** Whether one of these accounts may change the workflow. */
    mayChange: async (graphId: string, accountIds: string[]): Promise<boolean> => {
      const found = await db
        .selectFrom("graphs")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .innerJoin("accounts", (join) => join.on("accounts.id", "=", sql<string>`any(${accountIds})`))
        .select("accounts.id")
        .where("graphs.id", "=", graphId)
        .where(sql<SqlBool>`coalesce(${accessOfAccounts}, 'viewer') <> 'viewer'`)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    /** Restarts the idle time. True when the end had been announced. */
    use: async (id: string): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const before = await trx
          .selectFrom("jobs")
          .select("ends_at")
          .where("id", "=", id)
          .forUpdate()
          .executeTakeFirst();
        await trx.updateTable("jobs").set({ used_at: now, ends_at: null }).where("id", "=", id).execute();
        return before?.ends_at !== null && before !== undefined;
      }),

    /**
     * Announces the end of sessions unused for `unusedFor` seconds, in `endsIn` seconds. Of several servers, one does.
     */
    announce: async (unusedFor: number, endsIn: number): Promise<string[]> => {
      const rows = await db
        .updateTable("jobs")
        .set({ ends_at: sql<Date>`now() + make_interval(secs => ${endsIn})` })
        .where(isReadySql)
        .where("deployment_id", "is", null)
        .where("ends_at", "is", null)
        .where(lastUse, "<", secondsAgo(unusedFor))
        .returning("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    due: () => db.selectFrom("jobs").select(["id", "graph_id"]).where(isReadySql).where("ends_at", "<=", now).execute(),

    /** Locks the job if it is still due: somebody may have used it just now. */
    lockDue: async (trx: Db, id: string): Promise<boolean> => {
      const found = await trx
        .selectFrom("jobs")
        .select("id")
        .where("id", "=", id)
        .where(isReadySql)
        .where("ends_at", "<=", now)
        .forUpdate()
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}

export type IdleQueries = ReturnType<typeof createIdleQueries>;
