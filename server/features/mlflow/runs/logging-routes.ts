import { z } from "zod";

import { cut } from "../http/entity-names.ts";
import { Int64, OptionalText, Pairs, Text } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import type { Logging } from "./logging-service.ts";
import { readRunId } from "./run-ids.ts";

const named = { run_id: OptionalText, run_uuid: OptionalText };
const Value = z.string().default("");

/** A number, or a text of one: NaN and infinities have no other form in JSON. */
const Double = z.union([
  z.number(),
  z
    .string()
    .regex(/^\s*[+-]?(?:NaN|Infinity|inf|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*$/i)
    .transform((text) => Number(text.trim().replace(/^([+-]?)inf(?:inity)?$/i, "$1Infinity"))),
]);

const Point = z.object({
  key: Text,
  value: Double,
  timestamp: Int64.default(() => Date.now()),
  step: Int64.default(0),
  model_id: Value,
  dataset_name: Value,
  dataset_digest: Value,
});

const longText = (most: number) => z.string().max(most).default("");

const DatasetInput = z.object({
  tags: Pairs.default([]),
  dataset: z.object({
    name: z.string().min(1).max(500),
    digest: z.string().min(1).max(64),
    source_type: longText(500),
    source: longText(65_535),
    schema: longText(1_048_575),
    profile: longText(1_048_575),
  }),
});

// As large as MLflow's own server allows it.
const batchMax = 1_000_000;
const inputsMax = 8 * 1024 * 1024;

/** What clients log in a run. */
export function loggingRoutes(scope: MlflowScope, logging: Logging): void {
  scope.add("POST", "runs/log-metric", {
    right: "write",
    input: Point.extend(named),
    answer: ({ projectId, node, input: { run_id, run_uuid, ...point } }) =>
      logging.logMetric(projectId, readRunId(run_id, run_uuid), point, node),
  });
  scope.add("POST", "runs/log-parameter", {
    right: "write",
    input: z.object({ ...named, key: Text, value: Value }),
    answer: ({ projectId, input: { run_id, run_uuid, ...param } }) =>
      logging.logParam(projectId, readRunId(run_id, run_uuid), param),
  });
  scope.add("POST", "runs/log-batch", {
    right: "write",
    bodyLimit: batchMax,
    input: z.object({
      ...named,
      metrics: z.array(Point).default([]),
      params: Pairs.default([]),
      tags: Pairs.default([]),
    }),
    answer: ({ projectId, node, input: { run_id, run_uuid, ...batch } }) =>
      logging.logBatch(projectId, readRunId(run_id, run_uuid), batch, node),
  });
  scope.add("POST", "runs/set-tag", {
    right: "write",
    input: z.object({ ...named, key: Text, value: Value }),
    answer: ({ projectId, input: { run_id, run_uuid, ...tag } }) =>
      logging.setTag(projectId, readRunId(run_id, run_uuid), tag),
  });
  scope.add("POST", "runs/delete-tag", {
    right: "write",
    input: z.object({ ...named, key: Text }),
    answer: ({ projectId, input: { run_id, run_uuid, key } }) =>
      logging.deleteTag(projectId, readRunId(run_id, run_uuid), key),
  });
  scope.add("POST", "runs/log-inputs", {
    right: "write",
    bodyLimit: inputsMax,
    input: z.object({
      ...named,
      datasets: z.array(DatasetInput).max(1_000).default([]),
      models: z
        .array(z.object({ model_id: Text }))
        .max(1_000)
        .default([]),
    }),
    answer: ({ projectId, input: { run_id, run_uuid, datasets, models } }) =>
      logging.logInputs(
        projectId,
        readRunId(run_id, run_uuid),
        datasets.map(({ tags, dataset }) => ({
          ...dataset,
          tags: Object.fromEntries(tags.slice(0, 100).map(({ key, value }) => [cut(key, 255), cut(value, 500)])),
        })),
        models.map(({ model_id }) => model_id),
      ),
  });
  scope.add("POST", "runs/outputs", {
    right: "write",
    input: z.object({
      ...named,
      models: z
        .array(z.object({ model_id: Text, step: Int64.default(0) }))
        .max(1_000)
        .default([]),
    }),
    answer: ({ projectId, input: { run_id, run_uuid, models } }) =>
      logging.logOutputs(projectId, readRunId(run_id, run_uuid), models),
  });
  scope.add("POST", "runs/log-model", {
    right: "write",
    input: z.object({ ...named, model_json: Text }),
    answer: ({ projectId, input: { run_id, run_uuid, model_json } }) =>
      logging.logModel(projectId, readRunId(run_id, run_uuid), model_json),
  });
}
