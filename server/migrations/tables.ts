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

export interface Tables {
  accounts: AccountsTable;
  avatars: AvatarsTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  attempts: AttemptsTable;
}
