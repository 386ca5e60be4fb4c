import type { ArtifactParams } from "@miranda/contract/schemas/models/artifacts.ts";
import type { TrackedRunParams } from "@miranda/contract/schemas/models/compare.ts";
import type { RunParams } from "@miranda/contract/schemas/runs.ts";

import { hasOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { runFolder } from "../../artifacts/artifact-paths.ts";
import type { Projects } from "../../projects/projects-service.ts";
import type { Runs } from "../../runs/runs-service.ts";
import type { ModelAccess } from "../model-access.ts";
import { elsewhereOf, versionFolder } from "../versions/version-folder.ts";
import type { FilesPlace } from "./folder-files-service.ts";

interface Dependencies {
  db: Db;
  access: Pick<ModelAccess, "getVersion">;
  projects: Pick<Projects, "getProject">;
  runs: Pick<Runs, "getContent">;
}

/** Where files are, for callers who may read what they belong to. */
export function createFilesPlaces({ db, access, projects, runs }: Dependencies) {
  const findTracked = (projectId: string, runId: string) =>
    db
      .selectFrom("tracked_runs")
      .select(["experiment", "name"])
      .where("project_id", "=", projectId)
      .where("id", "=", runId)
      .where("deleted_at", "is", null)
      .executeTakeFirst();

  return {
    async ofVersion(caller: Caller, { modelId, number }: ArtifactParams): Promise<FilesPlace> {
      const { project_id: projectId, name } = await access.getVersion(caller, modelId, number, "read");
      const row = await db
        .selectFrom("model_versions as v")
        .leftJoin("logged_models as logged", "logged.id", "v.logged_model_id")
        .leftJoin("tracked_runs as tracked", "tracked.id", "v.tracked_run_id")
        .select([
          "v.source",
          "logged.id as logged_model_id",
          "logged.experiment as logged_experiment",
          "tracked.id as tracked_run_id",
          "tracked.experiment",
        ])
        .where("v.model_id", "=", modelId)
        .where("v.number", "=", number)
        .executeTakeFirstOrThrow();
      const [folder, elsewhere] = [versionFolder(row), elsewhereOf(row)];
      return { projectId, folder, elsewhere, name: `${name}-v${number}` };
    },

    /** A run of a workflow. It has a folder as soon as it has logged something. */
    async ofRun(caller: Caller, { runId }: RunParams): Promise<FilesPlace> {
      const { project_id: projectId, number } = await runs.getContent(caller, runId);
      const tracked = await findTracked(projectId, runId);
      const folder = tracked && runFolder(tracked.experiment, runId);
      return { projectId, folder, elsewhere: null, name: `run-${number}` };
    },

    /** A run that a client made. The key is its id without dashes. */
    async ofTrackedRun(caller: Caller, { projectId, number, key }: TrackedRunParams): Promise<FilesPlace> {
      const { access: right } = await projects.getProject(caller, projectId, "read");
      const id = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      const tracked = await findTracked(projectId, id);
      if (tracked?.experiment !== number) throw new AppError("run_not_found");
      if (right === "viewer" && (await hasOthersCall(db, { runs: [id], models: [] }, caller.accountId)))
        throw new AppError("call_content_private");
      return { projectId, folder: runFolder(number, key), elsewhere: null, name: tracked.name || key };
    },
  };
}
