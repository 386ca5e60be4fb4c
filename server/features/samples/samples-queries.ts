import type { SampleName } from "@miranda/contract/schemas/library/samples.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

const now = sql<Date>`now()`;

export function createSampleQueries(db: Db) {
  // A deleted project has no owner from the first moment; its content is removed later.
  const there = db
    .selectFrom("samples")
    .innerJoin("graphs", "graphs.id", "samples.graph_id")
    .innerJoin("projects", "projects.id", "graphs.project_id")
    .select(["samples.sample", "graphs.id as graph_id", "graphs.project_id"])
    .whereRef("projects.owner_id", "=", "samples.account_id")
    .orderBy("samples.created_at");

  return {
    list: (accountId: string) => there.where("samples.account_id", "=", accountId).execute(),

    find: (accountId: string, sample: SampleName) =>
      there.where("samples.account_id", "=", accountId).where("samples.sample", "=", sample).executeTakeFirst(),

    keep: async (accountId: string, sample: SampleName, graphId: string): Promise<void> => {
      await db
        .insertInto("samples")
        .values({ account_id: accountId, sample, graph_id: graphId })
        // Made again because the person asked for it: `opened_at` stays as it was.
        .onConflict((conflict) => conflict.columns(["account_id", "sample"]).doUpdateSet({ graph_id: graphId }))
        .execute();
    },

    markOpened: async (accountId: string): Promise<void> => {
      await db
        .updateTable("samples")
        .set({ opened_at: now })
        .where("account_id", "=", accountId)
        .where("opened_at", "is", null)
        .execute();
    },
  };
}
