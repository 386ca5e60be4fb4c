import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import { sessionList } from "../../../limits.ts";
import { findReadOnly } from "../../../model/read-only-projects-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { hasEndedSql, isAliveSql } from "../../../platform/database/job-states-queries.ts";
import type { JobRow, Limits } from "./jobs-queries.ts";
import { areAllClosed, findQueuePosition, type QueuePositionRow } from "./queue-position-queries.ts";

/** A part of a list, newest first. It has one row more than `limit` when there are more. */
interface Page {
  limit: number;
  after: string | undefined;
}

/** Which sessions a person sees: those they started and may still read, and those of projects they work on. */
export interface Viewer {
  accountId: string;
  access: Expression<ProjectAccess | null>;
}

const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export function createJobListQueries(db: Db) {
  const listed = db
    .selectFrom("jobs")
    .selectAll()
    // No screen shows it whole, and a hundred of the longest would be 10 MB.
    .select(sql<string>`left(description, ${sql.lit(sessionList.descriptionMax)})`.as("description"));

  const mayRead = ({ accountId, access }: Viewer) => sql<SqlBool>`(account_id = ${accountId} and (graph_id is null
    or (select ${access} from projects where projects.id = jobs.project_id) is not null))`;

  return {
    /** The living sessions, of which only those in the queue or only the others. There are few in the installation. */
    alive: (viewer: Viewer, isQueued: boolean, limit: number): Promise<JobRow[]> =>
      listed
        .where(isAliveSql())
        .where("state", isQueued ? "=" : "<>", "QUEUED")
        .where(
          sql<SqlBool>`(${mayRead(viewer)}
            or exists (select 1 from projects where id = jobs.project_id and owner_id = ${viewer.accountId})
            or exists (select 1 from project_people
              where project_id = jobs.project_id and account_id = ${viewer.accountId}))`,
        )
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute(),

    /**
     * The ended sessions: two lists, each by its index, united. As one condition PostgreSQL would read every session of
     * the installation.
     */
    ended: (viewer: Viewer, { limit, after = highestId }: Page): Promise<JobRow[]> =>
      listed
        .where(
          sql<SqlBool>`id = any(array(
            (select id from jobs where ${hasEndedSql} and id < ${after} and ${mayRead(viewer)} order by id desc limit ${limit + 1})
            union
            (select newest.id from (
                select id from projects where owner_id = ${viewer.accountId}
                union select project_id from project_people where account_id = ${viewer.accountId}) as project
              cross join lateral (
                select id from jobs where project_id = project.id and ${hasEndedSql} and id < ${after}
                order by id desc limit ${limit + 1}) as newest
              order by newest.id desc limit ${limit + 1})
            order by id desc limit ${limit + 1}))`,
        )
        .orderBy("id", "desc")
        .execute(),

    aliveOfGraph: (graphId: string): Promise<JobRow[]> =>
      listed.where("graph_id", "=", graphId).where("deployment_id", "is", null).where(isAliveSql()).execute(),

    /** The living sessions that serve calls, and those that ended last. */
    ofDeployment: (deploymentId: string): Promise<JobRow[]> =>
      listed.where("deployment_id", "=", deploymentId).orderBy("id", "desc").limit(sessionList.ofDeployment).execute(),

    queuePosition: (id: string, limits: Limits): Promise<QueuePositionRow | undefined> =>
      findQueuePosition(db, id, limits),

    /** Those of these projects that somebody may not change. */
    readOnly: (projectIds: readonly string[], access: Expression<ProjectAccess | null>): Promise<Set<string>> =>
      findReadOnly(db, projectIds, access),

    areAllClosed: (): Promise<boolean> => areAllClosed(db),

    endedOfGraph: (graphId: string, { limit, after = highestId }: Page): Promise<JobRow[]> =>
      listed
        .where("graph_id", "=", graphId)
        .where("deployment_id", "is", null)
        .where(hasEndedSql)
        .where("id", "<", after)
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute(),
  };
}

export type JobListQueries = ReturnType<typeof createJobListQueries>;
