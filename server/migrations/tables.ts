import type { ColumnType, Generated } from "kysely";

// The shape of the database after the newest migration: every SQL file beside this one changes it too.

type Timestamp = ColumnType<Date, Date | undefined, Date>;
type OptionalTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;

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
  avatar_version: string | null;
  subscribed: Generated<boolean>;
  trial: boolean;
  trial_end: OptionalTimestamp;
  credits: number;
  onboarded_at: OptionalTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface AvatarsTable {
  account_id: string;
  version: string;
  image: Buffer;
}

export interface SessionsTable {
  token_hash: Buffer;
  account_id: string;
  user_agent: Generated<string>;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  expires_at: Date;
}

export interface AccessTokensTable {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  token_hash: Buffer;
  created_at: Timestamp;
  last_used_at: Timestamp;
}

export interface AttemptsTable {
  key: string;
  count: number;
  expires_at: Date;
}

export interface ProjectsTable {
  id: string;
  metadata_id: Generated<number>;
  owner_id: string;
  name: string;
  description: Generated<string>;
  visibility: Generated<"public" | "private">;
  created_at: Timestamp;
  updated_at: Timestamp;
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
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NodesTable {
  metadata_id: Generated<number>;
  id: string;
  graph_id: string;
  class: "Code_block" | "compute_policy" | "storage_policy";
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
  segments: Generated<unknown>;
  label: Generated<string>;
  created_by: string | null;
  created_at: Timestamp;
}

export interface Tables {
  projects: ProjectsTable;
  project_members: ProjectMembersTable;
  follows: FollowsTable;
  graphs: GraphsTable;
  nodes: NodesTable;
  edges: EdgesTable;
  accounts: AccountsTable;
  avatars: AvatarsTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  attempts: AttemptsTable;
}
