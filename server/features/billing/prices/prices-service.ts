import { roundedCredits, writeCredits } from "@miranda/contract/billing/credits.ts";
import type { PriceList, PricesNow, Rates, SetPriceBody } from "@miranda/contract/schemas/billing/prices.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { priceQueries as queries, type PriceRow } from "./prices-queries.ts";
import type { HourPrices } from "./sample-cost.ts";

export type Prices = ReturnType<typeof createPrices>;

/** What sessions cost, from when on. What was charged before never changes: samples keep their cost. */
export function createPrices({ db, settings }: { db: Db; settings: HourPrices }) {
  const fromSettings: Rates = {
    core_hour: exact(settings.coreHour),
    ram_gb_hour: exact(settings.ramGbHour),
    hour: exact(settings.hour),
  };

  async function list(): Promise<PriceList> {
    const [rows, version] = await Promise.all([queries.list(db), queries.version(db)]);
    const now = rows.find(({ state }) => state === "now");
    return { version, now: now ? ratesOf(now) : fromSettings, settings: fromSettings, prices: rows.map(toPrice) };
  }

  /** Refuses a change by somebody who has not seen the last one. */
  async function lockVersion(trx: Db, seen: number): Promise<void> {
    await queries.lock(trx);
    if ((await queries.version(trx)) !== seen) throw new AppError("prices_changed");
  }

  return {
    list,

    async now(): Promise<PricesNow> {
      const [now, next] = await Promise.all([queries.findNow(db), queries.findNext(db)]);
      return {
        now: now ?? fromSettings,
        next: next ? { ...ratesOf(next), from: next.effective_from.toISOString() } : null,
      };
    },

    async set(caller: Caller, { from, version, note, ...rates }: SetPriceBody): Promise<PriceList> {
      await db.transaction().execute(async (trx) => {
        await lockVersion(trx, version);
        const start = await queries.planStart(trx, from);
        if (start.is_early) throw new AppError("price_too_early");
        if (start.is_late) throw new AppError("price_too_late");
        if (start.is_taken) throw new AppError("price_moment_taken");
        const id = await queries.insert(trx, { ...rates, at: start.at, note, by: caller.accountId });
        await record(trx, caller, id, `${wordsOf(rates)} from ${start.at} on`);
      });
      return list();
    },

    async withdraw(caller: Caller, id: number, version: number): Promise<PriceList> {
      await db.transaction().execute(async (trx) => {
        await lockVersion(trx, version);
        const price = await queries.findForWithdrawal(trx, id);
        if (!price) throw new AppError("price_not_found");
        if (price.isLate) throw new AppError("price_in_effect");
        await queries.withdraw(trx, id);
        await record(trx, caller, id, `price ${id} withdrawn`);
      });
      return list();
    },
  };
}

const record = (trx: Db, caller: Caller, id: number, change: string): Promise<void> =>
  recordAuditEvent(trx, {
    kind: "admin.prices",
    ...actorOf(caller),
    subject: { kind: "price", id: String(id) },
    details: { change },
  });

const wordsOf = (rates: Rates): string =>
  `${Number(rates.core_hour)} per core-hour, ${Number(rates.ram_gb_hour)} per GB-hour, ${Number(rates.hour)} per hour`;

const exact = (amount: number): string => writeCredits(roundedCredits(amount));

function ratesOf({ core_hour, ram_gb_hour, hour }: Rates): Rates {
  return { core_hour, ram_gb_hour, hour };
}

function toPrice({ effective_from, created_at, ...row }: PriceRow): PriceList["prices"][number] {
  return { ...row, from: effective_from.toISOString(), time_set: created_at.toISOString() };
}
