import { z } from "zod";

import { Int64, OptionalText, Pairs, Text, Texts } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import type { LoggedModels } from "./logged-models-service.ts";

const One = z.object({ model_id: Text });
const Search = z.object({
  experiment_ids: Texts.default([]),
  filter: OptionalText,
  datasets: z
    .array(z.object({ dataset_name: Text.default(""), dataset_digest: OptionalText }))
    .max(100)
    .optional(),
  max_results: Int64.optional(),
  order_by: z
    .array(
      z.object({
        field_name: Text,
        ascending: z.boolean().default(true),
        dataset_name: OptionalText,
        dataset_digest: OptionalText,
      }),
    )
    .max(20)
    .optional(),
  page_token: OptionalText,
});

export function loggedModelRoutes(mlflow: MlflowScope, models: LoggedModels): void {
  mlflow.add("POST", "logged-models", {
    right: "write",
    input: z.object({
      experiment_id: z.union([Text, z.number().transform(String)]),
      name: OptionalText,
      model_type: OptionalText,
      source_run_id: OptionalText,
      params: Pairs.optional(),
      tags: Pairs.optional(),
    }),
    answer: ({ caller, projectId, input }) => models.create(caller, projectId, input),
  });
  mlflow.add("POST", "logged-models/search", {
    right: "read",
    input: Search,
    answer: ({ projectId, reader, input }) => models.search(projectId, input, reader),
  });
  mlflow.add("GET", "logged-models/:model_id", {
    right: "read",
    input: One,
    answer: ({ projectId, input }) => models.get(projectId, input.model_id),
  });
  mlflow.add("PATCH", "logged-models/:model_id", {
    right: "write",
    input: One.extend({ status: z.union([z.string(), z.number()]) }),
    answer: ({ projectId, input }) => models.finalize(projectId, input.model_id, input.status),
  });
  mlflow.add("DELETE", "logged-models/:model_id", {
    right: "write",
    input: One,
    answer: ({ projectId, input }) => models.delete(projectId, input.model_id),
  });
  mlflow.add("PATCH", "logged-models/:model_id/tags", {
    right: "write",
    input: One.extend({ tags: Pairs.default([]) }),
    answer: ({ projectId, input }) => models.setTags(projectId, input.model_id, input.tags),
  });
  mlflow.add("DELETE", "logged-models/:model_id/tags/:tag_key", {
    right: "write",
    input: One.extend({ tag_key: Text }),
    answer: ({ projectId, input }) => models.deleteTag(projectId, input.model_id, input.tag_key),
  });
  mlflow.add("POST", "logged-models/:model_id/params", {
    right: "write",
    input: One.extend({ params: Pairs.default([]) }),
    answer: ({ projectId, input }) => models.logParams(projectId, input.model_id, input.params),
  });
}
