import type {
  InstallationGrouping,
  InstallationSpending,
} from "@miranda/contract/schemas/billing/installation-spending.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export interface Days {
  zone: string;
  from: string;
  to: string;
}

/** What one person spent in one month on one project and app, and who paid. */
export interface DetailRow {
  month: string;
  person: string | null;
  project: string;
  app: string | null;
  source: string;
  payer: string | null;
  purse: boolean;
  amount: string;
}

const usageIn = ({ zone, from, to }: Days): RawBuilder<SqlBool> => sql`ledger.kind = 'usage'
  and ledger.at >= (${from}::date)::timestamp at time zone ${zone}
  and ledger.at < (${to}::date + 1)::timestamp at time zone ${zone}`;

const monthIn = (zone: string) => sql<string>`to_char(ledger.at at time zone ${zone}, 'YYYY-MM')`;
const nameOf = (id: RawBuilder<unknown>) =>
  sql`(select case when deleted_at is null then username else 'Deleted account' end from accounts where accounts.id = ${id})`;
const titleOf = (id: RawBuilder<unknown>) => sql`(select title from deployments where deployments.id = ${id})`;
/** A project may have had several names. */
const newestName = sql`(array_agg(project_name order by ledger.at desc) filter (where project_name <> ''))[1]`;
const spent = sql`(-sum(amount))::numeric(18, 9)`;

const groups: Record<InstallationGrouping, (zone: string) => { key: RawBuilder<string>; name: RawBuilder<unknown> }> = {
  person: () => ({ key: sql`coalesce(person_id::text, '')`, name: nameOf(sql`nullif(part.key, '')::uuid`) }),
  project: () => ({ key: sql`coalesce(project_id::text, '')`, name: sql`part.project` }),
  app: () => ({ key: sql`coalesce(deployment_id::text, '')`, name: titleOf(sql`nullif(part.key, '')::uuid`) }),
  month: (zone) => ({ key: monthIn(zone), name: sql`part.key` }),
};

export const installationSpendingQueries = {
  rows: async (
    db: Db,
    { by, after, limit, ...days }: Days & { by: InstallationGrouping; after: number; limit: number },
  ): Promise<InstallationSpending["rows"]> => {
    const { key, name } = groups[by](days.zone);
    const order = by === "month" ? sql`key` : sql`spent desc, key`;
    const { rows } = await sql<InstallationSpending["rows"][number]>`
      select key, coalesce(${name}, '') as name, spent::text as amount from (
        select ${key} as key, ${newestName} as project, ${spent} as spent
        from ledger where ${usageIn(days)} group by 1 order by ${order} offset ${after} limit ${limit}
      ) as part order by ${order}`.execute(db);
    return rows;
  },

  total: async (db: Db, days: Days): Promise<string> => {
    const { rows } = await sql<{ total: string }>`
      select coalesce(${spent}, 0)::numeric(18, 9)::text as total from ledger where ${usageIn(days)}`.execute(db);
    return rows[0]?.total ?? "0.000000000";
  },

  details: async (db: Db, days: Days): Promise<DetailRow[]> => {
    const { rows } = await sql<DetailRow>`
      select part.month, ${nameOf(sql`part.person_id`)} as person, coalesce(part.project, '') as project,
        ${titleOf(sql`part.deployment_id`)} as app, part.source, ${nameOf(sql`part.account_id`)} as payer, part.purse,
        part.spent::text as amount
      from (
        select ${monthIn(days.zone)} as month, person_id, project_id, ${newestName} as project, deployment_id, source,
          case when purse_id is null then account_id end as account_id, purse_id is not null as purse, ${spent} as spent
        from ledger where ${usageIn(days)}
        group by 1, person_id, project_id, deployment_id, source, 7, 8
      ) as part order by part.month, part.spent desc, person, project`.execute(db);
    return rows;
  },
};
