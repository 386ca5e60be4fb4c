import { moneyText } from "./money-text.ts";

/** Which limit a run has reached: its own, or that of its project for the day. */
export function reachedWords(
  { limit, spent, of }: { limit: "run" | "day"; spent: number; of: number },
  sign: string,
): string {
  const amounts = spentOf(spent, of, sign);
  return limit === "run" ? `This run has cost ${amounts}.` : `This project has cost ${amounts} today.`;
}

/** What an account or a project has spent in this month, of what it may. Both are exact amounts. */
export function monthWords(
  { spent, amount }: { spent: string; amount: string },
  isProject: boolean,
  sign: string,
): string {
  return `${isProject ? "This project has" : "You have"} spent ${spentOf(spent, amount, sign)} this month.`;
}

/** "$1.20 of $5.00" */
export function spentOf(spent: string | number, of: string | number, sign: string): string {
  return `${moneyText(spent, sign)} of ${moneyText(of, sign, "all")}`;
}
