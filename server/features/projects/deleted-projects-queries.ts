import { type RawBuilder, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { returnPurse } from "../billing/purses/return-purse.ts";
import { isAliveSql } from "../../platform/database/job-states-queries.ts";

type Removal = (id: string, most: number) => RawBuilder<unknown>;

/** Deletes rows by their place: no table needs a key of its own for it. */
const rowsOf =
  (table: string, column: string): Removal =>
  (id, most) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${id} limit ${most}))`;

/** Clears a reference, for rows that outlive what they refer to. */
const referencesOf =
  (table: string, column: string): Removal =>
  (id, most) =>
    sql`update ${sql.table(table)} set ${sql.ref(column)} = null where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${id} limit ${most}))`;

/** What belongs to the runs of a workflow. */
const rowsOfRuns =
  (table: string, isTheirs: RawBuilder<unknown>): Removal =>
  (id, most) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(
      select part.ctid from runs join ${sql.table(table)} as part on ${isTheirs} where runs.graph_id = ${id} limit ${most}))`;

/** What belongs to the tracked runs of a project. */
const rowsOfTracked =
  (table: string): Removal =>
  (id, most) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(
      select part.ctid from tracked_runs join ${sql.table(table)} as part on part.run_id = tracked_runs.id
      where tracked_runs.project_id = ${id} limit ${most}))`;

/** What belongs to the deployment of a workflow. */
const rowsOfDeployments =
  (table: string, isTheirs: RawBuilder<unknown>): Removal =>
  (id, most) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(
      select part.ctid from deployments join ${sql.table(table)} as part on ${isTheirs}
      where deployments.graph_id = ${id} limit ${most}))`;

const ofDeployment = sql`part.deployment_id = deployments.id`;

// Edges before nodes: one node may have thousands, which would all go in one batch with it.
const graphContent = [
  referencesOf("jobs", "graph_id"),
  ...["edges", "nodes", "deleted_nodes", "node_groups", "node_commits", "node_drafts", "node_git"].map((table) =>
    rowsOf(table, "graph_id"),
  ),
  rowsOf("graph_files", "graph_id"),
  rowsOf("comments", "graph_id"),
  rowsOf("comment_threads", "graph_id"),
  ...["run_nodes", "run_exceptions"].map((table) => rowsOfRuns(table, sql`part.run_id = runs.id`)),
  rowsOfRuns("job_outputs", sql`part.job_id = runs.job_id and part.run = runs.number`),
  rowsOf("runs", "graph_id"),
  rowsOfDeployments(
    "schedule_ticks",
    sql`part.schedule_id in (select id from schedules where schedules.deployment_id = deployments.id)`,
  ),
  rowsOfDeployments(
    "call_files",
    sql`part.call_id in (select id from calls where calls.deployment_id = deployments.id)`,
  ),
  ...["calls", "deployment_marks", "releases"].map((table) => rowsOfDeployments(table, ofDeployment)),
  rowsOf("deployments", "graph_id"),
  ...["graph_versions", "graph_origins", "node_edits"].map((table) => rowsOf(table, "graph_id")),
  referencesOf("graph_origins", "origin_id"),
];

const projectContent = [
  referencesOf("jobs", "project_id"),
  rowsOf("models", "project_id"),
  ...[
    "run_metrics",
    "metric_summaries",
    "tracked_params",
    "tracked_tags",
    "tracked_inputs",
    "tracked_model_inputs",
    "tracked_outputs",
  ].map(rowsOfTracked),
  // Housekeeping removes the files that no row knows.
  ...["artifacts", "artifact_contents", "artifact_totals", "logged_models", "tracked_runs", "experiments"].map(
    (table) => rowsOf(table, "project_id"),
  ),
  ...["project_members", "project_teams", "invitations", "project_transfers"].map((table) =>
    rowsOf(table, "project_id"),
  ),
  rowsOf("follows", "project_id"),
  rowsOf("secrets", "project_id"),
  // Housekeeping removes the files that no row knows.
  rowsOf("results", "project_id"),
];

/** Projects without an owner are deleted: nobody sees them, and their content is removed in batches. */
export function deletedProjectQueries(db: Db) {
  return {
    /** False when it was deleted already. */
    disown: async (id: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("projects")
        .set({ owner_id: null })
        .where("id", "=", id)
        .where("owner_id", "is not", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns their names. */
    disownAllOf: async (accountId: string): Promise<string[]> => {
      const disowned = db.updateTable("projects").set({ owner_id: null }).where("owner_id", "=", accountId);
      return (await disowned.returning("name").execute()).map(({ name }) => name).toSorted();
    },

    /** A running session without a workflow is stopped by the watch. */
    detachRunning: async (): Promise<void> => {
      await sql`update jobs set graph_id = null from graphs, projects
        where graphs.id = jobs.graph_id and projects.id = graphs.project_id and projects.owner_id is null
          and ${isAliveSql("jobs.state")}`.execute(db);
    },

    /** Removes up to `most` rows of one deleted project that no other server works on. False when there is none. */
    removeBatch: (most: number): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const project = await trx
          .selectFrom("projects")
          .select("id")
          .where("owner_id", "is", null)
          .orderBy("id")
          .limit(1)
          .forNoKeyUpdate()
          .skipLocked()
          .executeTakeFirst();
        if (!project) return false;
        // First, because what is left in its purse belongs to people.
        await returnPurse(trx, project.id);
        const graphs = trx.selectFrom("graphs").select("id").where("project_id", "=", project.id);
        const graph = await graphs.orderBy("id").limit(1).executeTakeFirst();
        const emptied = graph
          ? await removeContent(trx, graphContent, graph.id, most)
          : await removeContent(trx, projectContent, project.id, most);
        if (!emptied) return true;
        if (graph) await trx.deleteFrom("graphs").where("id", "=", graph.id).execute();
        else await trx.deleteFrom("projects").where("id", "=", project.id).execute();
        return true;
      }),
  };
}

/** Whether nothing is left. */
async function removeContent(trx: Db, content: readonly Removal[], id: string, most: number): Promise<boolean> {
  let room = most;
  for (const remove of content) {
    const { numAffectedRows = 0n } = await remove(id, room).execute(trx);
    room -= Number(numAffectedRows);
    if (room <= 0) return false;
  }
  return true;
}
