import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../platform/database/database.ts";

const mostListed = 10_000;

export function createModelQueries(db: Db) {
  return {
    listReadable: (access: ReturnType<typeof sql<ProjectAccess | null>>) =>
      db
        .selectFrom("models")
        .innerJoin("graphs", "graphs.id", "models.graph_id")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .select([
          "models.id",
          "models.name",
          "models.authors",
          "models.miranda_version",
          "models.hardware",
          "models.metrics",
          "models.created_at",
          "models.updated_at",
          "graphs.name as graph_name",
          "graphs.id as graph_id",
          "graphs.project_id",
        ])
        .where(sql<SqlBool>`${access} is not null`)
        .orderBy("models.updated_at", "desc")
        .limit(mostListed)
        .execute(),
  };
}
