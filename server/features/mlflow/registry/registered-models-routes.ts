import { z } from "zod";

import { Int64, OptionalText, Pairs, Text, Texts } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import type { RegisteredModels } from "./registered-models-service.ts";

const Named = z.object({ name: Text });
const NumberOrText = z.union([z.string(), z.number()]);
const Aliased = Named.extend({ alias: Text });

export const SearchQuery = z.object({
  filter: OptionalText,
  max_results: Int64.optional(),
  order_by: Texts.optional(),
  page_token: OptionalText,
});

export function registeredModelRoutes(mlflow: MlflowScope, models: RegisteredModels): void {
  mlflow.add("POST", "registered-models/create", {
    right: "write",
    input: Named.extend({ description: OptionalText, tags: Pairs.optional() }),
    answer: ({ projectId, input }) => models.create(projectId, input),
  });
  mlflow.add("GET", "registered-models/get", {
    right: "read",
    input: Named,
    answer: ({ projectId, input }) => models.get(projectId, input.name),
  });
  mlflow.add("PATCH", "registered-models/update", {
    right: "write",
    input: Named.extend({ description: Text.default("") }),
    answer: ({ projectId, input }) => models.update(projectId, input.name, input.description),
  });
  mlflow.add("POST", "registered-models/rename", {
    right: "write",
    input: Named.extend({ new_name: Text }),
    answer: ({ projectId, input }) => models.rename(projectId, input.name, input.new_name),
  });
  mlflow.add("DELETE", "registered-models/delete", {
    right: "write",
    input: Named,
    answer: ({ caller, projectId, input }) => models.delete(caller, projectId, input.name),
  });
  mlflow.add("GET", "registered-models/search", {
    right: "read",
    input: SearchQuery,
    answer: ({ projectId, input }) => models.search(projectId, input),
  });
  for (const method of ["GET", "POST"] as const)
    mlflow.add(method, "registered-models/get-latest-versions", {
      right: "read",
      input: Named.extend({ stages: Texts.optional() }),
      answer: ({ projectId, input }) => models.latestVersions(projectId, input.name, input.stages),
    });
  mlflow.add("POST", "registered-models/set-tag", {
    right: "write",
    input: Named.extend({ key: Text, value: Text.default("") }),
    answer: ({ projectId, input }) => models.setTag(projectId, input.name, input.key, input.value),
  });
  mlflow.add("DELETE", "registered-models/delete-tag", {
    right: "write",
    input: Named.extend({ key: Text }),
    answer: ({ projectId, input }) => models.deleteTag(projectId, input.name, input.key),
  });
  mlflow.add("POST", "registered-models/alias", {
    right: "write",
    input: Aliased.extend({ version: NumberOrText }),
    answer: ({ caller, projectId, input }) =>
      models.setAlias(caller, projectId, input.name, input.alias, input.version),
  });
  mlflow.add("DELETE", "registered-models/alias", {
    right: "write",
    input: Aliased,
    answer: ({ caller, projectId, input }) => models.deleteAlias(caller, projectId, input.name, input.alias),
  });
  mlflow.add("GET", "registered-models/alias", {
    right: "read",
    input: Aliased,
    answer: ({ projectId, input }) => models.getByAlias(projectId, input.name, input.alias),
  });
}
