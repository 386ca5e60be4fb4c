import type { ColumnType, Generated, GeneratedAlways } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold what training code logs, and the models that come of it. docs/tracking.md explains
// them.

type Texts = ColumnType<Record<string, string>, string | undefined, string>;

export interface ExperimentsTable {
  project_id: string;
  number: number;
  name: string;
  graph_id: string | null;
  tags: Texts;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: OptionalTimestamp;
}

export type TrackedStatus = "RUNNING" | "SCHEDULED" | "FINISHED" | "FAILED" | "KILLED";

export interface TrackedRunsTable {
  id: string;
  project_id: string;
  experiment: number;
  name: Generated<string>;
  run_id: string | null;
  node_id: number | null;
  account_id: string | null;
  user_name: Generated<string>;
  status: Generated<TrackedStatus>;
  is_taken: Generated<boolean>;
  began_at: Timestamp;
  ended_at: OptionalTimestamp;
  deleted_at: OptionalTimestamp;
}

export interface TrackedTextsTable {
  run_id: string;
  key: string;
  value: string;
}

export interface MetricSummariesTable {
  run_id: string;
  name: string;
  position: number;
  points: number;
  last_value: number;
  last_step: number;
  last_time: ColumnType<Date, Date, Date>;
  min_value: number | null;
  min_step: number | null;
  max_value: number | null;
  max_step: number | null;
}

/** Some hundred points of a metric. */
export interface RunMetricsTable {
  run_id: string;
  name: string;
  number: number;
  node_id: number | null;
  points: number;
  steps: number[];
  values: (number | null)[];
  times: number[];
  first_step: number;
  last_step: number;
  first_time: number;
  last_time: number;
  low: number | null;
  low_step: number | null;
  low_time: number | null;
  high: number | null;
  high_step: number | null;
  high_time: number | null;
}

export interface TrackedInputsTable {
  run_id: string;
  name: string;
  digest: string;
  source_type: Generated<string>;
  source: Generated<string>;
  schema: Generated<string>;
  profile: Generated<string>;
  tags: Texts;
}

export interface LoggedModelsTable {
  id: string;
  project_id: string;
  experiment: number;
  run_id: string | null;
  name: string;
  type: Generated<string>;
  status: Generated<string>;
  tags: Texts;
  params: Texts;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: OptionalTimestamp;
}

export interface LoggedModelMetricsTable {
  model_id: string;
  run_id: string;
  name: string;
  dataset_name: Generated<string>;
  dataset_digest: Generated<string>;
  value: number;
  step: number;
  logged_at: ColumnType<Date, Date, Date>;
}

export interface TrackedOutputsTable {
  run_id: string;
  model_id: string;
  step: Generated<number>;
}

export interface TrackedModelInputsTable {
  run_id: string;
  model_id: string;
}

/** A file that training code stored. */
export interface ArtifactsTable {
  project_id: string;
  /** `{experiment}/{run}/artifacts/…` or `{experiment}/models/{logged model}/artifacts/…` */
  path: string;
  bytes: number;
  sha256: Buffer;
  created_at: Timestamp;
  /** Whose it is. It goes with it. */
  run_id: string | null;
  logged_model_id: string | null;
}

export interface ArtifactContentsTable {
  project_id: string;
  sha256: Buffer;
  bytes: number;
  unused_at: OptionalTimestamp;
  /** Where it is. Null: on the server's disk. */
  bucket_id: string | null;
  object: string | null;
}

/** S3 buckets that projects store their artefacts in. */
export interface ArtifactBucketsTable {
  id: string;
  project_id: string | null;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  access_key: string;
  secret_key: Buffer;
  is_current: boolean;
  created_at: Timestamp;
}

/** Objects in buckets that no content names. */
export interface ArtifactRemovalsTable {
  bucket_id: string;
  object: string;
  upload_id: string | null;
  due_at: Timestamp;
}

/** Triggers add up the contents. */
export interface ArtifactTotalsTable {
  project_id: string;
  bytes: number;
  files: number;
  paths: Generated<number>;
}

export interface ModelsTable {
  id: string;
  project_id: string;
  name: string;
  /** The workflow that made the newest version. Null when no workflow did, or when it is gone. */
  graph_id: string | null;
  job_id: string | null;
  node_id: number | null;
  run: Generated<number>;
  run_id: string | null;
  graph_revision: number | null;
  authors: Generated<string[]>;
  miranda_version: Generated<string>;
  hardware: Generated<string[]>;
  metrics: ColumnType<Record<string, number | null>, string | undefined, string>;
  loss: GeneratedAlways<number | null>;
  accuracy: GeneratedAlways<number | null>;
  precision: GeneratedAlways<number | null>;
  recall: GeneratedAlways<number | null>;
  artifact: string | null;
  description: Generated<string>;
  tags: Texts;
  latest_version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: OptionalTimestamp;
  deleted_by: string | null;
}

export interface ModelVersionsTable {
  model_id: string;
  number: number;
  tracked_run_id: string | null;
  logged_model_id: string | null;
  source: Generated<string>;
  run_link: Generated<string>;
  run_id: string | null;
  graph_id: string | null;
  version_id: string | null;
  node_id: number | null;
  account_id: string | null;
  author: Generated<string>;
  description: Generated<string>;
  tags: Texts;
  metrics: ColumnType<Record<string, number | null>, string | undefined, string>;
  params: Texts;
  stage: Generated<string>;
  status: Generated<string>;
  hardware: Generated<string[]>;
  miranda_version: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: OptionalTimestamp;
  deleted_by: string | null;
  /** When people and webhooks were told about it. */
  told_at: OptionalTimestamp;
}

export interface ModelAliasesTable {
  model_id: string;
  alias: string;
  number: number;
}

export interface ModelAliasMovesTable {
  id: string;
  model_id: string;
  alias: string;
  from_number: number | null;
  to_number: number | null;
  account_id: string | null;
  author: Generated<string>;
  reason: Generated<string>;
  moved_at: Timestamp;
  told_at: OptionalTimestamp;
}
