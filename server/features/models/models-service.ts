import type { Model } from "@miranda/contract/schemas/models.ts";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Projects } from "../projects/projects-service.ts";
import { createModelQueries } from "./models-queries.ts";

export type Models = ReturnType<typeof createModels>;

export function createModels(deps: { db: Db; projects: Projects }) {
  const queries = createModelQueries(deps.db);
  return {
    async list(caller: Caller): Promise<Model[]> {
      const rows = await queries.listReadable(deps.projects.accessExpression(caller));
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        graph: { name: row.graph_name, id: row.graph_id, project_id: row.project_id },
        authors: row.authors,
        miranda_version: row.miranda_version,
        hardware: row.hardware,
        loss: row.metrics["loss"] ?? null,
        accuracy: row.metrics["accuracy"] ?? null,
        precision: row.metrics["precision"] ?? null,
        recall: row.metrics["recall"] ?? null,
        time_created: row.created_at.toISOString(),
        last_updated: row.updated_at.toISOString(),
      }));
    },
  };
}
