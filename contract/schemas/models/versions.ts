import { z } from "zod";

import { formText, metricChart, model as limits } from "../../limits.ts";
import { RunState } from "../../run-states.ts";
import { CommitAuthor } from "../code.ts";
import { exactText, formJson, Id, numberBetween, oneOf, optionalText, requiredText } from "../forms.ts";
import { PageKeyQuery } from "../pages.ts";
import { ProjectAccess } from "../projects.ts";
import { RunMetric } from "../runs.ts";
import { MetricValue, Model, ModelAlias, ModelTags } from "./models.ts";

// The page of a model: its versions, its aliases and its trash.

const numberRange = { min: 1, max: 2_147_483_647 };
const VersionNumber = numberBetween("version", numberRange, "whole");

const stages = ["None", "Staging", "Production", "Archived"] as const;

/** `GET /api/v3/models/{id}` */
export const ModelDetails = Model.extend({
  description: z.string(),
  access: ProjectAccess,
  /** How many versions there are, without those in the trash. */
  versions: z.number(),
  /** In the trash. */
  deleted_versions: z.number(),
  /** Names of metrics and parameters of its newest versions, for columns and charts. */
  metric_names: z.array(z.string()),
  param_names: z.array(z.string()),
  /** Deployments whose workflow loads this model. */
  deployments: z.array(
    z.object({ id: z.string(), title: z.string(), graph_id: z.string(), project_id: z.string(), uri: z.string() }),
  ),
  /** What MLflow's client takes as its tracking URI, without the host: `/mlflow/{projectId}`. */
  tracking_path: z.string(),
});
export type ModelDetails = z.infer<typeof ModelDetails>;

/** A version in a list. `GET /api/v3/models/{id}/versions`, the newest first. */
export const ModelVersion = z.object({
  number: z.number(),
  description: z.string(),
  tags: ModelTags,
  aliases: z.array(z.string()),
  stage: z.string(),
  /** READY, PENDING_REGISTRATION or FAILED_REGISTRATION. */
  status: z.string(),
  metrics: z.record(z.string(), MetricValue.nullable()),
  params: z.record(z.string(), z.string()),
  /** Of its files. */
  bytes: z.number(),
  files: z.number(),
  /** The name of who made it. */
  author: z.string(),
  /** Their account; null when there is none, or it is deleted. */
  by: CommitAuthor.nullable(),
  /** The run of a workflow that made it. `exists` is false once the run is removed. */
  run: z
    .object({ id: z.string(), state: RunState.nullable(), cost: z.number().nullable(), exists: z.boolean() })
    .nullable(),
  /** The run as MLflow knows it: `id` has 32 hexadecimal digits. */
  tracked_run: z
    .object({
      id: z.string(),
      name: z.string(),
      experiment: z.number(),
      experiment_name: z.string(),
      status: z.string(),
    })
    .nullable(),
  /** The workflow that made it, and what was run of it. */
  workflow: z
    .object({
      id: z.string(),
      name: z.string(),
      project_id: z.string(),
      version: z.object({ id: z.string(), number: z.number().nullable(), name: z.string() }).nullable(),
    })
    .nullable(),
  node: z.object({ wob_key: z.number(), name: z.string() }).nullable(),
  hardware: z.array(z.string()),
  miranda_version: z.string(),
  /** What MLflow's client loads: `models:/name/1`. */
  uri: z.string(),
  time_created: z.string(),
  last_updated: z.string(),
});
export type ModelVersion = z.infer<typeof ModelVersion>;

export const ModelVersionPage = z.object({
  versions: z.array(ModelVersion),
  /** The `after` of the next page: the number of the last version. Null at the end. */
  next: z.number().nullable(),
});
export type ModelVersionPage = z.infer<typeof ModelVersionPage>;

export const ModelVersionsQuery = PageKeyQuery.pick({ limit: true }).extend({
  after: numberBetween("after", numberRange, "whole").optional(),
});
export type ModelVersionsQuery = z.infer<typeof ModelVersionsQuery>;

/** One column, tensor or parameter of a signature. */
export const SignatureField = z.object({
  /** Empty when columns go by their order. */
  name: z.string(),
  /** As MLflow writes it: double, long, string, boolean, tensor … */
  type: z.string(),
  /** Of a tensor; null otherwise. */
  shape: z.array(z.number()).nullable(),
  required: z.boolean(),
  default: z.unknown(),
});
export type SignatureField = z.infer<typeof SignatureField>;

/** What the MLmodel file of a version says about its inputs and outputs. */
export const ModelSignature = z.object({
  inputs: z.array(SignatureField),
  outputs: z.array(SignatureField),
  params: z.array(SignatureField),
});
export type ModelSignature = z.infer<typeof ModelSignature>;

/** `GET /api/v3/models/{id}/versions/{n}` */
export const ModelVersionDetails = ModelVersion.extend({
  /** Where its files are, as the client said. */
  source: z.string(),
  /** The same, when they are not here, such as in a bucket of the client. */
  elsewhere: z.string().nullable(),
  logged_model_id: z.string().nullable(),
  /** Null when there is no MLmodel file, or it has no signature. */
  signature: ModelSignature.nullable(),
  /** For example python_function, sklearn. */
  flavors: z.array(z.string()),
  /** Whether `mlflow.pyfunc.load_model` can load it. */
  loadable: z.boolean(),
});
export type ModelVersionDetails = z.infer<typeof ModelVersionDetails>;

export const ModelParams = z.object({ modelId: Id });
export type ModelParams = z.infer<typeof ModelParams>;

export const ModelVersionParams = z.object({ modelId: Id, number: VersionNumber });
export type ModelVersionParams = z.infer<typeof ModelVersionParams>;

const TagKey = exactText("Tag", limits.tagKeyMax).min(1, "A tag needs a name.");
/** All tags: those that are left out are removed. */
const Tags = formJson(
  z
    .record(TagKey, exactText("The value of a tag", limits.tagValueMax), "Tags are names with values.")
    .refine((tags) => Object.keys(tags).length <= limits.tagsMax, `At most ${limits.tagsMax} tags are possible.`),
);
const Description = optionalText("Description", limits.descriptionMax);

/** As MLflow's: a name goes into `models:/name/1`. */
const ModelName = requiredText("Name", limits.nameMax).regex(/^[^/:]+$/, "A name of a model has no / and no :");

/** `PATCH /api/v3/models/{id}` */
export const PatchModelBody = z.object({ name: ModelName, description: Description, tags: Tags }).partial();
export type PatchModelBody = z.infer<typeof PatchModelBody>;

/** `PATCH /api/v3/models/{id}/versions/{n}` */
export const PatchModelVersionBody = z
  .object({ description: Description, tags: Tags, stage: oneOf("stage", stages) })
  .partial();
export type PatchModelVersionBody = z.infer<typeof PatchModelVersionBody>;

/** MLflow's rules: a number of a version and `latest` would be ambiguous. */
export const AliasName = requiredText("Alias", limits.aliasMax)
  .regex(/^[\w-]+$/, "An alias has letters, digits, _ and - only.")
  .refine((alias) => !/^(v\d+|latest)$/i.test(alias), "An alias cannot be latest or the number of a version.");
export type AliasName = z.infer<typeof AliasName>;

/** The alias of a call that sets it must be an `AliasName`. */
export const AliasParams = z.object({ modelId: Id, alias: z.string() });
export type AliasParams = z.infer<typeof AliasParams>;

const Reason = optionalText("Reason", limits.reasonMax).default("");

/** `PUT /api/v3/models/{id}/aliases/{alias}` sets or moves it. `DELETE` with a reason removes it. */
export const PutAliasBody = z.object({ version: VersionNumber, reason: Reason });
export type PutAliasBody = z.infer<typeof PutAliasBody>;

export const DeleteAliasBody = z.object({ reason: Reason }).default({ reason: "" });
export type DeleteAliasBody = z.infer<typeof DeleteAliasBody>;

/** Who moved an alias, when and why. `from` is null when it was new, `to` when it was removed. */
export const AliasMove = z.object({
  id: z.string(),
  alias: z.string(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  author: z.string(),
  by: CommitAuthor.nullable(),
  reason: z.string(),
  time: z.string(),
});
export type AliasMove = z.infer<typeof AliasMove>;

/** `GET /api/v3/models/{id}/aliases`: where they are, and their moves, the newest first. */
export const ModelAliases = z.object({
  aliases: z.array(ModelAlias),
  moves: z.array(AliasMove),
  next: z.string().nullable(),
});
export type ModelAliases = z.infer<typeof ModelAliases>;

/** `GET /api/v3/models/trash` has models, and versions of models that are not in the trash themselves. */
export const TrashedModel = z.object({
  id: z.string(),
  name: z.string(),
  project: z.object({ id: z.string(), name: z.string() }),
  /** Of a version; null when the whole model is in the trash. */
  number: z.number().nullable(),
  versions: z.number(),
  time_deleted: z.string(),
  /** When it is removed for good. */
  time_removed: z.string(),
  /** Null when it is not known, or when the account is deleted. */
  deleted_by: CommitAuthor.nullable(),
  access: ProjectAccess,
});
export type TrashedModel = z.infer<typeof TrashedModel>;

export const ModelTrash = z.array(TrashedModel);
export type ModelTrash = z.infer<typeof ModelTrash>;

export const ModelTrashQuery = z.object({ project_id: Id.optional(), model_id: Id.optional() });
export type ModelTrashQuery = z.infer<typeof ModelTrashQuery>;

/** `DELETE /api/v3/models/trash`: removes what is in the trash of a project for good. */
export const EmptyModelTrashQuery = z.object({ project_id: Id });
export type EmptyModelTrashQuery = z.infer<typeof EmptyModelTrashQuery>;

/** Numbers of versions with commas between them. */
const VersionNumbers = z
  .string({ error: "versions must be numbers." })
  .max(limits.comparedMax * 11, `versions can name at most ${limits.comparedMax}.`)
  .transform((text): (string | number)[] => [...new Set(text.split(",").filter((part) => part !== ""))])
  .pipe(
    z
      .array(VersionNumber)
      .min(1, "Name at least one version.")
      .max(limits.comparedMax, `versions can name at most ${limits.comparedMax}.`),
  );

/**
 * `GET /api/v3/models/{id}/metrics`. `name` can be repeated. Without a name: all metrics.
 */
export const ModelMetricsQuery = z.object({
  versions: VersionNumbers,
  name: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => (typeof given === "string" ? [given] : given))
    .refine((list) => list.length <= limits.namesMax, `At most ${limits.namesMax} names are possible.`)
    .refine((list) => list.every((one) => one.length <= formText.pageKeyMax), "A name is too long.")
    .optional(),
  points: numberBetween("points", { min: 10, max: metricChart.pointsMax }, "whole").default(500),
});
export type ModelMetricsQuery = z.infer<typeof ModelMetricsQuery>;

/** The points of a metric of one version. NaN and infinities are gaps. */
export const ModelMetricSeries = RunMetric.extend({
  version: z.number(),
  lowest: z.object({ step: z.number(), value: z.number() }).nullable(),
  highest: z.object({ step: z.number(), value: z.number() }).nullable(),
  last: z.object({ step: z.number(), value: MetricValue }),
  /** Whether the lowest value is the best, by the metric's name. */
  lower_is_better: z.boolean(),
});
export type ModelMetricSeries = z.infer<typeof ModelMetricSeries>;

export const ModelMetrics = z.array(ModelMetricSeries);
export type ModelMetrics = z.infer<typeof ModelMetrics>;
