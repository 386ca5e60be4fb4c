import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { sql, type SqlBool } from "kysely";

import { accessFor } from "../projects/projects-queries.ts";

/** Who uses a deployment. A visitor without an account has a link. */
export interface Who {
  accountId: string | null;
  isAdmin: boolean;
  /** The secret part of a link. */
  link?: string | undefined;
  /** Can use one deployment and nothing else, as the account that made it. */
  deploymentToken?: { id: string; deploymentId: string } | undefined;
  /** Set for an access token of one project or one deployment. */
  onlyProject: string | null;
  onlyDeployment?: string | undefined;
}

/**
 * Whether somebody may use a deployment: the one place that decides it. For queries that join `deployments`, `graphs` and
 * `projects`. A public project has many readers, but only its members may spend its owner's credits.
 */
export function mayUse({ accountId, isAdmin, link, deploymentToken, onlyProject, onlyDeployment }: Who) {
  const byAccount =
    accountId === null
      ? sql<SqlBool>`false`
      : sql<SqlBool>`(${isAdmin}::boolean or projects.owner_id = ${accountId}::uuid or deployments.access = 'accounts'
          or projects.id in (select project_id from project_people where account_id = ${accountId}::uuid)
          or (deployments.access = 'people'
            and deployments.id in (select deployment_id from deployment_people where account_id = ${accountId}::uuid)))`;
  const byLink =
    link === undefined
      ? sql<SqlBool>`false`
      : sql<SqlBool>`coalesce(deployments.access = 'link' and deployments.link = ${link}, false)`;
  const only = deploymentToken?.deploymentId ?? onlyDeployment;
  const scope = only === undefined ? sql<SqlBool>`true` : sql<SqlBool>`deployments.id = ${only}::uuid`;
  const place = onlyProject === null ? sql<SqlBool>`true` : sql<SqlBool>`projects.id = ${onlyProject}::uuid`;
  return sql<SqlBool>`(projects.owner_id is not null and ${scope} and ${place} and (${byAccount} or ${byLink}))`;
}

/** The access of somebody to the project of a deployment. */
export function projectAccess({ accountId, isAdmin, onlyProject }: Who) {
  if (accountId === null) return sql<ProjectAccess | null>`null::text`;
  return accessFor({ accountId, isAdmin, onlyProject });
}

/**
 * Whether the owner of a deployment is still there, and may still change its workflow. Nobody pays for a workflow that only
 * others can change. For queries that have `deployments`.
 */
export const isOwned = sql<boolean>`exists (
  select from accounts as owner, graphs as workflow join projects as home on home.id = workflow.project_id
  where owner.id = deployments.owner_id and owner.deleted_at is null and workflow.id = deployments.graph_id
    and home.owner_id is not null and (owner.is_admin or home.owner_id = owner.id or exists (
      select from project_people as membership
      where membership.project_id = home.id and membership.account_id = owner.id and membership.role = 'editor')))`;
