import { z } from "zod";

import { OptionalText, Pairs, Text } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import type { ModelVersions } from "./model-versions-service.ts";
import { SearchQuery } from "./registered-models-routes.ts";

const Named = z.object({ name: Text, version: z.union([z.string(), z.number()]) });

export function modelVersionRoutes(mlflow: MlflowScope, versions: ModelVersions): void {
  mlflow.add("POST", "model-versions/create", {
    right: "write",
    input: z.object({
      name: Text,
      source: Text,
      run_id: OptionalText,
      model_id: OptionalText,
      run_link: OptionalText,
      description: OptionalText,
      tags: Pairs.optional(),
    }),
    answer: ({ caller, projectId, input, node }) => versions.create(caller, projectId, input, node),
  });
  mlflow.add("GET", "model-versions/get", {
    right: "read",
    input: Named,
    answer: ({ projectId, input }) => versions.get(projectId, input),
  });
  mlflow.add("PATCH", "model-versions/update", {
    right: "write",
    input: Named.extend({ description: Text.default("") }),
    answer: ({ projectId, input }) => versions.update(projectId, input, input.description),
  });
  mlflow.add("POST", "model-versions/transition-stage", {
    right: "write",
    input: Named.extend({ stage: Text, archive_existing_versions: z.boolean().default(false) }),
    answer: ({ projectId, input }) =>
      versions.moveToStage(projectId, input, input.stage, input.archive_existing_versions),
  });
  mlflow.add("DELETE", "model-versions/delete", {
    right: "write",
    input: Named,
    answer: ({ caller, projectId, input }) => versions.delete(caller, projectId, input),
  });
  mlflow.add("GET", "model-versions/search", {
    right: "read",
    input: SearchQuery,
    answer: ({ projectId, input }) => versions.search(projectId, input),
  });
  mlflow.add("GET", "model-versions/get-download-uri", {
    right: "read",
    input: Named,
    answer: ({ projectId, input }) => versions.downloadUri(projectId, input),
  });
  mlflow.add("POST", "model-versions/set-tag", {
    right: "write",
    input: Named.extend({ key: Text, value: Text.default("") }),
    answer: ({ projectId, input }) => versions.setTag(projectId, input, input.key, input.value),
  });
  mlflow.add("DELETE", "model-versions/delete-tag", {
    right: "write",
    input: Named.extend({ key: Text }),
    answer: ({ projectId, input }) => versions.deleteTag(projectId, input, input.key),
  });
}
