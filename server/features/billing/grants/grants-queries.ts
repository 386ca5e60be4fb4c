import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export interface GrantRow {
  amount: string;
  note: string;
  account_id: string;
  username: string | null;
  purse_id: string | null;
  project_name: string;
  created_at: Date;
}

const chosen = sql`ledger.amount::text as amount, ledger.note, ledger.account_id, ledger.purse_id, ledger.project_name,
  ledger.created_at,
  (select username from accounts where accounts.id = ledger.account_id) as username`;

export const grantQueries = {
  findByKey: async (db: Db, key: string): Promise<GrantRow | undefined> => {
    const { rows } = await sql<GrantRow>`select ${chosen} from ledger where grant_key = ${key}`.execute(db);
    return rows[0];
  },

  /** Locks the account. By username or e-mail address. Anybody can claim an address before it is confirmed. */
  lockAccount: async (trx: Db, name: string, onlyConfirmed: boolean): Promise<{ id: string } | undefined> => {
    const { rows } = await sql<{ id: string }>`
      select id from accounts where (lower(username) = lower(${name})
          or (lower(email) = lower(${name}) and (email_verified_at is not null or not ${onlyConfirmed}::boolean)))
        and deleted_at is null for no key update`.execute(trx);
    return rows[0];
  },

  isProject: async (trx: Db, id: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from projects where id = ${id} and owner_id is not null`.execute(trx);
    return rows.length > 0;
  },

  /** Undefined when the key was used before. */
  insert: async (
    trx: Db,
    grant: { key: string; accountId: string; projectId: string | null; by: string; amount: string; note: string },
  ): Promise<GrantRow | undefined> => {
    const { rows } = await sql<GrantRow>`
      insert into ledger (account_id, kind, project_id, purse_id, project_name, amount, note, grant_key, granted_by)
      values (${grant.accountId}, 'grant', ${grant.projectId}::uuid, ${grant.projectId}::uuid,
        coalesce((select name from projects where id = ${grant.projectId}::uuid), ''), ${grant.amount}::numeric,
        ${grant.note}, ${grant.key}, ${grant.by})
      on conflict (grant_key) where grant_key is not null do nothing
      returning ${chosen}`.execute(trx);
    return rows[0];
  },

  addToAccount: async (trx: Db, accountId: string, amount: string): Promise<void> => {
    await sql`update accounts set credits = credits + ${amount}::numeric where id = ${accountId}`.execute(trx);
  },

  balance: async (db: Db, { account_id, purse_id }: Pick<GrantRow, "account_id" | "purse_id">): Promise<string> => {
    const { rows } = await (
      purse_id === null
        ? sql<{ balance: string }>`select credits::text as balance from accounts where id = ${account_id}`
        : sql<{ balance: string }>`select balance::text from purses where project_id = ${purse_id}`
    ).execute(db);
    return rows[0]?.balance ?? "0.000000000";
  },
};
