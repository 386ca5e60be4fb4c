import { AppError } from "../errors/app-error.ts";
import type { Db } from "../database/database.ts";
import { createRateLimitQueries } from "./rate-limits-queries.ts";

export interface Allowance {
  /** What is counted, for whom, from where. Stored as JSON, so that different lists never share a key. */
  key: readonly string[];
  most: number;
  windowMinutes: number;
}

export interface RateLimits {
  /** Counts one attempt against each allowance, and refuses when one is used up. */
  take(allowances: Allowance[]): Promise<void>;
  /** Clears the counts of a person who proved their identity. */
  forgive(allowances: Allowance[]): Promise<void>;
  /** Takes back one counted attempt that succeeded. */
  refund(allowances: Allowance[]): Promise<void>;
  /** Remembers a fact for some days, such as an address that somebody signed in from. */
  remember(key: readonly string[], days: number): Promise<void>;
  remembers(key: readonly string[]): Promise<boolean>;
  sweep(): AsyncGenerator<void>;
}

/** Counts attempts in fixed windows. */
export function createRateLimits(db: Db): RateLimits {
  const queries = createRateLimitQueries(db);
  return {
    async take(allowances) {
      // A refused attempt is not stored. Millions of made-up names would fill the table.
      const counted = await queries.list(keysOf(allowances));
      const usedUp = counted.find(({ key, count }) =>
        allowances.some((one) => keyText(one.key) === key && count >= one.most),
      );
      if (usedUp) throw tooMany(usedUp.expires_at);
      for (const { key, most, windowMinutes } of allowances) {
        const { count, expires_at } = await queries.count(keyText(key), windowMinutes);
        if (count > most) throw tooMany(expires_at);
      }
    },

    async forgive(allowances) {
      await queries.reset(keysOf(allowances));
    },

    async refund(allowances) {
      await queries.takeBack(keysOf(allowances));
    },

    async remember(key, days) {
      await queries.remember(keyText(key), days);
    },

    async remembers(key) {
      return (await queries.list([keyText(key)])).length > 0;
    },

    sweep: queries.removeExpired,
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
