import { prices as limits } from "@miranda/contract/admin-limits.ts";
import type { Price, Rates } from "@miranda/contract/schemas/billing/prices.ts";
import { isFree } from "../../../platform/installation/installation-queries.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { lockUntilCommit } from "../../../platform/limits/quota-lock-queries.ts";
import type { EffectivePrices } from "./sample-cost.ts";

interface Found {
  now: number;
  prices: EffectivePrices[];
  /** Running costs nobody anything. */
  is_free: boolean;
}

export type PriceRow = Rates & {
  id: number;
  effective_from: Date;
  state: Price["state"];
  note: string;
  by: string | null;
  created_at: Date;
};

/** More prices than can take effect while an agent cannot reach a server. */
const effectiveMax = 100;
const rates = sql`core_hour::text as core_hour, ram_gb_hour::text as ram_gb_hour, hour::text as hour`;
/** The last one that has taken effect. */
const present = sql`(select id from prices where withdrawn_at is null and effective_from <= now() order by effective_from desc limit 1)`;

export const priceQueries = {
  /** The time of the database, in milliseconds, and the prices that have taken effect, oldest first. */
  findEffective: async (db: Db): Promise<Found> => {
    const { rows } = await sql<Found>`
      select (extract(epoch from now()) * 1000)::double precision as now, coalesce((
        select json_agg(effective order by effective.from) from (
          select (extract(epoch from effective_from) * 1000)::double precision as "from", core_hour as "coreHour",
            ram_gb_hour as "ramGbHour", hour
          from prices where withdrawn_at is null and effective_from <= now() order by effective_from desc limit ${effectiveMax}
        ) as effective), '[]') as prices, ${isFree} as is_free`.execute(db);
    return rows[0] ?? { now: Date.now(), prices: [], is_free: false };
  },

  findNow: async (db: Db): Promise<Rates | undefined> => {
    const { rows } = await sql<Rates>`select ${rates} from prices where id = ${present}`.execute(db);
    return rows[0];
  },

  findNext: async (db: Db): Promise<(Rates & { effective_from: Date }) | undefined> => {
    const { rows } = await sql<Rates & { effective_from: Date }>`select ${rates}, effective_from from prices
      where withdrawn_at is null and effective_from > now() order by effective_from limit 1`.execute(db);
    return rows[0];
  },

  /** Every price, the latest first. */
  list: async (db: Db): Promise<PriceRow[]> => {
    const { rows } = await sql<PriceRow>`
      select prices.id, effective_from, ${rates}, note, prices.created_at,
        case when withdrawn_at is not null then 'withdrawn' when effective_from > now() then 'future'
          when prices.id = ${present} then 'now' else 'past' end as state,
        (select username from accounts where accounts.id = set_by and deleted_at is null) as by
      from prices order by effective_from desc, prices.id desc limit 1000`.execute(db);
    return rows;
  },

  /** Of two administrators one at a time: the other one sees that the version is no longer theirs. */
  lock: (trx: Db): Promise<void> => lockUntilCommit(trx, "prices"),

  /** Goes up with each price that is set or withdrawn. */
  version: async (db: Db): Promise<number> => {
    const { rows } = await sql<{
      version: number;
    }>`select (count(*) + count(withdrawn_at))::integer as version from prices`.execute(db);
    return rows[0]?.version ?? 0;
  },

  /** When a price would take effect: at the given time, or as soon as possible. */
  planStart: async (db: Db, from: string | undefined) => {
    const { rows } = await sql<{ at: string; is_early: boolean; is_late: boolean; is_taken: boolean }>`
      with wish as (select coalesce(${from ?? null}::timestamptz, now() + make_interval(secs => ${limits.leadSeconds})) as at)
      select at::text as at, at < now() + make_interval(secs => ${limits.leadSeconds}) as is_early,
        at > now() + make_interval(days => ${limits.aheadDays}) as is_late,
        exists (select from prices where effective_from = at and withdrawn_at is null) as is_taken
      from wish`.execute(db);
    const [start] = rows;
    if (!start) throw new Error("The database gave no start time.");
    return start;
  },

  insert: async (trx: Db, price: Rates & { at: string; note: string; by: string }): Promise<number> => {
    const { rows } = await sql<{ id: number }>`
      insert into prices (effective_from, core_hour, ram_gb_hour, hour, note, set_by)
      values (${price.at}::timestamptz, ${price.core_hour}::numeric, ${price.ram_gb_hour}::numeric, ${price.hour}::numeric,
        ${price.note}, ${price.by}) returning id`.execute(trx);
    return rows[0]?.id ?? 0;
  },

  /** Undefined when there is none. `isLate`: it is in effect, or will be in a moment. */
  findForWithdrawal: async (trx: Db, id: number): Promise<{ isLate: boolean } | undefined> => {
    const { rows } = await sql<{ isLate: boolean }>`
      select effective_from < now() + make_interval(secs => ${limits.withdrawSeconds}) as "isLate"
      from prices where id = ${id} and withdrawn_at is null`.execute(trx);
    return rows[0];
  },

  withdraw: async (trx: Db, id: number): Promise<void> => {
    await sql`update prices set withdrawn_at = now() where id = ${id}`.execute(trx);
  },
};
