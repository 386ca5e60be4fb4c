import { z } from "zod";

import { formText } from "../limits.ts";
import { exactText, oneOf, optionalText } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";

const Metric = z.number().nullable();

export const Model = z.object({
  id: z.string(),
  /** Shown as Model ID. */
  name: z.string(),
  graph: z.object({ name: z.string(), id: z.string(), project_id: z.string() }),
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
