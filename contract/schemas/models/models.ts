import { z } from "zod";

import { formText } from "../../limits.ts";
import { exactText, oneOf, optionalText } from "../forms.ts";
import { PageKeyQuery } from "../pages.ts";

const Metric = z.number().nullable();

/** A value that a client logged. JSON has no word for those that are no number. */
export const MetricValue = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
export type MetricValue = z.infer<typeof MetricValue>;

export const ModelTags = z.record(z.string(), z.string());
export type ModelTags = z.infer<typeof ModelTags>;

/** A name for a version that people move, for example `champion`. */
export const ModelAlias = z.object({ alias: z.string(), number: z.number() });
export type ModelAlias = z.infer<typeof ModelAlias>;

export const Model = z.object({
  id: z.string(),
  /** Shown as Model ID. */
  name: z.string(),
  /** The workflow that made it. A model that a client registered has none: name and id are empty. */
  graph: z.object({ name: z.string(), id: z.string(), project_id: z.string() }),
  project_name: z.string(),
  authors: z.array(z.string()),
  miranda_version: z.string(),
  hardware: z.array(z.string()),
  loss: Metric,
  accuracy: Metric,
  precision: Metric,
  recall: Metric,
  time_created: z.string(),
  last_updated: z.string(),
  /** The run that trained it; null once that is removed. */
  run_id: z.string().nullable(),
  /** The highest number of its versions; 0 without one. */
  latest_version: z.number(),
  /** Of all versions, the one with the best value of the model's first metric. */
  best: z.object({ name: z.string(), value: z.number(), number: z.number() }).nullable(),
  aliases: z.array(ModelAlias),
  /** Of the newest version: None, Staging, Production or Archived. */
  stage: z.string(),
  tags: ModelTags,
});
export type Model = z.infer<typeof Model>;

/** `next` is the `after` of the next page. Null on the last page. */
export const ModelsResponse = z.object({ json: z.array(Model), next: z.string().nullable() });
export type ModelsResponse = z.infer<typeof ModelsResponse>;

const modelMetrics = ["loss", "accuracy", "precision", "recall"] as const;
export type ModelMetric = (typeof modelMetrics)[number];

const modelSorts = ["graph", ...modelMetrics, "created", "updated"] as const;
export type ModelSort = (typeof modelSorts)[number];

const sortDirections = ["asc", "desc"] as const;
export type SortDirection = (typeof sortDirections)[number];

/** `id` and `graph` search in the names of models and workflows. Models without a value of the sorted metric come last. */
export const ModelsQuery = PageKeyQuery.pick({ limit: true }).extend({
  after: exactText("after", formText.pageKeyMax).optional(),
  id: optionalText("id", formText.queryMax).default(""),
  graph: optionalText("graph", formText.queryMax).default(""),
  sort: oneOf("sort", modelSorts).default("updated"),
  direction: oneOf("direction", sortDirections).default("desc"),
});
export type ModelsQuery = z.infer<typeof ModelsQuery>;
