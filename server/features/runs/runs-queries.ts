import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import { outputPages } from "../../limits.ts";
import { findReadOnly } from "../../model/read-only-projects-queries.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Trial } from "../../tables/run-tables.ts";
import { removeTracked } from "../tracking/old-tracked-runs-queries.ts";

export type RunRow = NonNullable<Awaited<ReturnType<ReturnType<typeof createRunQueries>["find"]>>>;

/** The name of a node as it was in the run. It may have failed before the plan was reported. */
const nameOf = (node: "target" | "failed_node") => {
  const id = sql.ref(`runs.${node}`);
  return sql<string | null>`coalesce(
    (select name from run_nodes where run_nodes.run_id = runs.id and run_nodes.node_id = ${id}),
    (select name from nodes where metadata_id = ${id} and nodes.graph_id = runs.graph_id))`;
};

/** Reads runs. */
export function createRunQueries(db: Db) {
  const described = db
    .selectFrom("runs")
    .innerJoin("graphs", "graphs.id", "runs.graph_id")
    .innerJoin("projects", "projects.id", "graphs.project_id")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "runs.account_id").on("accounts.deleted_at", "is", null),
    )
    .leftJoin("graph_versions", "graph_versions.id", "runs.version_id")
    .leftJoin("jobs", "jobs.id", "runs.job_id")
    .select([
      "runs.id",
      "runs.graph_id",
      "runs.account_id as author_id",
      "runs.job_id",
      "runs.session_tag",
      "runs.session_name",
      "runs.number",
      "runs.mode",
      "runs.target",
      "runs.source",
      "runs.version_id",
      "runs.graph_revision",
      "runs.repeats",
      "runs.state",
      "runs.reason",
      "runs.failed_node",
      "runs.nodes_run",
      "runs.nodes_skipped",
      "runs.nodes_failed",
      "runs.nodes_kept",
      "runs.cost",
      "runs.budget",
      "runs.budget_question",
      "runs.budget_asked_at",
      "runs.waited_seconds",
      "runs.installing_seconds",
      "runs.installing_since",
      "runs.began_at",
      "runs.ended_at",
      "runs.revision",
      "graphs.name as graph_name",
      "graphs.project_id",
      "projects.name as project_name",
      "accounts.username",
      "accounts.first_name",
      "accounts.last_name",
      "accounts.avatar_version",
      "graph_versions.number as version_number",
      "graph_versions.name as version_name",
      "jobs.id as living_job",
      // Without its code, which no list shows.
      sql<Omit<Trial, "source_code"> | null>`runs.trial - 'source_code'`.as("trial"),
      nameOf("target").as("target_name"),
      nameOf("failed_node").as("failed_name"),
    ]);

  return {
    find: (id: string) => described.where("runs.id", "=", id).executeTakeFirst(),

    /** Runs of a page, in its order. */
    listed: (ids: readonly string[]) =>
      described
        .where(sql<SqlBool>`runs.id = any(${ids}::uuid[])`)
        .orderBy("runs.id", "desc")
        .execute(),

    /** Those of these projects that somebody may read and not change. */
    readOnly: (projectIds: readonly string[], access: Expression<ProjectAccess | null>): Promise<Set<string>> =>
      findReadOnly(db, projectIds, access),

    /** What only the page of a run shows. */
    details: (id: string) =>
      db
        .selectFrom("runs")
        .select(["first_line", "last_line", "packages", "python", "usage", "outputs_removed"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow(),

    nodes: (id: string) =>
      db
        .selectFrom("run_nodes")
        .select(["node_id", "name", "planned", "reason", "status", "seconds", "fires", "spans", "result", "seed"])
        .where("run_id", "=", id)
        .orderBy("node_id")
        .execute(),

    exceptions: (id: string) =>
      db
        .selectFrom("run_exceptions")
        .select(["number", "node_id", "line", "function", "traceback", "frames", "raised_at"])
        .where("run_id", "=", id)
        .orderBy("number")
        .execute(),

    models: (id: string) =>
      db
        .selectFrom("model_versions")
        .innerJoin("models", "models.id", "model_versions.model_id")
        .select(["models.id", "models.name"])
        .distinct()
        .where("model_versions.run_id", "=", id)
        .where("model_versions.deleted_at", "is", null)
        .where("models.deleted_at", "is", null)
        .orderBy("models.name")
        .execute(),

    /** Its outputs, the oldest first: as many as fit into an answer, and at least one. */
    outputs: async (
      { job_id, number }: { job_id: string; number: number },
      { node, after }: { node?: number | undefined; after: number },
    ) => {
      const ofNode: Expression<SqlBool> =
        node === undefined ? sql<SqlBool>`true` : sql<SqlBool>`node_id = ${node} and number > ${after}`;
      const { rows } = await sql<{
        job_id: string;
        node_id: number;
        run: number;
        number: number;
        show_id: string | null;
        data: Record<string, unknown>;
        metadata: Record<string, unknown>;
      }>`
        select job_id, node_id, run, number, show_id, data, metadata from (
          select *, sum(bytes) over (order by node_id, number) - bytes as before from job_outputs
          where job_id = ${job_id} and run = ${number} and ${ofNode}
        ) as page where before < ${outputPages.bytes} order by node_id, number limit ${outputPages.most}`.execute(db);
      return rows;
    },

    /** Removes a run that has ended, with everything that belongs to it. False while it is alive. */
    remove: async ({ id, job_id }: { id: string; job_id: string }): Promise<boolean> => {
      const isRemoved = await db.transaction().execute(async (trx) => {
        // The session first, as reports of its agent lock it: otherwise the two could wait for each other.
        await trx.selectFrom("jobs").select("id").where("id", "=", job_id).forUpdate().execute();
        const { numDeletedRows } = await trx
          .deleteFrom("runs")
          .where("id", "=", id)
          .where("ended_at", "is not", null)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      });
      if (isRemoved) for await (const _batch of removeTracked(db, [id]));
      return isRemoved;
    },
  };
}
