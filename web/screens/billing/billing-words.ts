import { getCredits, type Nano, shownSpend } from "@miranda/contract/billing/credits.ts";
import type { LedgerEntry, SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

const sourceWords: Record<string, string> = {
  session: "Session",
  call: "Deployment call",
  schedule: "Schedule",
};

const kindWords: Record<LedgerEntry["kind"], string> = {
  usage: "Usage",
  grant: "Credits granted",
  trial: "Trial credits",
  opening: "Opening balance",
  fill: "Added to a project",
  return: "Returned by a project",
};

export const groupingWords: Record<SpendingGrouping, string> = {
  project: "Project",
  workflow: "Workflow",
  person: "Person",
  kind: "Kind",
};

export const groupingPlurals: Record<SpendingGrouping, string> = {
  project: "Projects",
  workflow: "Workflows",
  person: "People",
  kind: "Kinds",
};

const without: Record<SpendingGrouping, string> = {
  project: "Apps of others",
  workflow: "No workflow",
  person: "Visitors and waiting",
  kind: "Other",
};

/** The name of a part of the chart. */
export function partName(by: SpendingGrouping, { name, isRest }: { name: string; isRest: boolean }): string {
  if (isRest) return "All others";
  return (by === "kind" ? sourceWords[name] : name) || without[by];
}

export function entryTitle({ kind, source, workflow, note }: LedgerEntry): string {
  if (kind === "usage") return workflow?.name || sourceWords[source] || kindWords.usage;
  return note && kind === "grant" ? `${kindWords.grant}: ${note}` : kindWords[kind];
}

/** What else is known of an entry, in one line. */
export function entryDetail({ kind, source, project, person, purse, note }: LedgerEntry): string {
  const known = [kind === "usage" ? sourceWords[source] : "", project?.name, person && `by ${person}`];
  const paid = purse ? "paid by the project" : "";
  return [...known, kind === "usage" ? paid : "", kind === "grant" ? "" : note].filter(Boolean).join(" · ");
}

/** What was spent or booked. For balances, which are never rounded up, there is `shownCredits`. */
export function amountText(amount: string, isSigned = false): string {
  const credits = getCredits(amount);
  const text = shownSpend(credits);
  return isSigned && credits > 0n ? `+${text}` : text;
}

/** Compares this month with the same part of last month, in words. */
export function comparison(spent: string, before: string): string {
  const [now, then] = [getCredits(spent), getCredits(before)];
  if (then === 0n) return now === 0n ? "Nothing last month either" : "Nothing in the same part of last month";
  const percent = percentOf(now - then, then);
  if (percent === 0) return "As much as in the same part of last month";
  return `${Math.abs(percent)} % ${percent > 0 ? "more" : "less"} than in the same part of last month`;
}

export function percentOf(part: Nano, all: Nano): number {
  return all === 0n ? 0 : Number((part * 100n) / all);
}

/** Noon, so that no time zone shows the day before. */
export function dayText(day: string, isShort = false): string {
  const short = { day: "numeric", month: "short" } as const;
  const date = new Date(`${day}T12:00:00`);
  return date.toLocaleDateString(undefined, isShort ? short : { ...short, weekday: "short", year: "numeric" });
}
