import { z } from "zod";

import { invalid } from "../http/mlflow-error.ts";
import { Int64, OptionalText, Pairs, Text, Texts } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import type { ExperimentRow } from "./experiments-queries.ts";
import type { Experiments } from "./experiments-service.ts";

export const ViewType = z.enum(["ACTIVE_ONLY", "DELETED_ONLY", "ALL"]).default("ACTIVE_ONLY");

const ById = z.object({ experiment_id: Text });

export function experimentRoutes(scope: MlflowScope, experiments: Experiments): void {
  scope.add("POST", "experiments/create", {
    right: "write",
    input: z.object({ name: Text, artifact_location: OptionalText, tags: Pairs.default([]) }),
    answer: async ({ projectId, input: { name, artifact_location: place, tags } }) => {
      // Otherwise files would go somewhere else than the client believes.
      if (place && !place.startsWith("mlflow-artifacts:"))
        throw invalid("This server keeps the artifacts of its experiments itself. Leave artifact_location out.");
      return { experiment_id: String(await experiments.create(projectId, name, tags)) };
    },
  });
  scope.add("GET", "experiments/get", {
    right: "read",
    input: ById,
    answer: async ({ projectId, input }) => ({
      experiment: toExperiment(await experiments.getExperiment(projectId, input.experiment_id)),
    }),
  });
  scope.add("GET", "experiments/get-by-name", {
    right: "read",
    input: z.object({ experiment_name: Text }),
    answer: async ({ caller, projectId, input }) => {
      const own = caller.job && (await experiments.findOwn(caller.job, input.experiment_name));
      return { experiment: toExperiment(own ?? (await experiments.getByName(projectId, input.experiment_name))) };
    },
  });
  for (const method of ["GET", "POST"] as const)
    scope.add(method, "experiments/search", {
      right: "read",
      input: z.object({
        filter: OptionalText,
        order_by: Texts.optional(),
        view_type: ViewType,
        max_results: Int64.optional(),
        page_token: OptionalText,
      }),
      answer: async ({ projectId, input }) => {
        const { rows, next } = await experiments.search(projectId, input);
        return { experiments: rows.map(toExperiment), ...(next !== undefined && { next_page_token: next }) };
      },
    });
  scope.add("POST", "experiments/update", {
    right: "write",
    input: ById.extend({ new_name: OptionalText }),
    answer: async ({ projectId, input: { experiment_id, new_name } }) => {
      if (new_name) await experiments.rename(projectId, experiment_id, new_name);
    },
  });
  scope.add("POST", "experiments/delete", {
    right: "write",
    input: ById,
    answer: ({ projectId, input }) => experiments.remove(projectId, input.experiment_id),
  });
  scope.add("POST", "experiments/restore", {
    right: "write",
    input: ById,
    answer: ({ projectId, input }) => experiments.restore(projectId, input.experiment_id),
  });
  scope.add("POST", "experiments/set-experiment-tag", {
    right: "write",
    input: ById.extend({ key: Text, value: z.string().default("") }),
    answer: ({ projectId, input: { experiment_id, key, value } }) =>
      experiments.setTag(projectId, experiment_id, key, value),
  });
  scope.add("POST", "experiments/delete-experiment-tag", {
    right: "write",
    input: ById.extend({ key: Text }),
    answer: ({ projectId, input: { experiment_id, key } }) => experiments.deleteTag(projectId, experiment_id, key),
  });
}

function toExperiment({ number, name, tags, created_at, updated_at, deleted_at }: ExperimentRow) {
  const pairs = Object.entries(tags).map(([key, value]) => ({ key, value }));
  return {
    experiment_id: String(number),
    name,
    artifact_location: `mlflow-artifacts:/${number}`,
    lifecycle_stage: deleted_at === null ? "active" : "deleted",
    last_update_time: updated_at.getTime(),
    creation_time: created_at.getTime(),
    ...(pairs.length > 0 && { tags: pairs }),
  };
}
