import { z } from "zod";

import type { Db } from "../../../platform/database/database.ts";
import { modelFolder, runFolder, within } from "../../artifacts/artifact-paths.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import { missing } from "../http/mlflow-error.ts";
import { OptionalText, Text } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import { noRun, readRunId } from "../runs/run-ids.ts";
import { fileInfo } from "./artifact-proxy-routes.ts";

interface Dependencies {
  db: Db;
  artifacts: Artifacts;
}

/** The files of runs and logged models, by paths below their own folder. */
export function artifactListRoutes(mlflow: MlflowScope, { db, artifacts }: Dependencies): void {
  async function list(projectId: string, root: string, given: string) {
    const path = given.replace(/\/$/, "");
    const found = await artifacts.list(projectId, within(root, path));
    const before = path === "" || path === "." ? "" : `${path}/`;
    return {
      root_uri: `mlflow-artifacts:/${root}`,
      ...(found.length > 0 && { files: found.map(({ name, bytes }) => fileInfo(before + name, bytes)) }),
    };
  }

  mlflow.add("GET", "artifacts/list", {
    right: "read",
    input: z.object({ run_id: OptionalText, run_uuid: OptionalText, path: Text.default("") }),
    answer: async ({ projectId, input }) => {
      const id = readRunId(input.run_id, input.run_uuid);
      const run = await db
        .selectFrom("tracked_runs")
        .select("experiment")
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      if (!run) throw noRun(id);
      return list(projectId, runFolder(run.experiment, id), input.path);
    },
  });

  mlflow.add("GET", "logged-models/:model_id/artifacts/directories", {
    right: "read",
    input: z.object({ model_id: Text, artifact_directory_path: Text.default("") }),
    answer: async ({ projectId, input }) => {
      const model = await db
        .selectFrom("logged_models")
        .select("experiment")
        .where("id", "=", input.model_id)
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      if (!model) throw missing(`Logged model with ID '${input.model_id.slice(0, 100)}' not found.`);
      return list(projectId, modelFolder(model.experiment, input.model_id), input.artifact_directory_path);
    },
  });
}
