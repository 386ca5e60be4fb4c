import { deployment as limits } from "@miranda/contract/limits.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../platform/database/database.ts";

/** How many deployments there are, and the titles of the first ones. */
export interface DeploymentTitles {
  deployments: number;
  deployment_titles: string[];
}

/** For the question before something is deleted. The condition is about `deployments`, `graphs` and `projects`. */
export async function deploymentTitles(db: Db, condition: RawBuilder<SqlBool>): Promise<DeploymentTitles> {
  const { rows } = await sql<DeploymentTitles>`
    select count(*)::integer as deployments,
      coalesce(array_agg(title order by lower(title)) filter (where place <= ${limits.titlesShown}), '{}') as deployment_titles
    from (
      select deployments.title, row_number() over (order by lower(deployments.title)) as place
      from deployments join graphs on graphs.id = deployments.graph_id join projects on projects.id = graphs.project_id
      where ${condition}
    ) as ended`.execute(db);
  return rows[0] ?? { deployments: 0, deployment_titles: [] };
}
