import type { Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// What belongs to an account: part of tables.ts.

export interface SamplesTable {
  account_id: string;
  sample: string;
  graph_id: string | null;
  created_at: Timestamp;
  opened_at: OptionalTimestamp;
}

/** Deleted accounts that still have something to remove. */
export interface DeletingAccountsTable {
  account_id: string;
  username: string;
  deleted_at: Timestamp;
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
  /** What people name it by. */
  id: Generated<string>;
  address: Generated<string>;
  /** Signed in with two factors. */
  has_two_factors: Generated<boolean>;
  /** When the person last proved who they are without a password. */
  reauthenticated_at: OptionalTimestamp;
}

export interface AccessTokensTable {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  token_hash: Buffer;
  automatic: Generated<boolean>;
  created_at: Timestamp;
  last_used_at: Timestamp;
  scope: Generated<"all" | "read" | "run" | "write">;
  /** The only project, or the only deployment, that it can use. */
  project_id: string | null;
  deployment_id: string | null;
  /** The name of either when the token was made. */
  limited_to: Generated<string>;
  expires_at: OptionalTimestamp;
}

export interface AttemptsTable {
  key: string;
  count: number;
  expires_at: Date;
}
