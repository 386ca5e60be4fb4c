import type { Generated } from "kysely";

import type { Timestamp } from "./column-types.ts";

// Mails, confirmed addresses and sign-in by providers: part of tables.ts.

interface MailsTable {
  id: string;
  /** Sealed. */
  content: Buffer;
  tries: Generated<number>;
  due_at: Timestamp;
  created_at: Timestamp;
}

interface EmailConfirmationsTable {
  token_hash: Buffer;
  account_id: string;
  email: string;
  expires_at: Date;
}

/** Which account of a provider belongs to which of ours. */
interface AccountIdentitiesTable {
  provider: string;
  subject: string;
  account_id: string;
  email: Generated<string>;
  created_at: Timestamp;
  last_used_at: Timestamp;
}

/** Sign-ins that people began at a provider. */
interface ProviderSignInsTable {
  state_hash: Buffer;
  browser_hash: Buffer;
  provider: string;
  /** Sealed. */
  content: Buffer;
  expires_at: Date;
}

export interface SignInTables {
  mails: MailsTable;
  email_confirmations: EmailConfirmationsTable;
  account_identities: AccountIdentitiesTable;
  provider_sign_ins: ProviderSignInsTable;
}
