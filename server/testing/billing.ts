import { sql } from "kysely";

import type { Db } from "../platform/database/database.ts";
import { newId } from "../platform/crypto.ts";

interface Spent {
  accountId: string;
  projectId?: string;
  projectName?: string;
  graphId?: string;
  graphName?: string;
  personId?: string | null;
  jobId?: string;
  source?: "session" | "call" | "schedule";
  /** Into the purse of the project. */
  isPurse?: boolean;
  at: string;
  amount: string;
}

/** Books usage as a charge would have done at that time. */
export async function bookUsage(db: Db, spent: Spent): Promise<void> {
  const { accountId, projectId = null, graphId = null, personId = accountId, jobId = null, at, amount } = spent;
  await sql`
    insert into ledger (account_id, kind, project_id, project_name, graph_id, graph_name, person_id, source, job_id, purse_id,
      at, day, amount)
    values (${accountId}, 'usage', ${projectId}::uuid, ${spent.projectName ?? ""}, ${graphId}::uuid, ${spent.graphName ?? ""},
      ${personId}::uuid, ${spent.source ?? "session"}, ${jobId}::uuid, ${spent.isPurse ? projectId : null}::uuid,
      quarter_hour(${at}::timestamptz), (${at}::timestamptz at time zone 'UTC')::date, -(${amount}::numeric))`.execute(
    db,
  );
}

/** A session that has ended. */
export async function addEndedSession(db: Db, accountId: string, graphId: string, cost: string): Promise<string> {
  const id = newId();
  await sql`insert into jobs (id, tag, graph_id, account_id, name, engine, state, total_cost, ended_at)
    values (${id}, 1, ${graphId}, ${accountId}, 'Flow', 'local', 'EXITED', ${cost}::numeric, now())`.execute(db);
  return id;
}

/** The credits of an account or the balance of a purse, and the sum of its entries. The two must be equal. */
export async function booksOf(db: Db, whose: { account: string } | { purse: string }): Promise<[string, string]> {
  const { rows } = await (
    "account" in whose
      ? sql<{
          has: string;
          booked: string;
        }>`select credits::text as has, (select sum(amount)::numeric(18, 9)::text from ledger
        where account_id = ${whose.account} and purse_id is null) as booked from accounts where id = ${whose.account}`
      : sql<{
          has: string;
          booked: string;
        }>`select balance::text as has, (select sum(amount)::numeric(18, 9)::text from ledger
        where purse_id = ${whose.purse}) as booked from purses where project_id = ${whose.purse}`
  ).execute(db);
  return [rows[0]?.has ?? "", rows[0]?.booked ?? ""];
}
