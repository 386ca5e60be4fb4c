import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { isOwned, mayUse, type Who } from "../deployments/deployment-access-queries.ts";

/** A deployment as a tool. */
export interface ToolRow {
  name: string;
  title: string;
  description: string;
  form: ReleaseForm;
}

export function mcpQueries(db: Db) {
  return {
    /** The deployments that somebody may use and that serve calls, by name. */
    tools: (who: Who, after: string, limit: number): Promise<ToolRow[]> =>
      db
        .selectFrom("deployments")
        .innerJoin("graphs", "graphs.id", "deployments.graph_id")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .innerJoin("releases", "releases.id", "deployments.production_id")
        .select(["deployments.name", "deployments.title", "deployments.description", "releases.form"])
        .where("deployments.paused", "=", false)
        .where("deployments.name", ">", after)
        .where(mayUse(who))
        .where(sql<SqlBool>`${isOwned}`)
        .orderBy("deployments.name")
        .limit(limit)
        .execute(),
  };
}
