import type { Db } from "../../../platform/database/database.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import { artifactListRoutes } from "../artifacts/artifact-list-routes.ts";
import { artifactProxyRoutes } from "../artifacts/artifact-proxy-routes.ts";
import { partUploadRoutes } from "../artifacts/part-upload-routes.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import { loggedModelRoutes } from "../logged-models/logged-models-routes.ts";
import { createLoggedModels } from "../logged-models/logged-models-service.ts";
import { modelVersionRoutes } from "./model-versions-routes.ts";
import { createModelVersions } from "./model-versions-service.ts";
import { registeredModelRoutes } from "./registered-models-routes.ts";
import { createRegisteredModels } from "./registered-models-service.ts";

interface Dependencies {
  db: Db;
  artifacts: Artifacts;
  publicUrl: string | undefined;
}

/** Models and artefacts, for clients of MLflow. */
export function registryRoutes(mlflow: MlflowScope, { db, artifacts, publicUrl }: Dependencies): void {
  artifactProxyRoutes(mlflow, artifacts);
  partUploadRoutes(mlflow, artifacts.uploads, publicUrl);
  artifactListRoutes(mlflow, { db, artifacts });
  loggedModelRoutes(mlflow, createLoggedModels({ db }));
  registeredModelRoutes(mlflow, createRegisteredModels({ db }));
  modelVersionRoutes(mlflow, createModelVersions({ db }));
}
