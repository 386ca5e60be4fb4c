import type { FirstStart, Payment, Registration, SecondFactorRule } from "@miranda/contract/schemas/admin.ts";
import type { Visibility } from "@miranda/contract/schemas/projects.ts";
import type { ColumnType, Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// What administrators decide: part of tables.ts.

/** One row. */
export interface InstallationSettingsTable {
  one: Generated<boolean>;
  registration: Generated<Registration>;
  registration_domains: Generated<string[]>;
  default_visibility: Generated<Visibility>;
  second_factor: Generated<SecondFactorRule>;
  announcement: Generated<string>;
  payment: Generated<Payment>;
  trial_days: Generated<number>;
  trial_credits: Generated<number>;
  public_url: string | null;
  first_start: Generated<FirstStart>;
  announcement_until: Generated<string>;
  /** Limits that differ from those of the environment, by name. */
  limits: ColumnType<Record<string, number>, string | undefined, string>;
  version: Generated<number>;
  changed_by: string | null;
  changed_at: OptionalTimestamp;
}

/** Links to set a password. */
export interface PasswordLinksTable {
  token_hash: Buffer;
  account_id: string;
  /** The administrator who made it. Null: it was sent by e-mail. */
  made_by: string | null;
  created_at: Timestamp;
  expires_at: Date;
}
