import { z } from "zod";

import { RunState } from "../../run-states.ts";
import { MetadataId } from "../forms.ts";
import { MetricValue } from "./models.ts";

// Where a version of a model came from, and what came of a run, a workflow or a node.

const lineageKinds = [
  "file",
  "result",
  "dataset",
  "packages",
  "node",
  "commit",
  "workflow",
  "run",
  "model",
  "deployment",
] as const;
export const LineageKind = z.enum(lineageKinds);
export type LineageKind = z.infer<typeof LineageKind>;

/** One thing in the picture. */
export const LineageNode = z.object({
  /** Unique in the picture. */
  id: z.string(),
  kind: LineageKind,
  label: z.string(),
  /** A second line: a hash, a key, a time. */
  detail: z.string(),
  /** More of it, in order, for a card beside the picture. */
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  /** Where it is in the product; null when it has no page, or is gone. */
  address: z.string().nullable(),
  /** Whether it was removed, so that only its name is known. */
  gone: z.boolean(),
  /** In credits; only of a run and of a node. */
  cost: z.number().nullable(),
});
export type LineageNode = z.infer<typeof LineageNode>;

/** `GET /api/v3/models/{id}/versions/{n}/lineage`. Edges go from what was used to what came of it. */
export const Lineage = z.object({
  nodes: z.array(LineageNode),
  edges: z.array(z.object({ from: z.string(), to: z.string() })),
  /** In credits, of the run; null when it is not known. */
  cost: z.number().nullable(),
  seconds: z.number().nullable(),
  python: z.string(),
  packages: z.record(z.string(), z.string()),
  /** Whether something was left out because there is too much of it. */
  cut: z.boolean(),
});
export type Lineage = z.infer<typeof Lineage>;

/** A version that came of a run, a version of a workflow, or a node. */
export const MadeModel = z.object({
  model_id: z.string(),
  name: z.string(),
  number: z.number(),
  aliases: z.array(z.string()),
  metrics: z.record(z.string(), MetricValue.nullable()),
  time_created: z.string(),
});
export type MadeModel = z.infer<typeof MadeModel>;

/**
 * The newest first, at most 100. `GET /api/v3/runs/{runId}/models`, `GET /api/v3/graphs/{graphId}/versions/{version}/models`
 * and `GET /api/v3/objects/{metadata_id}/models`.
 */
export const MadeModels = z.array(MadeModel);
export type MadeModels = z.infer<typeof MadeModels>;

export const NodeModelsParams = z.object({ id: MetadataId });
export type NodeModelsParams = z.infer<typeof NodeModelsParams>;

/**
 * `GET /api/v3/models/{id}/versions/{n}/reproductions`. To reproduce a version, start its run again with
 * `repeats: run_id`; the run that comes of it is the newest of `made`.
 */
export const Reproductions = z.object({
  /** Whether its run can be run again, and if not, why. */
  possible: z.boolean(),
  reason: z.string(),
  run_id: z.string().nullable(),
  graph: z.object({ id: z.string(), project_id: z.string(), name: z.string() }).nullable(),
  cost: z.number().nullable(),
  seconds: z.number().nullable(),
  packages: z.number(),
  python: z.string(),
  /** Runs that repeated it, the newest first. `number` is the version of this model that came of it, if one did. */
  made: z.array(
    z.object({
      run_id: z.string(),
      state: RunState,
      time_began: z.string(),
      number: z.number().nullable(),
      /** Names of metrics that differ from the original. Null until there is a version. */
      differs: z.array(z.string()).nullable(),
    }),
  ),
});
export type Reproductions = z.infer<typeof Reproductions>;
