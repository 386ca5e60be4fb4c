import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { hasEndedSql, isAliveSql } from "../../../platform/database/job-states-queries.ts";

/** The sessions of a deleted account. Those in other people's workflows stay there. */
export function accountJobQueries(db: Db) {
  return {
    /** Ended ones whose workflow is gone: nobody can see them any more. */
    listRemovable: async (accountId: string, except: readonly string[], limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom("jobs")
        .select("id")
        .where("account_id", "=", accountId)
        .where("graph_id", "is", null)
        .where(hasEndedSql)
        .where(sql<SqlBool>`id <> all(${except}::uuid[])`)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Whether one still runs, or its workflow is still being removed. */
    hasPending: async (accountId: string): Promise<boolean> => {
      const pending = await db
        .selectFrom("jobs")
        .leftJoin("graphs", "graphs.id", "jobs.graph_id")
        .leftJoin("projects", "projects.id", "graphs.project_id")
        .select("jobs.id")
        .where("jobs.account_id", "=", accountId)
        .where((eb) =>
          eb.or([
            isAliveSql("jobs.state"),
            eb.and([eb("jobs.graph_id", "is not", null), eb("projects.owner_id", "is", null)]),
          ]),
        )
        .limit(1)
        .executeTakeFirst();
      return pending !== undefined;
    },
  };
}
