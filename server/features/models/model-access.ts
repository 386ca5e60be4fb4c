import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";

import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Projects, Right } from "../projects/projects-service.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "accessExpression">;
}

/** `deleted`: also a model or version that is in the trash. */
interface Wish {
  deleted?: boolean;
}

export type ModelAccess = ReturnType<typeof createModelAccess>;

/** Who may read the project may read its models, who may change it may change them. */
export function createModelAccess({ db, projects }: Dependencies) {
  const find = (caller: Caller, id: string) =>
    db
      .selectFrom("models")
      .innerJoin("projects", "projects.id", "models.project_id")
      .leftJoin("graphs", "graphs.id", "models.graph_id")
      .select([
        "models.id",
        "models.name",
        "models.description",
        "models.tags",
        "models.metrics",
        "models.authors",
        "models.miranda_version",
        "models.hardware",
        "models.loss",
        "models.accuracy",
        "models.precision",
        "models.recall",
        "models.run_id",
        "models.created_at",
        "models.updated_at",
        "models.deleted_at",
        "models.project_id",
        "projects.name as project_name",
        "graphs.id as graph_id",
        "graphs.name as graph_name",
        projects.accessExpression(caller).as("access"),
      ])
      .where("models.id", "=", id)
      .executeTakeFirst();

  async function getModel(caller: Caller, id: string, right: Right, { deleted = false }: Wish = {}) {
    const row = await find(caller, id);
    if (!row?.access || (row.deleted_at !== null && !deleted)) throw new AppError("model_not_found");
    const access: ProjectAccess = row.access;
    if (right !== "read" && access === "viewer") throw new AppError("project_read_only");
    return { ...row, access };
  }

  return {
    getModel,

    /** A version that is there. */
    async getVersion(caller: Caller, id: string, number: number, right: Right, wish: Wish = {}) {
      const model = await getModel(caller, id, right);
      const found = await db
        .selectFrom("model_versions")
        .select("deleted_at")
        .where("model_id", "=", id)
        .where("number", "=", number)
        .executeTakeFirst();
      if (!found || (found.deleted_at !== null && wish.deleted !== true)) throw new AppError("model_version_not_found");
      return model;
    },
  };
}

/** Inside a transaction. Two changes of the same model wait for each other. */
export async function lockModelRow(trx: Db, modelId: string): Promise<void> {
  await trx.selectFrom("models").select("id").where("id", "=", modelId).forNoKeyUpdate().execute();
}
