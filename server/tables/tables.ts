import type { StoredClass } from "@miranda/contract/graph/node-classes.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { ColumnType, Generated, Selectable } from "kysely";

import type { AuditLogTable, AuditStreamTable, AuditUnsentTable } from "./audit-tables.ts";
import type { OptionalTimestamp, Timestamp } from "./column-types.ts";
import type { InstallationSettingsTable, PasswordLinksTable } from "./admin-tables.ts";
import type {
  AccessTokensTable,
  AttemptsTable,
  AvatarsTable,
  DeletingAccountsTable,
  SamplesTable,
  SessionsTable,
} from "./account-tables.ts";
import type {
  BudgetsTable,
  BudgetWarningsTable,
  LedgerTable,
  PursesTable,
  UsageSamplesTable,
} from "./billing-tables.ts";
import type { RuntimeTables } from "./runtime-tables.ts";
import type { CommentMentionsTable, CommentsTable, CommentThreadsTable } from "./comment-tables.ts";
import type { BackupsTable } from "./operations-tables.ts";
import type { NodeCommitsTable, NodeDraftsTable, NodeGitTable } from "./code-tables.ts";
import type { PeopleTables } from "./people-tables.ts";
import type {
  CallFilesTable,
  CallsTable,
  DeploymentMarksTable,
  DeploymentPeopleTable,
  DeploymentsTable,
  DeploymentTokensTable,
  ReleasesTable,
  SchedulesTable,
  ScheduleFilesTable,
  ScheduleTicksTable,
} from "./deployment-tables.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import type {
  AuthenticatorAppsTable,
  PasskeysTable,
  RecoveryCodesTable,
  SignInTicketsTable,
} from "./second-factor-tables.ts";
import type { TemplateFilesTable, TemplatesTable, TemplateVersionsTable } from "./template-tables.ts";
import type {
  EarlierBasesTable,
  GraphPartsTable,
  GraphOriginsTable,
  GraphVersionsTable,
  LoosePartsTable,
  NodeEditsTable,
  VersionPartsTable,
} from "./version-tables.ts";
import type {
  NotificationsTable,
  ResultsTable,
  RunExceptionsTable,
  RunNodesTable,
  RunsTable,
  WebhookCallsTable,
  WebhooksTable,
} from "./run-tables.ts";
import type {
  JobCommandsTable,
  JobNodesTable,
  JobOutputsTable,
  JobPackagesTable,
  JobsTable,
  LogChunksTable,
} from "./session-tables.ts";
import type {
  ArtifactBucketsTable,
  ArtifactContentsTable,
  ArtifactRemovalsTable,
  ArtifactsTable,
  ArtifactTotalsTable,
  ExperimentsTable,
  LoggedModelMetricsTable,
  LoggedModelsTable,
  MetricSummariesTable,
  ModelAliasesTable,
  ModelAliasMovesTable,
  ModelsTable,
  ModelVersionsTable,
  RunMetricsTable,
  TrackedInputsTable,
  TrackedModelInputsTable,
  TrackedOutputsTable,
  TrackedRunsTable,
  TrackedTextsTable,
} from "./tracking-tables.ts";

// The schema after the newest migration. Every SQL file beside this one changes it too.

export interface AccountsTable {
  id: string;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  password_hash: string;
  is_admin: boolean;
  industry: Generated<string>;
  role: Generated<string>;
  phone: Generated<string>;
  /** After how many seconds an interrupt stops by force what does not end. 0: never. */
  force_stop_after: Generated<number>;
  avatar_version: string | null;
  subscribed: Generated<boolean>;
  trial: boolean;
  trial_end: OptionalTimestamp;
  credits: number;
  onboarded_at: OptionalTimestamp;
  token_revoked: Generated<boolean>;
  /** Whether there is an authenticator app or a passkey. */
  has_second_factor: Generated<boolean>;
  /** What the account is told about, where that differs from the default. */
  notification_settings: ColumnType<Record<string, unknown>, string | undefined, string>;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** When the person showed that mails to their address reach them. */
  email_verified_at: OptionalTimestamp;
  /** The hash of a password that nobody knows. While password_hash equals it, the account has no password. */
  generated_password_hash: ColumnType<string | null, string | null | undefined, string | null>;
  /** Nobody signs in before the address is confirmed. */
  must_confirm_email: Generated<boolean>;
  /** A deleted account has no name any more. */
  deleted_at: OptionalTimestamp;
  /** Since when it cannot sign in, and its tokens are refused. */
  disabled_at: OptionalTimestamp;
  /** Limits that differ from those of the installation, by name. */
  quotas: ColumnType<Record<string, number>, string | undefined, string>;
  /** Counts what administrators change about the account. */
  admin_version: Generated<number>;
  last_seen_at: OptionalTimestamp;
}

export interface ProjectsTable {
  id: string;
  metadata_id: Generated<number>;
  /** Null in the database once the project is deleted. Nothing but its removal reads it then. */
  owner_id: ColumnType<string, string, string | null>;
  name: string;
  description: Generated<string>;
  visibility: Generated<"public" | "private">;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** What one run, and all runs of a day, may cost, in credits. Null: no limit. */
  run_budget: number | null;
  day_budget: number | null;
}

export interface ProjectMembersTable {
  project_id: string;
  account_id: string;
  role: "viewer" | "editor";
  created_at: Timestamp;
}

export interface FollowsTable {
  account_id: string;
  project_id: string;
  created_at: Timestamp;
}

export interface GraphsTable {
  id: string;
  metadata_id: Generated<number>;
  project_id: string;
  name: string;
  description: Generated<string>;
  created_by: string | null;
  revision: Generated<number>;
  /** The number of the newest named version. */
  last_version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NodesTable {
  metadata_id: Generated<number>;
  id: string;
  graph_id: string;
  /** The same in every version and every clone of the workflow. */
  lineage: Generated<string>;
  class: StoredClass;
  name: string;
  description: Generated<string>;
  order: Generated<number>;
  x: Generated<number>;
  y: Generated<number>;
  colour: string | null;
  api: Generated<unknown>;
  field_values: Generated<Record<string, unknown>>;
  body: unknown;
  source_code: Generated<string>;
  tags: Generated<string[]>;
  locked: Generated<boolean>;
  git: string | null;
  git_branch: string | null;
  status: string | null;
  update_policy: "linked" | "detached" | null;
  template_id: string | null;
  template_ref: string | null;
  template_version: number | null;
  tag_users: Generated<Record<string, string>>;
  updated_by: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  last_used_at: OptionalTimestamp;
}

export interface EdgesTable {
  graph_id: string;
  source_id: number;
  transmitter: string;
  target_id: number;
  receiver: string;
  segments: Generated<Position[]>;
  label: Generated<string>;
  created_by: string | null;
  created_at: Timestamp;
}

export interface NodeGroupsTable {
  id: string;
  graph_id: string;
  lineage: Generated<string>;
  name: string;
  colour: string | null;
  collapsed: Generated<boolean>;
  members: Generated<number[]>;
  created_at: Timestamp;
}

export interface DeletedNodesTable {
  metadata_id: number;
  graph_id: string;
  node: unknown;
  edges: unknown;
  deleted_at: Timestamp;
}

export interface SecretsTable {
  id: string;
  key: string;
  project_id: string | null;
  account_id: string;
  value: Buffer;
  temporary: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PasswordRequestsTable {
  job_id: string;
  question: number;
  prompt: string;
  hidden: Generated<boolean>;
  node_id: number | null;
  answer: Buffer | null;
  created_at: Timestamp;
}

export interface NodeFilesTable {
  hash: string;
  size: number;
  content: Buffer;
  created_by: string | null;
  created_at: Timestamp;
  unused_since: Date | null;
}

export interface GraphFilesTable {
  graph_id: string;
  hash: string;
}

export interface Tables extends SignInTables, RuntimeTables, PeopleTables {
  audit_log: AuditLogTable;
  audit_stream: AuditStreamTable;
  audit_unsent: AuditUnsentTable;
  backups: BackupsTable;
  samples: SamplesTable;
  node_files: NodeFilesTable;
  graph_files: GraphFilesTable;
  template_files: TemplateFilesTable;
  node_commits: NodeCommitsTable;
  node_drafts: NodeDraftsTable;
  node_git: NodeGitTable;
  jobs: JobsTable;
  job_commands: JobCommandsTable;
  log_chunks: LogChunksTable;
  job_outputs: JobOutputsTable;
  job_nodes: JobNodesTable;
  job_packages: JobPackagesTable;
  runs: RunsTable;
  run_nodes: RunNodesTable;
  run_exceptions: RunExceptionsTable;
  run_metrics: RunMetricsTable;
  results: ResultsTable;
  notifications: NotificationsTable;
  webhooks: WebhooksTable;
  webhook_calls: WebhookCallsTable;
  deployments: DeploymentsTable;
  releases: ReleasesTable;
  deployment_people: DeploymentPeopleTable;
  deployment_marks: DeploymentMarksTable;
  deployment_tokens: DeploymentTokensTable;
  calls: CallsTable;
  call_files: CallFilesTable;
  schedules: SchedulesTable;
  schedule_files: ScheduleFilesTable;
  schedule_ticks: ScheduleTicksTable;
  usage_samples: UsageSamplesTable;
  ledger: LedgerTable;
  budgets: BudgetsTable;
  budget_warnings: BudgetWarningsTable;
  purses: PursesTable;
  experiments: ExperimentsTable;
  tracked_runs: TrackedRunsTable;
  tracked_params: TrackedTextsTable;
  tracked_tags: TrackedTextsTable;
  metric_summaries: MetricSummariesTable;
  tracked_inputs: TrackedInputsTable;
  tracked_model_inputs: TrackedModelInputsTable;
  tracked_outputs: TrackedOutputsTable;
  logged_models: LoggedModelsTable;
  logged_model_metrics: LoggedModelMetricsTable;
  artifacts: ArtifactsTable;
  artifact_contents: ArtifactContentsTable;
  artifact_buckets: ArtifactBucketsTable;
  artifact_removals: ArtifactRemovalsTable;
  artifact_totals: ArtifactTotalsTable;
  models: ModelsTable;
  model_versions: ModelVersionsTable;
  model_aliases: ModelAliasesTable;
  model_alias_moves: ModelAliasMovesTable;
  secrets: SecretsTable;
  password_requests: PasswordRequestsTable;
  templates: TemplatesTable;
  template_versions: TemplateVersionsTable;
  node_groups: NodeGroupsTable;
  deleted_nodes: DeletedNodesTable;
  version_parts: VersionPartsTable;
  loose_parts: LoosePartsTable;
  graph_versions: GraphVersionsTable;
  graph_origins: GraphOriginsTable;
  earlier_bases: EarlierBasesTable;
  graph_parts: GraphPartsTable;
  node_edits: NodeEditsTable;
  comment_threads: CommentThreadsTable;
  comments: CommentsTable;
  comment_mentions: CommentMentionsTable;
  projects: ProjectsTable;
  project_members: ProjectMembersTable;
  follows: FollowsTable;
  graphs: GraphsTable;
  nodes: NodesTable;
  edges: EdgesTable;
  accounts: AccountsTable;
  installation_settings: InstallationSettingsTable;
  password_links: PasswordLinksTable;
  deleting_accounts: DeletingAccountsTable;
  avatars: AvatarsTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  authenticator_apps: AuthenticatorAppsTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  sign_in_tickets: SignInTicketsTable;
  attempts: AttemptsTable;
}

export type NodeRow = Selectable<NodesTable>;
export type EdgeRow = Selectable<EdgesTable>;
export type AccountRow = Selectable<AccountsTable>;
