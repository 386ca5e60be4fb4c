import { sql } from "kysely";

import { AppError } from "./app-error.ts";
import type { Db } from "./database.ts";

export interface Allowance {
  /** What is counted, of whom, from where. Stored as JSON, so that no two lists of parts make one key. */
  key: readonly string[];
  most: number;
  windowMinutes: number;
}

export interface Attempts {
  /** Counts one attempt against each, and refuses when one is used up. */
  take(allowances: Allowance[]): Promise<void>;
  /** Forgets what was counted, for a person who proved to be who they say. */
  forgive(allowances: Allowance[]): Promise<void>;
  /** Takes one counted attempt back: it succeeded. */
  refund(allowances: Allowance[]): Promise<void>;
  /** Remembers something for a number of days, such as an address that somebody signed in from. */
  remember(key: readonly string[], days: number): Promise<void>;
  remembers(key: readonly string[]): Promise<boolean>;
  sweep(): Promise<void>;
}

/** Counts attempts in fixed windows. */
export function createAttempts(db: Db): Attempts {
  return {
    async take(allowances) {
      // Who is refused leaves no trace: names made up by the million would fill the table.
      const counted = await db
        .selectFrom("attempts")
        .select(["key", "count", "expires_at"])
        .where("key", "in", keysOf(allowances))
        .where("expires_at", ">=", sql<Date>`now()`)
        .execute();
      const usedUp = counted.find(({ key, count }) =>
        allowances.some((one) => keyText(one.key) === key && count >= one.most),
      );
      if (usedUp) throw tooMany(usedUp.expires_at);
      for (const { key, most, windowMinutes } of allowances) {
        const expiry = sql<Date>`now() + make_interval(mins => ${windowMinutes})`;
        const row = await db
          .insertInto("attempts")
          .values({ key: keyText(key), count: 1, expires_at: expiry })
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet({
              count: sql<number>`case when attempts.expires_at < now() then 1 else attempts.count + 1 end`,
              expires_at: sql<Date>`case when attempts.expires_at < now() then ${expiry} else attempts.expires_at end`,
            }),
          )
          .returning(["count", "expires_at"])
          .executeTakeFirstOrThrow();
        if (row.count > most) throw tooMany(row.expires_at);
      }
    },

    async forgive(allowances) {
      await db.deleteFrom("attempts").where("key", "in", keysOf(allowances)).execute();
    },

    async refund(allowances) {
      await db
        .updateTable("attempts")
        .set({ count: sql<number>`greatest(count - 1, 0)` })
        .where("key", "in", keysOf(allowances))
        .execute();
    },

    async remember(key, days) {
      const expires_at = sql<Date>`now() + make_interval(days => ${days})`;
      await db
        .insertInto("attempts")
        .values({ key: keyText(key), count: 1, expires_at })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ expires_at }))
        .execute();
    },

    async remembers(key) {
      const row = await db
        .selectFrom("attempts")
        .select("key")
        .where("key", "=", keyText(key))
        .where("expires_at", ">=", sql<Date>`now()`)
        .executeTakeFirst();
      return row !== undefined;
    },

    async sweep() {
      await db
        .deleteFrom("attempts")
        .where("expires_at", "<", sql<Date>`now()`)
        .execute();
    },
  };
}

function keysOf(allowances: Allowance[]): string[] {
  return allowances.map((allowance) => keyText(allowance.key));
}

function keyText(parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function tooMany(until: Date): AppError {
  const seconds = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1_000));
  const minutes = Math.ceil(seconds / 60);
  const words = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
  return new AppError("too_many_attempts", words, seconds);
}
