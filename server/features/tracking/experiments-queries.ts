import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { lockQuota } from "../../platform/limits/quota-lock.ts";

/** The default experiment of a project. It is made when it is first needed. */
export const defaultExperiment = { number: 0, name: "Default" } as const;

/** Makes the default experiment of a project, unless it is there. */
export async function ensureDefaultExperiment(db: Db, projectId: string): Promise<void> {
  await db
    .insertInto("experiments")
    .values({ project_id: projectId, ...defaultExperiment })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Inside a transaction. Numbers are given one at a time: two clients at once would get the same. */
export async function nextExperiment(trx: Db, projectId: string): Promise<number> {
  await lockQuota(trx, { what: "experiments", owner: projectId });
  await ensureDefaultExperiment(trx, projectId);
  const { next } = await trx
    .selectFrom("experiments")
    .select(sql<number>`max(number) + 1`.as("next"))
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return next;
}

/** Inside a transaction. The experiment of a workflow has its name, made unlike others where that is taken. */
export async function ensureExperimentOf(trx: Db, graph: { id: string; project_id: string; name: string }) {
  const known = () =>
    trx.selectFrom("experiments").select("number").where("graph_id", "=", graph.id).executeTakeFirst();
  const before = await known();
  if (before) return before.number;
  const number = await nextExperiment(trx, graph.project_id);
  const meanwhile = await known();
  if (meanwhile) return meanwhile.number;
  const { rows } = await sql<{ number: number }>`
    insert into experiments (project_id, number, name, graph_id)
    select ${graph.project_id}, ${number}, case when exists (
        select from experiments where project_id = ${graph.project_id} and name = ${graph.name}
      ) then ${`${graph.name} (${graph.id.slice(-8)})`} else ${graph.name} end, ${graph.id}
    returning number`.execute(trx);
  return rows[0]?.number ?? number;
}
