import { z } from "zod";

import { readCredits, writeCredits } from "../../billing/credits.ts";

/** An exact amount of credits, as text with nine decimals: a number could not hold all of them. */
export const Credits = z.string();

/** An amount above zero that a person or a payment system gives, as a number or as text. */
export function creditsUpTo(label: string, most: number) {
  const words = `${label} must be a number above 0, at most ${most}, with at most 9 decimals.`;
  return z.union([z.number(), z.string()], words).transform((given, context) => {
    const amount = readCredits(String(given).trim());
    if (amount === undefined || amount <= 0n || amount > BigInt(most) * 1_000_000_000n) {
      context.addIssue({ code: "custom", message: words });
      return z.NEVER;
    }
    return writeCredits(amount);
  });
}
