import { sql, type SqlBool } from "kysely";

import type { Db } from "../platform/database/database.ts";

/** A result that its caller shared, for the owner of the project. */
export interface SharedCall {
  id: string;
  app_name: string;
  app_title: string;
  username: string | null;
  time_called: Date;
}

const ofProject = (projectId: string) => sql<SqlBool>`calls.share_hash is not null and calls.deployment_id in (
  select deployments.id from deployments join graphs on graphs.id = deployments.graph_id
  where graphs.project_id = ${projectId})`;

/**
 * Whether who shared a result may still use the app: otherwise the address opens nothing. Visitors share as long as the app
 * has its link. For queries that join `calls`, `deployments` and `projects`.
 */
export const mayStillShare = sql<SqlBool>`case when calls.account_id is null
  then calls.visitor_hash is not null and deployments.access = 'link' and deployments.link is not null
  else exists (select from accounts as sharer
    where sharer.id = calls.account_id and sharer.deleted_at is null and sharer.disabled_at is null
      and (sharer.is_admin or projects.owner_id = sharer.id or deployments.access = 'accounts'
        or (deployments.access = 'link' and deployments.link is not null)
        or exists (select from project_people where project_people.project_id = projects.id
          and project_people.account_id = sharer.id)
        or (deployments.access = 'people' and exists (select from deployment_people
          where deployment_people.deployment_id = deployments.id and deployment_people.account_id = sharer.id)))) end`;

export const shareQueries = {
  list: async (db: Db, projectId: string, most: number): Promise<SharedCall[]> => {
    const { rows } = await sql<SharedCall>`
      select calls.id, deployments.name as app_name, deployments.title as app_title, accounts.username,
        calls.created_at as time_called
      from calls join deployments on deployments.id = calls.deployment_id
        left join accounts on accounts.id = calls.account_id and accounts.deleted_at is null
      where ${ofProject(projectId)} order by calls.id desc limit ${most}`.execute(db);
    return rows;
  },

  count: async (db: Db, projectId: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from calls where ${ofProject(projectId)}`.execute(db);
    return rows[0]?.count ?? 0;
  },

  /** One of them, or all. How many ended. */
  end: async (db: Db, projectId: string, callId?: string): Promise<number> => {
    const { rows } = await sql`update calls set share = null, share_hash = null
      where ${ofProject(projectId)} ${callId === undefined ? sql`` : sql`and calls.id = ${callId}`}
      returning id`.execute(db);
    return rows.length;
  },
};
