import type {
  EntryKind,
  LedgerQuery,
  LedgerTotals,
  SpendingDaysQuery,
  SpendingGrouping,
  SpendingParts,
  SpendingPartsQuery,
} from "@miranda/contract/schemas/billing/spending.ts";
import { spending as limits } from "@miranda/contract/limits.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** Whose money it is about. */
export type Scope = { accountId: string } | { projectId: string };

type Filters = Pick<SpendingDaysQuery, "zone" | "from" | "to" | "project" | "workflow" | "person" | "source">;

export interface SummaryRow {
  balance: string | null;
  today: string;
  first_day: string;
  spent: string;
  last: string;
  last_until_now: string;
  forecast: string;
}

export interface DayRow {
  day: string;
  /** The rank of the part by its size; 1 is the largest. */
  place: number;
  key: string;
  name: string;
  amount: string;
}

export interface EntryRow {
  id: number;
  day: string;
  at: Date;
  kind: EntryKind;
  source: string;
  project_id: string | null;
  project_name: string;
  graph_id: string | null;
  graph_name: string;
  person: string | null;
  job_id: string | null;
  started_at: Date | null;
  purse: boolean;
  note: string;
  amount: string;
}

export interface TotalsRow extends LedgerTotals {
  sum: string;
}

/** The entries of the ledger that change what an account has, or that a project caused. */
export const within = (scope: Scope): RawBuilder<SqlBool> =>
  "accountId" in scope
    ? sql`ledger.account_id = ${scope.accountId}::uuid and ledger.purse_id is null`
    : sql`((ledger.project_id = ${scope.projectId}::uuid and ledger.kind = 'usage') or ledger.purse_id = ${scope.projectId}::uuid)`;

const dayIn = (zone: string) => sql<string>`(ledger.at at time zone ${zone})::date`;

function filtered({ zone, from, to, project, workflow, person, source }: Filters): RawBuilder<SqlBool> {
  return sql`(${from ?? null}::date is null or ledger.at >= (${from ?? null}::date)::timestamp at time zone ${zone})
    and (${to ?? null}::date is null or ledger.at < (${to ?? null}::date + 1)::timestamp at time zone ${zone})
    and (${project ?? null}::uuid is null or ledger.project_id = ${project ?? null})
    and (${workflow ?? null}::uuid is null or ledger.graph_id = ${workflow ?? null})
    and (${person ?? null}::uuid is null or ledger.person_id = ${person ?? null})
    and (${source ?? null}::text is null or ledger.source = ${source ?? null})`;
}

const groups: Record<SpendingGrouping, { key: RawBuilder<string>; name: RawBuilder<string> }> = {
  project: { key: sql`coalesce(project_id::text, '')`, name: sql`project_name` },
  workflow: { key: sql`coalesce(graph_id::text, '')`, name: sql`graph_name` },
  person: {
    key: sql`coalesce(person_id::text, '')`,
    name: sql`coalesce((select case when deleted_at is null then username else 'Deleted account' end
      from accounts where accounts.id = person_id), '')`,
  },
  kind: { key: sql`source`, name: sql`source` },
};

export function createSpendingQueries(db: Db) {
  return {
    summary: async (scope: Scope, zone: string): Promise<SummaryRow> => {
      const balance =
        "accountId" in scope
          ? sql`(select credits::text from accounts where id = ${scope.accountId})`
          : sql`(select balance::text from purses where project_id = ${scope.projectId})`;
      const sum = (condition: RawBuilder<SqlBool>) =>
        sql`coalesce(-sum(amount) filter (where ${condition}), 0)::numeric(18, 9)`;
      const { rows } = await sql<SummaryRow>`
        with times as (
          select date_trunc('month', now() at time zone ${zone}) at time zone ${zone} as first,
            (date_trunc('month', now() at time zone ${zone}) - interval '1 month') at time zone ${zone} as before,
            (date_trunc('month', now() at time zone ${zone}) + interval '1 month') at time zone ${zone} as next
        ), sums as (
          select ${sum(sql`at >= times.first`)} as spent, ${sum(sql`at >= times.before and at < times.first`)} as last,
            ${sum(sql`at >= times.before and at < least(times.first, times.before + (now() - times.first))`)} as last_until_now,
            ${sum(sql`at >= now() - interval '7 days'`)} as week
          from ledger, times where ${within(scope)} and kind = 'usage'
            and at >= least(times.before, now() - interval '7 days')
        )
        select ${balance} as balance, (now() at time zone ${zone})::date::text as today,
          (times.first at time zone ${zone})::date::text as first_day, sums.spent::text, sums.last::text,
          sums.last_until_now::text,
          (sums.spent + sums.week / 7 * extract(epoch from times.next - now())::numeric / 86400)::numeric(18, 9)::text as forecast
        from times, sums`.execute(db);
      const [row] = rows;
      if (!row) throw new Error("Sums always have a row.");
      return row;
    },

    /** What was spent on each day, by part. All parts after the largest ones are added to one. */
    days: async (scope: Scope, query: Filters & { by: SpendingGrouping }): Promise<DayRow[]> => {
      const { key, name } = groups[query.by];
      const { rows } = await sql<DayRow>`
        with used as (
          select ${dayIn(query.zone)} as day, at, ${key} as key, ${name} as name, -amount as amount
          from ledger where ${within(scope)} and kind = 'usage' and ${filtered(query)}
        ), parts as (
          select key, (array_agg(name order by at desc))[1] as name,
            row_number() over (order by sum(amount) desc, key) as place
          from used group by key
        )
        select used.day::text as day, least(parts.place, ${limits.parts + 1})::integer as place,
          case when parts.place > ${limits.parts} then '' else parts.key end as key,
          case when parts.place > ${limits.parts} then '' else parts.name end as name,
          sum(used.amount)::numeric(18, 9)::text as amount
        from used join parts using (key) group by 1, 2, 3, 4 order by 2, 1`.execute(db);
      return rows;
    },

    /** Parts whose newest name has the text that is searched for. */
    parts: async (scope: Scope, query: SpendingPartsQuery): Promise<SpendingParts["parts"]> => {
      const { key, name } = groups[query.by];
      const { rows } = await sql<SpendingParts["parts"][number]>`
        select key, name, amount from (
          select ${key} as key, (array_agg(${name} order by at desc))[1] as name,
            (-sum(amount))::numeric(18, 9) as spent, (-sum(amount))::numeric(18, 9)::text as amount
          from ledger where ${within(scope)} and kind = 'usage' and ${filtered(query)}
          group by 1
        ) as part
        where key <> '' and (${query.search}::text = '' or strpos(lower(name), lower(${query.search}::text)) > 0)
        order by spent desc, key offset ${query.after} limit ${query.limit}`.execute(db);
      return rows;
    },

    /** What a session cost on one day is one entry. */
    entries: async (
      scope: Scope,
      query: Omit<LedgerQuery, "after">,
      after: { day: string; id: number } | undefined,
    ): Promise<EntryRow[]> => {
      const { kind, zone, limit } = query;
      const { rows } = await sql<EntryRow>`
        select min(id) as id, day::text as day, max(at) as at, kind, source, project_id, max(project_name) as project_name,
          graph_id, max(graph_name) as graph_name, (select case when deleted_at is null then username else 'Deleted account' end
            from accounts where accounts.id = who) as person, job_id,
          (select started_at from jobs where jobs.id = entry.job_id) as started_at, purse, max(note) as note,
          sum(amount)::numeric(18, 9)::text as amount
        from (
          select id, at, kind, source, project_id, project_name, graph_id, graph_name, job_id, note, amount,
            ${dayIn(zone)} as day, purse_id is not null as purse,
            case kind when 'usage' then person_id when 'grant' then granted_by when 'correction' then granted_by when 'fill' then account_id
              when 'return' then account_id end as who,
            -- Only what belongs together is added up.
            case when kind = 'usage' then 0 else id end as own
          from ledger where ${within(scope)} and ${filtered(query)}
            and (${kind ?? null}::text is null or kind = ${kind ?? null})
            and (${after?.day ?? null}::date is null
              or ledger.at < (${after?.day ?? null}::date + 1)::timestamp at time zone ${zone})
        ) as entry
        group by day, kind, source, project_id, graph_id, who, job_id, purse, own
        having ${after?.id ?? null}::bigint is null or (day, min(id)) < (${after?.day ?? null}::date, ${after?.id ?? null}::bigint)
        order by day desc, min(id) desc limit ${limit}`.execute(db);
      return rows;
    },

    totals: async (scope: Scope, query: Filters & { kind?: LedgerQuery["kind"] }): Promise<TotalsRow> => {
      const sum = (amount: RawBuilder<string>, condition: RawBuilder<SqlBool>) =>
        sql`coalesce(sum(${amount}) filter (where ${condition}), 0)::numeric(18, 9)::text`;
      const [comes, goes] = [sql<string>`amount`, sql<string>`-amount`];
      const { rows } = await sql<TotalsRow>`
        select coalesce(sum(amount), 0)::numeric(18, 9)::text as sum, ${sum(goes, sql`kind = 'usage'`)} as spent,
          ${sum(goes, sql`kind = 'usage' and purse_id is not null`)} as purse_spent,
          ${sum(comes, sql`kind in ('fill', 'grant', 'correction') and purse_id is not null`)} as purse_added,
          ${sum(goes, sql`kind = 'return' and purse_id is not null`)} as purse_returned
        from ledger where ${within(scope)} and ${filtered(query)}
          and (${query.kind ?? null}::text is null or kind = ${query.kind ?? null})`.execute(db);
      const [row] = rows;
      if (!row) throw new Error("Sums always have a row.");
      return row;
    },
  };
}
