import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";

/** A payment into a purse. */
export interface PaidIn {
  account_id: string;
  kind: "fill" | "grant";
  amount: string;
  /** Whether the account still exists. */
  is_there: boolean;
}

export const purseQueries = {
  find: async (db: Db, projectId: string): Promise<{ balance: string; in_use: boolean } | undefined> => {
    const { rows } = await sql<{ balance: string; in_use: boolean }>`
      select balance::text, in_use from purses where project_id = ${projectId}`.execute(db);
    return rows[0];
  },

  /** Locks the purse if it pays for new sessions: two starts at once must not both see the same credits. */
  lockInUse: async (trx: Db, projectId: string): Promise<{ projectId: string; balance: number } | undefined> => {
    const { rows } = await sql<{ projectId: string; balance: number }>`
      select project_id as "projectId", balance from purses where project_id = ${projectId} and in_use
      for no key update`.execute(trx);
    return rows[0];
  },

  isMember: async (db: Db, projectId: string, accountId: string): Promise<boolean> => {
    const { rows } = await sql`
      select 1 from projects where id = ${projectId} and owner_id = ${accountId}
      union all select 1 from project_people where project_id = ${projectId} and account_id = ${accountId}`.execute(db);
    return rows.length > 0;
  },

  /** Who pays for the session that is open on the canvas. Null without one. */
  payerOfSession: async (db: Db, graphId: string): Promise<{ by_project: boolean; person: string } | null> => {
    const { rows } = await sql<{ by_project: boolean; person: string }>`
      select purse_id is not null as by_project, case when purse_id is null then accounts.username else '' end as person
      from jobs join accounts on accounts.id = jobs.account_id
      where graph_id = ${graphId} and deployment_id is null and ${isAliveSql("jobs.state")} limit 1`.execute(db);
    return rows[0] ?? null;
  },

  setInUse: async (db: Db, projectId: string, inUse: boolean): Promise<void> => {
    await sql`insert into purses (project_id, in_use) values (${projectId}, ${inUse})
      on conflict (project_id) do update set in_use = excluded.in_use, updated_at = now()`.execute(db);
  },

  add: async (trx: Db, projectId: string, amount: string): Promise<void> => {
    await sql`insert into purses (project_id, balance) values (${projectId}, ${amount}::numeric)
      on conflict (project_id) do update set balance = purses.balance + excluded.balance, updated_at = now()`.execute(
      trx,
    );
  },

  /** False when the account does not have that much. */
  take: async (trx: Db, accountId: string, amount: string): Promise<boolean> => {
    const { numAffectedRows } = await sql`update accounts set credits = credits - ${amount}::numeric
      where id = ${accountId} and credits >= ${amount}::numeric`.execute(trx);
    return numAffectedRows === 1n;
  },

  give: async (trx: Db, accountId: string, amount: string): Promise<void> => {
    await sql`update accounts set credits = credits + ${amount}::numeric where id = ${accountId}`.execute(trx);
  },

  /** False when this key was used before. */
  book: async (
    trx: Db,
    entry: {
      kind: "fill" | "return";
      projectId: string;
      accountId: string;
      /** Into the purse, or into the account; negative: out of it. */
      amount: string;
      isPurse: boolean;
      note?: string;
      key?: string | undefined;
    },
  ): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      insert into ledger (account_id, kind, project_id, purse_id, project_name, amount, note, grant_key)
      values (${entry.accountId}, ${entry.kind}, ${entry.projectId}, ${entry.isPurse ? entry.projectId : null}::uuid,
        coalesce((select name from projects where id = ${entry.projectId}), ''), ${entry.amount}::numeric,
        ${entry.note ?? ""}, ${entry.key ?? null})
      on conflict (grant_key) where grant_key is not null do nothing`.execute(trx);
    return numAffectedRows === 1n;
  },

  /** Everybody who ever paid in, locked in order: a charge locks accounts before purses. */
  lockPayers: async (trx: Db, projectId: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from accounts where id in (
        select account_id from ledger where purse_id = ${projectId} and kind in ('fill', 'grant'))
      order by id for no key update`.execute(trx);
    return rows.map(({ id }) => id);
  },

  lockBalance: async (trx: Db, projectId: string): Promise<string | undefined> => {
    const { rows } = await sql<{ balance: string }>`
      select balance::text from purses where project_id = ${projectId} for update`.execute(trx);
    return rows[0]?.balance;
  },

  /** Newest first. */
  paidIn: async (trx: Db, projectId: string): Promise<PaidIn[]> => {
    const { rows } = await sql<PaidIn>`
      select ledger.account_id, ledger.kind,
        (ledger.amount + coalesce((select sum(amount) from ledger as correction where correction.corrects = ledger.id), 0))
          ::numeric(18, 9)::text as amount,
        accounts.deleted_at is null as is_there
      from ledger join accounts on accounts.id = ledger.account_id
      where ledger.purse_id = ${projectId} and ledger.kind in ('fill', 'grant') order by ledger.id desc`.execute(trx);
    return rows;
  },

  empty: async (trx: Db, projectId: string): Promise<void> => {
    await sql`update purses set balance = least(balance, 0), in_use = false, updated_at = now()
      where project_id = ${projectId}`.execute(trx);
  },

  hasSessions: async (trx: Db, projectId: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from jobs where purse_id = ${projectId} and ${isAliveSql()} limit 1`.execute(
      trx,
    );
    return rows.length > 0;
  },
};
