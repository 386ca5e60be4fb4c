import type { Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

/** An app that shows a code every 30 seconds. */
export interface AuthenticatorAppsTable {
  account_id: string;
  /** Sealed. */
  secret: Buffer;
  /** Null while it is being set up. */
  confirmed_at: OptionalTimestamp;
  /** The newest 30 seconds whose code was used. No older code is accepted. */
  last_step: Generated<number>;
  last_used_at: OptionalTimestamp;
}

export interface RecoveryCodesTable {
  account_id: string;
  code_hash: Buffer;
  used_at: OptionalTimestamp;
}

export interface PasskeysTable {
  id: string;
  account_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  name: string;
  created_at: Timestamp;
  last_used_at: OptionalTimestamp;
}

/** A sign-in that waits for its second step, or the challenge of a passkey. */
export interface SignInTicketsTable {
  token_hash: Buffer;
  kind: string;
  /** Null: whoever answers the challenge. */
  account_id: string | null;
  /** How the first step was taken. */
  method: string | null;
  /** The hash of the password's hash: a ticket ends when the password is changed. */
  password_fingerprint: Buffer | null;
  challenge: string | null;
  tries: Generated<number>;
  expires_at: Date;
}
