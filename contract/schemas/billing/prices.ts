import { z } from "zod";

import { readCredits, writeCredits } from "../../billing/credits.ts";
import { prices as limits } from "../../admin-limits.ts";
import { numberBetween, optionalText } from "../forms.ts";
import { Credits } from "./amounts.ts";

// What sessions cost per hour, and from when on.

/** Credits per hour: of a core, of a GB of memory, and of the session itself. */
export const Rates = z.object({ core_hour: Credits, ram_gb_hour: Credits, hour: Credits });
export type Rates = z.infer<typeof Rates>;

/** The current prices, and the next ones that are scheduled. */
export const PricesNow = z.object({ now: Rates, next: Rates.extend({ from: z.string() }).nullable() });
export type PricesNow = z.infer<typeof PricesNow>;

export const Price = Rates.extend({
  id: z.number(),
  /** When it takes effect. */
  from: z.string(),
  state: z.enum(["past", "now", "future", "withdrawn"]),
  note: z.string(),
  /** Who set it. Null when the account is deleted. */
  by: z.string().nullable(),
  time_set: z.string(),
});
export type Price = z.infer<typeof Price>;

/** Every price that was ever set, the latest first. */
export const PriceList = z.object({
  /** Counts the changes. Whoever changes something names the version that they saw. */
  version: z.number(),
  now: Rates,
  /** What applies before the first price: from the settings of the server. */
  settings: Rates,
  prices: z.array(Price),
});
export type PriceList = z.infer<typeof PriceList>;

function rate(label: string) {
  const words = `${label} must be a number from 0 to ${limits.max}, with at most 9 decimals.`;
  return z.union([z.number(), z.string()], words).transform((given, context) => {
    const amount = readCredits(String(given).trim());
    if (amount === undefined || amount < 0n || amount > BigInt(limits.max) * 1_000_000_000n) {
      context.addIssue({ code: "custom", message: words });
      return z.NEVER;
    }
    return writeCredits(amount);
  });
}

const version = numberBetween("version", { min: 0, max: 2_147_483_647 }, "whole");
const moment = z.iso.datetime({ offset: true, error: "The start must be a moment such as 2026-11-17T12:00:00Z." });

export const SetPriceBody = z.object({
  core_hour: rate("The price per core and hour"),
  ram_gb_hour: rate("The price per GB of memory and hour"),
  hour: rate("The price per session and hour"),
  /** Left out: as soon as possible, which is in one minute. */
  from: z.union([z.literal("").transform(() => undefined), moment]).optional(),
  note: optionalText("The note", limits.noteMax).default(""),
  version,
});
export type SetPriceBody = z.infer<typeof SetPriceBody>;

export const WithdrawPriceBody = z.object({ version });
export const PriceParams = z.object({ id: numberBetween("id", { min: 1, max: 2_147_483_647 }, "whole") });
