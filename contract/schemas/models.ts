import { z } from "zod";

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
});
export type Model = z.infer<typeof Model>;

export const ModelsResponse = z.object({ json: z.array(Model) });
export type ModelsResponse = z.infer<typeof ModelsResponse>;
