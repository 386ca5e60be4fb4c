import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export interface CorrectionRow {
  grant_key: string;
  amount: string;
  note: string;
  username: string | null;
  account_id: string;
  purse_id: string | null;
  created_at: Date;
}

export interface GivenGrant {
  id: number;
  key: string;
  amount: string;
  /** What is left of it after earlier corrections. */
  left: string;
  note: string;
  account_id: string;
  purse_id: string | null;
  project_id: string | null;
  project_name: string;
  username: string | null;
  by: string | null;
  created_at: Date;
}

const username = sql`(select username from accounts where accounts.id = ledger.account_id)`;
const corrected = sql`coalesce((select sum(amount) from ledger as correction where correction.corrects = ledger.id), 0)`;
const given = sql`ledger.id, ledger.grant_key as key, ledger.amount::text as amount,
  (ledger.amount + ${corrected})::numeric(18, 9)::text as left, ledger.note, ledger.account_id, ledger.purse_id,
  ledger.project_id, ledger.project_name, ${username} as username,
  (select username from accounts where accounts.id = ledger.granted_by and deleted_at is null) as by, ledger.created_at`;

export const correctionQueries = {
  findByKey: async (db: Db, key: string): Promise<CorrectionRow | undefined> => {
    const { rows } = await sql<CorrectionRow>`
      select given.grant_key, (-ledger.amount)::numeric(18, 9)::text as amount, ledger.note, ledger.account_id, ledger.purse_id,
        ${username} as username, ledger.created_at
      from ledger join ledger as given on given.id = ledger.corrects where ledger.grant_key = ${key}`.execute(db);
    return rows[0];
  },

  isKeyUsed: async (db: Db, key: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from ledger where grant_key = ${key}`.execute(db);
    return rows.length > 0;
  },

  /** Two corrections of one grant wait for each other. A charge locks accounts before purses. */
  lockGrant: async (trx: Db, key: string): Promise<GivenGrant | undefined> => {
    const { rows } = await sql<{ account_id: string }>`
      select account_id from ledger where grant_key = ${key} and kind = 'grant'`.execute(trx);
    const [found] = rows;
    if (!found) return undefined;
    await sql`select 1 from accounts where id = ${found.account_id} for no key update`.execute(trx);
    const locked = await sql<GivenGrant>`
      select ${given} from ledger where grant_key = ${key} and kind = 'grant'`.execute(trx);
    return locked.rows[0];
  },

  /** Newest first. */
  ofAccount: async (db: Db, accountId: string, limit: number): Promise<GivenGrant[]> => {
    const { rows } = await sql<GivenGrant>`
      select ${given} from ledger
      where account_id = ${accountId} and purse_id is null and kind = 'grant' and grant_key is not null
      order by ledger.id desc limit ${limit}`.execute(db);
    return rows;
  },

  /** `amount` is above zero. */
  insert: async (
    trx: Db,
    { id, account_id, purse_id, project_id, project_name }: GivenGrant,
    correction: { key: string; amount: string; reason: string; by: string },
  ): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      insert into ledger (account_id, kind, project_id, purse_id, project_name, amount, note, grant_key, granted_by, corrects)
      values (${account_id}, 'correction', ${project_id}::uuid, ${purse_id}::uuid, ${project_name},
        -(${correction.amount}::numeric), ${correction.reason}, ${correction.key}, ${correction.by}, ${id})
      on conflict (grant_key) where grant_key is not null do nothing`.execute(trx);
    return numAffectedRows === 1n;
  },

  /** It may become negative: then it was spent before it was taken back. */
  takeFromAccount: async (trx: Db, accountId: string, amount: string): Promise<void> => {
    await sql`update accounts set credits = credits - ${amount}::numeric where id = ${accountId}`.execute(trx);
  },

  /** False when the purse does not have that much. */
  takeFromPurse: async (trx: Db, projectId: string, amount: string): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      update purses set balance = balance - ${amount}::numeric, updated_at = now()
      where project_id = ${projectId} and balance >= ${amount}::numeric`.execute(trx);
    return numAffectedRows === 1n;
  },
};
