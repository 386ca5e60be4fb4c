import type { CallState, CallVia } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Channel, DeploymentAccess, DeploymentPayer } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import type {
  MissedRule,
  Overlap,
  ScheduleTick,
  ScheduleTold,
} from "@miranda/contract/schemas/deployments/schedules.ts";
import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold deployments, their calls and their schedules.

export interface DeploymentsTable {
  id: string;
  graph_id: string;
  owner_id: string | null;
  name: string;
  title: string;
  description: Generated<string>;
  tags: Generated<string[]>;
  access: Generated<DeploymentAccess>;
  link: string | null;
  embed_origins: Generated<string[]>;
  hook_hash: Buffer | null;
  hook_hint: Generated<string>;
  hook_secret: Buffer | null;
  hook_field: string | null;
  hook_at: OptionalTimestamp;
  paused: Generated<boolean>;
  at_once: Generated<number>;
  warm: Generated<number>;
  idle_minutes: Generated<number>;
  queue_max: Generated<number>;
  call_budget: number | null;
  day_budget: number | null;
  call_seconds: number | null;
  payer: Generated<DeploymentPayer>;
  compute: ColumnType<{ cpu: number; ram_gb: number } | null, string | null | undefined, string | null>;
  picture: Buffer | null;
  picture_version: string | null;
  production_id: string | null;
  staging_id: string | null;
  /** Set by the database. */
  words: ColumnType<string, never, never>;
  created_at: Timestamp;
  changed_at: Timestamp;
}

export interface ReleasesTable {
  id: string;
  deployment_id: string;
  number: number;
  version_id: string;
  form: ColumnType<ReleaseForm, string, never>;
  note: Generated<string>;
  account_id: string | null;
  created_at: Timestamp;
  served_at: OptionalTimestamp;
}

export interface DeploymentPeopleTable {
  deployment_id: string;
  account_id: string;
}

export interface DeploymentMarksTable {
  account_id: string;
  deployment_id: string;
  favourite: Generated<boolean>;
  used_at: OptionalTimestamp;
}

export interface DeploymentTokensTable {
  id: string;
  deployment_id: string;
  account_id: string;
  name: Generated<string>;
  token_hash: Buffer;
  hint: string;
  created_at: Timestamp;
  used_at: OptionalTimestamp;
}

export interface CallsTable {
  id: string;
  deployment_id: string;
  release_id: string;
  channel: Generated<Channel>;
  via: CallVia;
  account_id: string | null;
  visitor_hash: Buffer | null;
  token_id: string | null;
  schedule_id: string | null;
  payer_id: string | null;
  inputs: ColumnType<Record<string, unknown>, string, never>;
  idempotency_key: string | null;
  body_hash: Buffer | null;
  state: Generated<CallState>;
  reason: Generated<string>;
  job_id: string | null;
  cancelled: Generated<boolean>;
  /** Why it is being ended, and since when. */
  ending: string | null;
  ending_at: OptionalTimestamp;
  cost: Generated<number>;
  share_hash: Buffer | null;
  share: string | null;
  reported_at: OptionalTimestamp;
  /** Incremented by the database. */
  revision: ColumnType<number, never, never>;
  created_at: Timestamp;
  began_at: OptionalTimestamp;
  ended_at: OptionalTimestamp;
}

export interface CallFilesTable {
  call_id: string;
  hash: string;
}

export interface SchedulesTable {
  id: string;
  deployment_id: string;
  name: string;
  cron: string | null;
  every_minutes: number | null;
  timezone: Generated<string>;
  inputs: ColumnType<Record<string, unknown>, string | undefined, string>;
  channel: Generated<Channel>;
  overlap: Generated<Overlap>;
  missed: Generated<MissedRule>;
  paused: Generated<boolean>;
  paused_reason: Generated<string>;
  failures: Generated<number>;
  failures_max: Generated<number>;
  told: Generated<ScheduleTold>;
  account_id: string | null;
  next_at: OptionalTimestamp;
  created_at: Timestamp;
}

export interface ScheduleTicksTable {
  schedule_id: string;
  at: Timestamp;
  outcome: Generated<ScheduleTick["outcome"]>;
  reason: Generated<string>;
  call_id: string | null;
  try_at: Timestamp;
  tries: Generated<number>;
  made_up: Generated<boolean>;
  counted: Generated<boolean>;
}

export interface ScheduleFilesTable {
  deployment_id: string;
  hash: string;
  created_at: Timestamp;
}
