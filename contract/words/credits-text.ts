import { getCredits, shownCredits, shownSpend } from "../billing/credits.ts";

/** An amount of credits, as people read it. */
export function creditsText(amount: number): string {
  return amount.toFixed(2);
}

/** Which limit a run has reached: its own, or that of its project for the day. */
export function reachedWords({ limit, spent, of }: { limit: "run" | "day"; spent: number; of: number }): string {
  const amounts = `${creditsText(spent)} of ${creditsText(of)} credits`;
  return limit === "run" ? `This run has cost ${amounts}.` : `This project has cost ${amounts} today.`;
}

/** What an account or a project has spent in this month, of what it may. Both are exact amounts. */
export function monthWords({ spent, amount }: { spent: string; amount: string }, isProject: boolean): string {
  const amounts = `${shownSpend(getCredits(spent))} of ${shownCredits(getCredits(amount))} credits`;
  return `${isProject ? "This project has" : "You have"} spent ${amounts} this month.`;
}
