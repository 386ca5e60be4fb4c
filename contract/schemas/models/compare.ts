import { z } from "zod";

import { model as limits } from "../../limits.ts";
import { Id, numberBetween, oneOf } from "../forms.ts";
import { RunMetrics } from "../runs.ts";
import { MadeModels } from "./lineage.ts";
import { MetricValue } from "./models.ts";

// Versions of models and runs side by side.

const itemWords = "Name versions as modelId@number and runs by their id, with commas between them.";
const hex = "[0-9a-f]";
const uuid = `${hex}{8}-?${hex}{4}-?${hex}{4}-?${hex}{4}-?${hex}{12}`;
const itemPattern = new RegExp(`^${uuid}(@[1-9]\\d{0,8})?$`, "i");

/**
 * `GET /api/v3/models/compare`. `items`: versions as `{modelId}@{number}`, runs by their id (of a workflow's run or of
 * MLflow, with or without dashes), with commas between them. `at`: which value of each metric: the last, the best, or the
 * one at `step` (the last one logged at or before it).
 */
export const CompareModelsQuery = z.object({
  items: z
    .string(itemWords)
    .max(limits.comparedMax * 60, itemWords)
    .transform((text) => [...new Set(text.split(",").filter((part) => part !== ""))])
    .refine((list) => list.length >= 2, "Choose at least two.")
    .refine((list) => list.length <= limits.comparedMax, `At most ${limits.comparedMax} can be compared.`)
    .refine((list) => list.every((item) => itemPattern.test(item)), itemWords),
  at: oneOf("at", ["last", "best", "step"]).default("last"),
  step: numberBetween("step", { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }).optional(),
});
export type CompareModelsQuery = z.infer<typeof CompareModelsQuery>;

export const ComparedItem = z.object({
  /** As it was asked for. */
  key: z.string(),
  label: z.string(),
  /** Null for a run. */
  model: z.object({ id: z.string(), name: z.string(), number: z.number(), aliases: z.array(z.string()) }).nullable(),
  /** The run of a workflow, for its outputs (`/api/v3/runs/{id}/outputs`). Null when there is none any more. */
  run_id: z.string().nullable(),
  tracked_run_id: z.string().nullable(),
  /** What was run: for the comparison of graphs and code. */
  workflow: z
    .object({ id: z.string(), name: z.string(), project_id: z.string(), version_id: z.string().nullable() })
    .nullable(),
  time_created: z.string(),
  address: z.string().nullable(),
});
export type ComparedItem = z.infer<typeof ComparedItem>;

/** One row of a comparison: a value for each item, in their order. Null where it has none. */
const row = <Value extends z.ZodType>(value: Value) =>
  z.object({ name: z.string(), values: z.array(value.nullable()), differs: z.boolean() });

export const ComparedMetric = row(MetricValue).extend({
  /** The step of each value. */
  steps: z.array(z.number().nullable()),
  lower_is_better: z.boolean(),
  /** Which items have the best value; empty when all are equal. */
  best: z.array(z.number()),
});
export type ComparedMetric = z.infer<typeof ComparedMetric>;

export const ComparedText = row(z.string());
export type ComparedText = z.infer<typeof ComparedText>;

export const ModelComparison = z.object({
  items: z.array(ComparedItem),
  metrics: z.array(ComparedMetric),
  params: z.array(ComparedText),
  packages: z.array(ComparedText),
  /** State, time, cost, hardware, author, size … in words. */
  facts: z.array(ComparedText),
  /** The steps that the metrics have, from the lowest to the highest; null when nothing has steps. */
  steps: z.object({ from: z.number(), to: z.number() }).nullable(),
});
export type ModelComparison = z.infer<typeof ModelComparison>;

/** One line of a parallel-coordinates plot, one point of a scatter plot. */
export const PlottedRun = z.object({
  /** 32 hexadecimal digits of a tracked run; for versions of a model, `{modelId}@{number}`. Fits `items` of a comparison. */
  key: z.string(),
  label: z.string(),
  status: z.string(),
  /** The version of the model; null in a plot of an experiment. */
  number: z.number().nullable(),
  run_id: z.string().nullable(),
  params: z.record(z.string(), z.string()),
  /** The last values. */
  metrics: z.record(z.string(), MetricValue.nullable()),
  time_began: z.string(),
  seconds: z.number().nullable(),
  address: z.string().nullable(),
});
export type PlottedRun = z.infer<typeof PlottedRun>;

/**
 * The newest runs, at most `limit`. `GET /api/v3/models/{id}/plot` has the versions of a model,
 * `GET /api/v3/projects/{projectId}/experiments/{number}/plot` the runs of an experiment.
 */
export const RunsPlot = z.object({
  runs: z.array(PlottedRun),
  metric_names: z.array(z.string()),
  param_names: z.array(z.string()),
  /** Whether there are more than these. */
  cut: z.boolean(),
});
export type RunsPlot = z.infer<typeof RunsPlot>;

export const PlotQuery = z.object({
  limit: numberBetween("limit", { min: 1, max: limits.plotMax }, "whole").default(limits.plotMax),
});
export type PlotQuery = z.infer<typeof PlotQuery>;

/** `GET /api/v3/projects/{projectId}/experiments` */
export const ExperimentSummary = z.object({
  number: z.number(),
  name: z.string(),
  graph_id: z.string().nullable(),
  runs: z.number(),
  time_last_run: z.string().nullable(),
});
export type ExperimentSummary = z.infer<typeof ExperimentSummary>;

export const ExperimentList = z.array(ExperimentSummary);
export type ExperimentList = z.infer<typeof ExperimentList>;

export const ExperimentPlotParams = z.object({
  projectId: Id,
  number: numberBetween("experiment", { min: 0, max: 2_147_483_647 }, "whole"),
});
export type ExperimentPlotParams = z.infer<typeof ExperimentPlotParams>;

export const TrackedRunParams = ExperimentPlotParams.extend({
  key: z.string().regex(/^[0-9a-f]{32}$/, "That is not the id of a run."),
});
export type TrackedRunParams = z.infer<typeof TrackedRunParams>;

/** `GET /api/v3/projects/{projectId}/experiments/{number}/runs/{key}`: one run with its metrics over time and its models. */
export const TrackedRun = PlottedRun.extend({ series: RunMetrics, models: MadeModels });
export type TrackedRun = z.infer<typeof TrackedRun>;

export const ExperimentsParams = ExperimentPlotParams.pick({ projectId: true });
export type ExperimentsParams = z.infer<typeof ExperimentsParams>;
